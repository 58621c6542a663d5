"""Check a test of a rule. All mismatches are reported, not only the first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from analyzer.core_dump import CoreDump
from analyzer.incident import Finding, Incident
from analyzer.pipeline import IngestResult, diagnose, read_small_text
from analyzer.reading import ReadPlan
from analyzer.rule_tests.explain_rule import explain_rule
from analyzer.rule_tests.inline_expectations import check_expectations
from analyzer.rule_tests.test_bundle import RuleTestBundle, RuleTestError, read_bundle, test_kind
from analyzer.rules.types import Packs, Rule


@dataclass(frozen=True, slots=True)
class TestMismatch:
    """One expectation that does not hold.

    `expectation_keys` lead to the expectation inside the test, and `actual` is what it should say; () if --bless
    cannot fix it.
    """

    text: str
    expectation_keys: tuple[str, ...] = ()
    actual: object = None
    is_error: bool = True
    did_not_fire: bool = False


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """The result of one test of one rule. `failure` says in words what was not as expected."""

    rule: str
    test_number: int
    mismatches: tuple[TestMismatch, ...] = ()

    @property
    def failure(self) -> str | None:
        return "; ".join(mismatch.text for mismatch in self.mismatches if mismatch.is_error) or None

    @property
    def did_not_fire(self) -> bool:
        """Whether the rule should have fired and did not."""
        return any(mismatch.did_not_fire for mismatch in self.mismatches)


def run_tests(rules: Mapping[str, Rule], packs: Packs, plan: ReadPlan) -> Iterator[TestOutcome]:
    """Yield the outcome of each test of each rule."""
    for rule in rules.values():
        for test_number, test in enumerate(rule.tests, 1):
            yield TestOutcome(rule.id, test_number, tuple(check_test(rule, test, packs, plan)))


def check_test(rule: Rule, test: Mapping[str, object], packs: Packs, plan: ReadPlan) -> Iterator[TestMismatch]:
    """Yield the mismatches of one test."""
    try:
        kind, bundle = test_kind(test), read_bundle(test, Path(rule.file))
    except RuleTestError as error:
        yield TestMismatch(str(error))
        return
    incident = analyze_texts(bundle.texts, packs, plan, bundle.cores)
    findings = [finding for finding in incident.findings if finding.rule == rule.id]
    if kind == "silent" and findings:
        yield TestMismatch(f"fired on {findings[0].evidence[0].text[:80]!r}")
    if kind == "fires" and not findings:
        others = ", ".join(sorted({finding.rule for finding in incident.findings})) or "nothing"
        yield TestMismatch(f"did not fire; these rules fired: {others}", did_not_fire=True)
    elif kind == "fires":
        yield from _check_finding(test, _most_similar(test, findings), bundle)
    yield from _check_incident(rule, test, incident)
    for path, log in bundle.annotated_logs.items():
        for line, text, is_error in check_expectations(log, fired_lines(incident, bundle, path)):
            yield TestMismatch(f"{bundle.files[path]}:{line}: {text}", is_error=is_error)


def explain_test(rule: Rule, test: Mapping[str, object], packs: Packs, plan: ReadPlan) -> Iterator[str]:
    """Yield lines that say part by part how the rule judges the bundle of a test that `check_test` could read."""
    bundle = read_bundle(test, Path(rule.file))
    return explain_rule(rule, _read(bundle, plan), packs, lambda plan: _read(bundle, plan).results)


def fired_lines(incident: Incident, bundle: RuleTestBundle, path: str) -> dict[int, set[str]]:
    """Return the rules whose findings rest on a line of the file, by line number as its author sees it."""
    fired: dict[int, set[str]] = {}
    log = bundle.annotated_logs.get(path)
    for finding in incident.findings:
        for event in finding.evidence:
            if event.locus.file == path and event.locus.line:
                line_number = log.original_line_number(event.locus.line) if log else event.locus.line
                fired.setdefault(line_number, set()).add(finding.rule)
    return fired


def _most_similar(test: Mapping[str, object], findings: Sequence[Finding]) -> Finding:
    """Return the finding that has most of the wanted captures: a rule with `by` makes several findings."""
    wanted = test.get("captures")
    if not isinstance(wanted, Mapping):
        return findings[0]
    return max(
        findings,
        key=lambda finding: sum(
            finding.captures.get(str(name)) == expected_text(value) for name, value in wanted.items()
        ),
    )


def _check_finding(test: Mapping[str, object], finding: Finding, bundle: RuleTestBundle) -> Iterator[TestMismatch]:
    wanted = test.get("captures")
    for name, value in wanted.items() if isinstance(wanted, Mapping) else ():
        actual = finding.captures.get(str(name))
        if actual != expected_text(value):
            keys = ("captures", str(name)) if actual is not None else ()
            yield TestMismatch(f"capture {name}: wanted {expected_text(value)!r}, got {actual!r}", keys, actual)
    for key, actual_value in (("node", finding.node), ("cause", finding.cause), ("severity", finding.severity.label)):
        if key in test and str(test[key]) != str(actual_value):
            yield TestMismatch(
                f"{key}: wanted {test[key]}, got {actual_value}", (key,) if actual_value else (), actual_value
            )
    if isinstance(lines := test.get("lines"), list):
        evidence_lines = sorted(
            {_format_line(event.locus.file, event.locus.line, bundle) for event in finding.evidence}
        )
        if missing := [line for line in map(str, lines) if line not in evidence_lines]:
            yield TestMismatch(
                f"lines: {', '.join(missing)} is not evidence; the evidence is {', '.join(evidence_lines)}",
                ("lines",),
                evidence_lines,
            )


def _format_line(file: str, line: int | None, bundle: RuleTestBundle) -> str:
    log = bundle.annotated_logs.get(file)
    return f"{file}:{log.original_line_number(line) if log and line else line}"


def _check_incident(rule: Rule, test: Mapping[str, object], incident: Incident) -> Iterator[TestMismatch]:
    root_cause = incident.root_causes[0].finding if incident.root_causes else None
    answer = root_cause.rule if root_cause else incident.verdict
    if test.get("expect_root") and (root_cause is None or root_cause.rule != rule.id):
        yield TestMismatch(f"is not the first root cause; that is {answer}")
    if isinstance(root := test.get("root"), Mapping):
        for key, expected in root.items():
            actual = (
                getattr(root_cause, str(key), None) if root_cause and key in ("node", "cause", "rule", "task") else None
            )
            if expected_text(expected) != str(actual):
                yield TestMismatch(
                    f"root {key}: wanted {expected}, got {actual} ({answer})",
                    ("root", str(key)) if actual else (),
                    actual,
                )
    roots = [cause.finding.rule for cause in incident.root_causes]
    for pattern in _as_list(test.get("not")):
        if matching := [name for name in roots if fnmatchcase(name, pattern)]:
            yield TestMismatch(f"{', '.join(matching)} must not be a root cause")
    rules = {finding.rule for finding in incident.findings}
    for pattern in _as_list(test.get("findings")):
        if not any(fnmatchcase(name, pattern) for name in rules):
            yield TestMismatch(
                f"{pattern} must be found too; these rules fired: {', '.join(sorted(rules)) or 'nothing'}"
            )


def _as_list(raw: object) -> list[str]:
    return [] if raw is None else list(map(str, raw)) if isinstance(raw, list) else [str(raw)]


def expected_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def analyze_texts(texts: Mapping[str, str], packs: Packs, plan: ReadPlan, cores: Sequence[CoreDump] = ()) -> Incident:
    """Return the incident of a bundle that lies in memory."""
    return diagnose(_read_texts(texts, plan, cores), packs)


def _read(bundle: RuleTestBundle, plan: ReadPlan) -> IngestResult:
    return _read_texts(bundle.texts, plan, bundle.cores)


def _read_texts(texts: Mapping[str, str], plan: ReadPlan, cores: Sequence[CoreDump]) -> IngestResult:
    ingested = IngestResult(cores=list(cores))
    for path, text in texts.items():
        read_small_text(path, text.encode("utf-8", "surrogateescape"), plan, ingested)
    return ingested
