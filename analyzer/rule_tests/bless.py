"""Rewrite the expectations of tests to the present result (--bless); nothing else in the files changes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from analyzer.reading import ReadPlan
from analyzer.rule_tests.check import TestOutcome, analyze_texts, fired_lines
from analyzer.rule_tests.inline_expectations import update_expectations
from analyzer.rule_tests.test_bundle import RuleTestError, read_bundle, test_kind
from analyzer.rules.parsing.yaml_spans import SourceSpan, locate
from analyzer.rules.types import Packs, Rule


@dataclass(frozen=True, slots=True)
class FileRewrite:
    """The text of a file before and after."""

    file: Path
    before: str
    after: str

    def diff(self) -> str:
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            str(self.file),
            f"{self.file} (blessed)",
        )
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def propose_rewrites(outcomes: Iterable[TestOutcome], packs: Packs, plan: ReadPlan) -> Iterator[FileRewrite]:
    """Yield what would change, file by file. A rule that does not fire, or fires on a near miss, is not blessed."""
    outcomes = list(outcomes)
    by_file: dict[str, list[TestOutcome]] = {}
    for outcome in outcomes:
        if any(mismatch.expectation_keys for mismatch in outcome.mismatches):
            by_file.setdefault(packs.rules[outcome.rule].file, []).append(outcome)
    for file, file_outcomes in by_file.items():
        before = Path(file).read_text(encoding="utf-8")
        if (after := _update_pack(before, file_outcomes)) != before:
            yield FileRewrite(Path(file), before, after)
    yield from _update_logs(outcomes, packs, plan)


def _update_pack(text: str, outcomes: Iterable[TestOutcome]) -> str:
    spans = locate(text)
    edits: dict[SourceSpan, str] = {}
    for outcome in outcomes:
        for mismatch in outcome.mismatches:
            path = ("rules", outcome.rule, "tests", str(outcome.test_number - 1), *mismatch.expectation_keys)
            if mismatch.expectation_keys and (span := spans.get(path)):
                edits[span] = _to_yaml(mismatch.actual)
    for span in sorted(edits, key=lambda span: span.start, reverse=True):
        text = text[: span.start] + edits[span] + text[span.stop :]
    return text


def _to_yaml(value: object) -> str:
    """Return the value in flow style on one line, so that it fits inside braces. YAML quotes a string that looks like
    a number.
    """
    printed = yaml.safe_dump(value, default_flow_style=True, width=1_000_000, allow_unicode=True)
    return printed.removesuffix("\n").removesuffix("\n...")


def _update_logs(outcomes: Iterable[TestOutcome], packs: Packs, plan: ReadPlan) -> Iterator[FileRewrite]:
    """Yield the rewrites of logs. A log that several tests share is rewritten once, with what all of them found."""
    fired_by_file: dict[Path, tuple[dict[int, set[str]], set[str]]] = {}
    for outcome in outcomes:
        rule = packs.rules[outcome.rule]
        test = rule.tests[outcome.test_number - 1]
        for file, fired in _fired_by_file(rule, test, packs, plan):
            lines, own_rules = fired_by_file.setdefault(file, ({}, set()))
            for line, rules in fired.items():
                lines.setdefault(line, set()).update(rules)
            own_rules.update(name for name, other in packs.rules.items() if other.file == rule.file)
    for file, (lines, own_rules) in fired_by_file.items():
        before = file.read_bytes().decode("utf-8", "surrogateescape")
        after = update_expectations(before, lines, own_rules)
        if after != before:
            yield FileRewrite(file, before, after)


def _fired_by_file(
    rule: Rule, test: Mapping[str, object], packs: Packs, plan: ReadPlan
) -> Iterator[tuple[Path, dict[int, set[str]]]]:
    try:
        test_kind(test)
        bundle = read_bundle(test, Path(rule.file))
    except RuleTestError:
        return
    if bundle.files:
        incident = analyze_texts(bundle.texts, packs, plan, bundle.cores)
        for path, file in bundle.files.items():
            yield file, fired_lines(incident, bundle, path)


def write_rewrite(rewrite: FileRewrite) -> None:
    """Write the new text beside the file, then replace the file: an interrupted run leaves the old one complete."""
    temporary_file = rewrite.file.with_name(f".{rewrite.file.name}.blessed")
    temporary_file.write_bytes(rewrite.after.encode("utf-8", "surrogateescape"))
    temporary_file.replace(rewrite.file)
