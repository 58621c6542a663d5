"""Results of `rules lint` and `rules test` for programs: JSON, JUnit XML, and GitHub's workflow commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Literal
from xml.sax.saxutils import escape

from analyzer.report.ci_texts import encode_annotation, encode_property, xml_attribute, xml_text
from analyzer.rule_tests.check import TestOutcome
from analyzer.rules.linting.linter import LintResult
from analyzer.rules.types import Rule

_COMMANDS = {"error": "error", "hint": "warning"}


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One error or hint at a place of a pack, or something that passed. `name` is what was checked."""

    name: str
    outcome: Literal["error", "hint", "passed"]
    file: str
    line: int = 1
    column: int = 1
    text: str = ""


def lint_rows(results: Iterable[LintResult], files: Iterable[str], strict: bool) -> Iterator[CheckResult]:
    """Yield a row for each error and hint (with `strict`, hints are errors), and one for each file without any."""
    faulty: set[str] = set()
    for result in results:
        problem = result.problem
        faulty.add(problem.file)
        yield CheckResult(
            name=problem.file,
            outcome="hint" if result.hint and not strict else "error",
            file=problem.file,
            line=problem.position.line,
            column=problem.position.column,
            text=f"{problem.text}; {problem.advice}",
        )
    for file in sorted(set(files) - faulty):
        yield CheckResult(name=file, outcome="passed", file=file)


def test_rows(outcomes: Iterable[TestOutcome], rules: Mapping[str, Rule]) -> Iterator[CheckResult]:
    """Yield a row for each test."""
    for outcome in outcomes:
        rule, text = rules[outcome.rule], outcome.failure
        yield CheckResult(
            name=f"{rule.id} test {outcome.test_number}",
            outcome="error" if text else "passed",
            file=rule.file,
            line=rule.line,
            text=text or "",
        )


def _format_json(rows: Sequence[CheckResult], suite: str) -> str:
    """Return a JSON object: the suite's name, and the rows with all their fields."""
    return json.dumps({"suite": suite, "results": [asdict(row) for row in rows]}, indent=1, ensure_ascii=False) + "\n"


def _format_github(rows: Sequence[CheckResult], suite: str) -> str:
    """Return a workflow command for each row that did not pass."""
    return "".join(
        f"::{_COMMANDS[row.outcome]} title={encode_property(f'{suite}: {row.name}')},file={encode_property(row.file)},"
        f"line={row.line},col={row.column}::{encode_annotation(row.text)}\n"
        for row in rows
        if row.outcome in _COMMANDS
    )


def _format_junit(rows: Sequence[CheckResult], suite: str) -> str:
    """Return JUnit XML with a test case for each name; it fails if one of its rows is an error."""
    cases = [(name, list(group)) for name, group in groupby(sorted(rows, key=_name), key=_name)]
    failures = sum(any(row.outcome == "error" for row in group) for _, group in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0"'
    body = "".join(_test_case(name, group) for name, group in cases)
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="tf-postmortem rules" {counts}>\n'
    return f"{head}<testsuite name={xml_attribute(suite)} {counts}>\n{body}</testsuite>\n</testsuites>\n"


def _name(row: CheckResult) -> str:
    return row.name


def _test_case(name: str, rows: Sequence[CheckResult]) -> str:
    errors = [row for row in rows if row.outcome == "error"]
    case = f"<testcase classname={xml_attribute(rows[0].file)} name={xml_attribute(name)}"
    if not errors:
        return f"{case}/>\n"
    text = escape(xml_text("\n".join(f"{row.file}:{row.line}:{row.column}: {row.text}" for row in errors)))
    return f"{case}><failure message={xml_attribute(errors[0].text)}>{text}</failure></testcase>\n"


FORMATS: Mapping[str, Callable[[Sequence[CheckResult], str], str]] = {
    "json": _format_json,
    "junit": _format_junit,
    "github": _format_github,
}
