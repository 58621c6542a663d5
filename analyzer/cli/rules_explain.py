"""`tf-postmortem rules explain`: why a finding is in a report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli.rules import ExtraPacks, group, load_packs_for
from analyzer.errors import UsageError


def add_to(_: typer.Typer) -> None:
    group.command()(explain)


def explain(
    report: Annotated[Path, typer.Argument(help="A report that `analyze` wrote with --json or -o.")],
    finding: Annotated[str, typer.Argument(help="The id of a finding (f3), or of its rule.")],
    rules: ExtraPacks = None,
) -> None:
    """Show why a finding fired (signals, lines, captures) and what was missing for other rules of the same cause."""
    from analyzer.report.explain_finding import explain_finding, find_finding
    from analyzer.report.reader import read_incident

    incident = read_incident(report)
    row = find_finding(incident, finding)
    if row is None:
        known_findings = ", ".join(f"{known.id} ({known.rule})" for known in incident.findings[:20]) or "none"
        raise UsageError(f"there is no finding {finding}", f"the report has {known_findings}")
    sys.stdout.writelines(f"{line}\n" for line in explain_finding(incident, row, load_packs_for(rules)))
