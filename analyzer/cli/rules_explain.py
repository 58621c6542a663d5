"""`tf-postmortem rules explain`: why a finding of a report stands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli.rules import Extra, group, load
from analyzer.errors import UsageError


def add_to(_: typer.Typer) -> None:
    group.command()(explain)


def explain(
    report: Annotated[Path, typer.Argument(help="What `analyze` wrote with --json or -o.")],
    finding: Annotated[str, typer.Argument(help="A finding's id (f3) or the rule that it is of.")],
    rules: Extra = None,
) -> None:
    """Why it fired: signals, lines, captures; and what was missing for the other rules of the same cause."""
    from analyzer.report.read import read_incident
    from analyzer.rules.explain import explain as tell
    from analyzer.rules.explain import find_finding, rows

    written = read_incident(report)
    row = find_finding(written, finding)
    if row is None:
        known = ", ".join(f"{one.get('id')} ({one.get('rule')})" for one in rows(written, "findings")[:20]) or "none"
        raise UsageError(f"there is no finding {finding}", f"the report has {known}")
    sys.stdout.writelines(f"{line}\n" for line in tell(written, row, load(rules)))
