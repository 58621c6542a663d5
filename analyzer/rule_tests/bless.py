"""Rewrites expectations and marks to what the analysis says now; nothing else in the files is touched."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from analyzer.reading import Plan
from analyzer.rule_tests.bundle import TestError, kind_of, read_bundle
from analyzer.rule_tests.judge import Outcome, analyze_texts, fired_lines
from analyzer.rules.marks import bless_marks
from analyzer.rules.positions import Position, locate
from analyzer.rules.types import Packs, Rule


@dataclass(frozen=True, slots=True)
class Rewrite:
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


def propose_rewrites(outcomes: Iterable[Outcome], packs: Packs, plan: Plan) -> Iterator[Rewrite]:
    """What would change, file by file. A rule that does not fire, or fires on a near miss, is no matter of blessing."""
    outcomes = list(outcomes)
    by_file: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if any(one.at for one in outcome.mismatches):
            by_file.setdefault(packs.rules[outcome.rule].file, []).append(outcome)
    for file, some in by_file.items():
        before = Path(file).read_text(encoding="utf-8")
        if (after := _bless_pack(before, some)) != before:
            yield Rewrite(Path(file), before, after)
    yield from _bless_logs(outcomes, packs, plan)


def _bless_pack(text: str, outcomes: Iterable[Outcome]) -> str:
    found = locate(text)
    edits: dict[Position, str] = {}
    for outcome in outcomes:
        for one in outcome.mismatches:
            path = ("rules", outcome.rule, "tests", str(outcome.number - 1), *one.at)
            if one.at and (place := found.get(path)):
                edits[place] = _print(one.got)
    for place in sorted(edits, key=lambda place: place.start, reverse=True):
        text = text[: place.start] + edits[place] + text[place.stop :]
    return text


def _print(value: object) -> str:
    """Flow style on one line: it may stand inside braces. A string that YAML would read as a number is quoted."""
    printed = yaml.safe_dump(value, default_flow_style=True, width=1_000_000, allow_unicode=True)
    return printed.removesuffix("\n").removesuffix("\n...")


def _bless_logs(outcomes: Iterable[Outcome], packs: Packs, plan: Plan) -> Iterator[Rewrite]:
    """A log that several tests share is blessed once, with what all of them see."""
    seen: dict[Path, tuple[dict[int, set[str]], set[str]]] = {}
    for outcome in outcomes:
        rule = packs.rules[outcome.rule]
        test = rule.tests[outcome.number - 1]
        for file, fired in _fired(rule, test, packs, plan):
            lines, own = seen.setdefault(file, ({}, set()))
            for line, rules in fired.items():
                lines.setdefault(line, set()).update(rules)
            own.update(name for name, other in packs.rules.items() if other.file == rule.file)
    for file, (lines, own) in seen.items():
        before = file.read_bytes().decode("utf-8", "surrogateescape")
        after = bless_marks(before, lines, own)
        if after != before:
            yield Rewrite(file, before, after)


def _fired(
    rule: Rule, test: Mapping[str, object], packs: Packs, plan: Plan
) -> Iterator[tuple[Path, dict[int, set[str]]]]:
    try:
        kind_of(test)
        bundle = read_bundle(test, Path(rule.file))
    except TestError:
        return
    if bundle.files:
        incident = analyze_texts(bundle.texts, packs, plan, bundle.cores)
        for path, file in bundle.files.items():
            yield file, fired_lines(incident, bundle, path)


def write_rewrite(change: Rewrite) -> None:
    """Beside the file and then over it: an interrupted run leaves the old one whole."""
    beside = change.file.with_name(f".{change.file.name}.blessed")
    beside.write_bytes(change.after.encode("utf-8", "surrogateescape"))
    beside.replace(change.file)
