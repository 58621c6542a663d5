"""`tf-postmortem rules import`: make a pack of other tools' rules."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli.rules import group
from analyzer.errors import RuleError, UsageError

PACK_NAME = re.compile(r"[a-z][a-z0-9-]{0,60}")


def add_to(_: typer.Typer) -> None:
    group.command(name="import")(import_rules)


def import_rules(
    files: Annotated[
        list[Path], typer.Argument(help="Files of preq's CRE rules, or log monitors of node-problem-detector.")
    ],
    pack: Annotated[str, typer.Option(help="The name of the new pack.")] = "imported",
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The file to write; default: standard output.")
    ] = None,
) -> None:
    """Convert rules of other tools to a pack. For each rule, say what could not be converted, and why.

    Exit with status 4 if no rule could be converted.
    """
    from analyzer.report.formatting import plural
    from analyzer.rules.importing.import_file import import_file, write_pack

    if not PACK_NAME.fullmatch(pack):
        raise UsageError(f"--pack {pack}: not a name", "a name has lower-case letters, digits and hyphens")
    if out is not None and out.exists():
        raise UsageError(f"{out} already exists", "choose another file, or remove it")
    rules = [rule for file in files for rule in import_file(file, pack)]
    seen: set[object] = set()
    for rule in rules:
        if rule.problem is None and rule.body["id"] in seen:
            rule.problem = f"an earlier rule has the id {rule.body['id']}"
        seen.add(rule.body.get("id"))
        for note in rule.notes:
            sys.stderr.write(f"note {rule.source_id}: {note}\n")
        if rule.problem is not None:
            sys.stderr.write(f"SKIPPED {rule.source_id}: {rule.problem}\n")
    carried = [rule for rule in rules if rule.problem is None]
    untested = sum("tests" not in rule.body for rule in carried)
    sys.stderr.write(
        f"{len(carried)} of {plural(len(rules), 'rule')} converted, {untested} without a test; next: "
        f"`tf-postmortem rules lint {out or 'FILE'}` names what each of them still lacks\n"
    )
    if not carried:
        raise RuleError("no rule could be converted", "the lines above say why, rule by rule")
    if out is None:
        sys.stdout.write(write_pack(pack, rules))
    else:
        out.write_text(write_pack(pack, rules), encoding="utf-8")
