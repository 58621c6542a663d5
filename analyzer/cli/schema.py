"""`tf-postmortem schema`: the JSON Schemas of what the program writes and reads, for scripts and editors."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer


class SchemaSubject(StrEnum):
    INCIDENT = "incident"
    PACK = "pack"


def add_to(app: typer.Typer) -> None:
    app.command(name="schema")(schema)


def schema(
    subject: Annotated[
        SchemaSubject, typer.Argument(help="incident: the format that --json writes; pack: the format of a rule pack.")
    ],
) -> None:
    """Print a JSON Schema (2020-12)."""
    if subject is SchemaSubject.PACK:
        from analyzer.cli.rules_schema import schema as print_pack_schema

        print_pack_schema()
        return
    import json

    from analyzer.report.schema import incident_schema

    sys.stdout.write(json.dumps(incident_schema(), ensure_ascii=False, indent=1) + "\n")
