"""`tf-postmortem rules new`: propose a pack from one line of a log."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from analyzer.cli._config import choose_packs
from analyzer.cli._redaction import check_output, choose_names, redact_names
from analyzer.cli.rules import group, load_packs_for
from analyzer.cli.show import Redact, RedactWord
from analyzer.errors import InputError, UsageError
from analyzer.redact.secrets import mask_text
from analyzer.report.formatting import plural
from analyzer.report.reader import read_incident

if TYPE_CHECKING:
    from analyzer.rules.authoring.propose import Proposal
    from analyzer.rules.packs.user_packs import UserPacks


MAX_LINE_BYTES = 1 << 16  # of the line, the rest is not looked at
NUMBER = re.compile(r"[0-9]{1,18}")  # of a line or a template


def add_to(_: typer.Typer) -> None:
    group.command()(new)


def new(
    from_line: Annotated[
        str | None, typer.Option(metavar="FILE:LINE", help="The line that the rule should find.")
    ] = None,
    from_template: Annotated[
        str | None, typer.Option(metavar="REPORT.json:N", help="The N-th unknown error of a report.")
    ] = None,
    pack: Annotated[str, typer.Option(help="The pack's name.")] = "local",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the pack to this file, which must not exist yet.")
    ] = None,
    redact: Redact = False,
    redact_word: RedactWord = None,
) -> None:
    """Propose a rule for a log line, with named captures, a test that fires and a near miss, and check it."""
    from analyzer.rules.authoring.propose import propose_pack

    if (from_line is None) == (from_template is None):
        raise UsageError(
            "a rule is proposed for one line", "give either --from-line FILE:LINE or --from-template REPORT.json:N"
        )
    if redact_word and not redact:
        raise UsageError("--redact-word works only with --redact", "add --redact")
    file, text = _read_line(from_line) if from_line is not None else _read_template(str(from_template))
    user_packs = choose_packs([from_line.rpartition(":")[0]] if from_line is not None else [], None, redact)
    text = mask_text(text)
    renaming = choose_names({"lines": [text]}, redact_word or (), (), user_packs) if redact else None
    text = redact_names(text, renaming)
    proposal = propose_pack(text, file, pack, load_packs_for(None, user_packs).rules)
    if proposal is None:
        raise InputError("the line has no words that a rule could search for", f"it is {text[:80]!r}")
    check_output(proposal.yaml, renaming)
    if output is None:
        sys.stdout.write(proposal.yaml)
    else:
        try:
            with output.open("x", encoding="utf-8") as opened:
                opened.write(proposal.yaml)
        except FileExistsError:
            raise UsageError(f"{output} already exists", "add the rule to it by hand, or choose another name") from None
    sys.stderr.writelines(f"{line}\n" for line in _check_proposal(proposal, user_packs))


def _check_proposal(proposal: Proposal, user_packs: UserPacks) -> list[str]:
    """Return the lines to print after linting and testing the pack, and after finding rules that already match the
    line.
    """
    from analyzer.paths import cache_dir
    from analyzer.reading import build_plan
    from analyzer.rule_tests import analyze_texts, run_tests, test_files
    from analyzer.rules.linting.linter import lint_packs, load_problems
    from analyzer.scratch import scratch_folder

    with scratch_folder() as folder:
        file = folder / "proposed.yaml"
        file.write_text(proposal.yaml, encoding="utf-8")
        packs = load_packs_for([file], user_packs)
        proposed_files = frozenset({str(file)})
        problems = [*load_problems(packs, proposed_files), *lint_packs(packs, proposed_files)]
        plan = build_plan(packs, cache_dir())
        rule = packs.rules.get(proposal.rule)
        messages = [
            f"{'note' if finding.hint else 'PROBLEM'}: line {finding.problem.position.line}: {finding.problem.text}; "
            f"{finding.problem.advice}"
            for finding in problems
        ]
        if rule is None:
            return messages
        outcomes = list(run_tests({rule.id: rule}, packs, plan))
        messages += [f"FAIL test {outcome.test_number}: {outcome.failure}" for outcome in outcomes if outcome.failure]
        texts = {path: text for path, text in test_files(rule.tests[0]["fires"]) if isinstance(text, str)}
        other_rules = sorted({finding.rule for finding in analyze_texts(texts, packs, plan).findings} - {rule.id})
        if other_rules:
            messages.append(
                f"note: {', '.join(other_rules)} already fires on this line: "
                f"`tf-postmortem rules show {other_rules[0]}`"
            )
        errors = sum(not finding.hint for finding in problems)
        passed = sum(not outcome.failure for outcome in outcomes)
        messages.append(
            f"{plural(errors, 'error')}, {passed} of {plural(len(outcomes), 'test')} pass; "
            "replace the names of machines and people before you share the pack"
        )
        return messages


def _read_line(line_reference: str) -> tuple[str, str]:
    file, _, number = line_reference.rpartition(":")
    if not file or not NUMBER.fullmatch(number) or int(number) < 1:
        raise UsageError(f"--from-line {line_reference} is not FILE:LINE", "as in --from-line dmesg.txt:120")
    try:
        with Path(file).open("rb") as opened:
            raw = next(islice(_read_short_lines(opened), int(number) - 1, None), None)
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}", "give a log as --from-line FILE:LINE") from None
    if raw is None:
        raise InputError(f"{file} has fewer than {number} lines", "lines are counted from 1")
    return file, raw.decode("utf-8", "replace")


def _read_short_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the first MAX_LINE_BYTES of each line: a file without a line feed may be as large as a disk."""
    is_start = True
    while piece := stream.readline(MAX_LINE_BYTES):
        if is_start:
            yield piece
        is_start = piece.endswith(b"\n")


def _read_template(template_reference: str) -> tuple[str, str]:
    file, _, number = template_reference.rpartition(":")
    if not file or not NUMBER.fullmatch(number):
        raise UsageError(
            f"--from-template {template_reference} is not REPORT.json:N", "as in --from-template incident.json:1"
        )
    templates = read_incident(Path(file)).unclassified
    if not 0 < int(number) <= len(templates):
        raise UsageError(
            f"the report has {plural(len(templates), 'unknown error')}",
            'the section "Unknown errors" of the report lists them' if templates else "choose another report",
        )
    example = templates[int(number) - 1].example
    return example.file, example.text
