"""`tf-postmortem rules schema`: the JSON Schema of rule packs, for editors."""

from __future__ import annotations

import json
import sys

import typer

from analyzer.cli.rules import group


def add_to(_: typer.Typer) -> None:
    group.command()(schema)


def schema() -> None:
    """Print the JSON Schema (draft 2020-12) of a rule pack."""
    from analyzer.rules.authoring.json_schema import make_schema

    sys.stdout.write(json.dumps(make_schema(), indent=1) + "\n")
