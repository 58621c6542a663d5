"""`tf-postmortem rules explain`: why a finding is in a report, and why a rule fires on a bundle or does not."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli._config import Config, choose_packs
from analyzer.cli._inputs import open_inputs
from analyzer.cli._redaction import choose_incident_names, redact_lines
from analyzer.cli.rules import ExtraPacks, group, load_packs_for
from analyzer.cli.show import Redact, RedactWord
from analyzer.errors import InputError, UsageError
from analyzer.redact.secrets import mask_text

if TYPE_CHECKING:
    from analyzer.bundle import Input
    from analyzer.report.document import WrittenIncident
    from analyzer.rules.types import Packs


def add_to(_: typer.Typer) -> None:
    group.command()(explain)


def explain(
    source: Annotated[
        str,
        typer.Argument(
            metavar="REPORT|INPUT", help="A report that `analyze` wrote (--json or -o), or an input as for `analyze`."
        ),
    ],
    name: Annotated[
        str,
        typer.Argument(
            metavar="FINDING|RULE", help="For a report: a finding (f3) or its rule. For an input: any rule."
        ),
    ],
    rules: ExtraPacks = None,
    config: Config = None,
    redact: Redact = False,
    redact_word: RedactWord = None,
) -> None:
    """Show why a rule fired or did not: each part of its condition, with the lines that match or what is missing.

    A report can explain its own findings. An input is read again and can explain any rule.
    """
    from analyzer.bundle.own_outputs import is_own_output

    if redact_word and not redact:
        raise UsageError("--redact-word works only with --redact", "add --redact")
    if is_own_output(Path(source)):
        from analyzer.report.reader import read_incident

        user_packs = choose_packs((), config, redact)
        incident = read_incident(Path(source))
        lines = list(_explain_finding(incident, name, load_packs_for(rules, user_packs)))
    else:
        user_packs = choose_packs([source], config, redact)
        with open_inputs([source]) as inputs:
            lines = list(explain_rule_of(inputs, name, load_packs_for(rules, user_packs)))
            if redact:
                from analyzer.pipeline import Options, analyze
                from analyzer.report.json import write_incident

                incident = write_incident(analyze(inputs, Options(config=config)))
    renaming = choose_incident_names(incident, redact_word or (), lines, user_packs) if redact else None
    sys.stdout.writelines(f"{line}\n" for line in redact_lines(lines, renaming))


def _explain_finding(incident: WrittenIncident, name: str, packs: Packs) -> Iterator[str]:
    from analyzer.report.explain_finding import explain_finding, find_finding

    row = find_finding(incident, name)
    if row is None:
        known_findings = ", ".join(f"{finding.id} ({finding.rule})" for finding in incident.findings[:20]) or "none"
        raise UsageError(
            f"there is no finding {name}",
            f"the report has {known_findings}; give the bundle instead of the report to see why a rule did not fire",
        )
    return explain_finding(incident, row, packs)


def explain_rule_of(inputs: list[Input], name: str, packs: Packs) -> Iterator[str]:
    """Yield why a rule fires on the inputs or does not; secrets are masked. Raises UsageError if it is not known."""
    from analyzer.bundle import local_path
    from analyzer.paths import cache_dir
    from analyzer.pipeline import Options, read_inputs
    from analyzer.reading import build_plan
    from analyzer.rule_tests.explain_rule import explain_rule
    from analyzer.rules.parsing.fields import suggest_name

    for path in filter(None, map(local_path, inputs)):
        if not os.path.lexists(path):
            raise InputError(f"{path}: No such file or directory", "give a report or the files of an incident")
    rule = packs.find_rule(name)
    if rule is None:
        raise UsageError(f"there is no rule {name}", suggest_name(name, packs.rules))
    options = Options(jobs=1)
    ingested = read_inputs(inputs, build_plan(packs, cache_dir()), options)
    return map(mask_text, explain_rule(rule, ingested, packs, lambda plan: read_inputs(inputs, plan, options).results))
