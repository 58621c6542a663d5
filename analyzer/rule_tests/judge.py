"""Whether a test of a rule holds; everything that does not is said, not the first thing alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from analyzer.incident import Finding, Incident
from analyzer.pipeline import Intake, diagnose, read_small
from analyzer.reading import Plan
from analyzer.rule_tests.bundle import TestBundle, TestError, kind_of, read_bundle
from analyzer.rules.marks import check_marks
from analyzer.rules.types import Packs, Rule


@dataclass(frozen=True, slots=True)
class Mismatch:
    """`at` are the keys of the expectation inside the test, `got` what should stand there; () where no blessing
    helps.
    """

    text: str
    at: tuple[str, ...] = ()
    got: object = None
    error: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test of one rule; `wrong` says in words what was not as expected."""

    rule: str
    number: int
    mismatches: tuple[Mismatch, ...] = ()

    @property
    def wrong(self) -> str | None:
        return "; ".join(one.text for one in self.mismatches if one.error) or None


def run_tests(rules: Mapping[str, Rule], packs: Packs, plan: Plan) -> Iterator[Outcome]:
    for rule in rules.values():
        for number, test in enumerate(rule.tests, 1):
            yield Outcome(rule.id, number, tuple(judge_test(rule, test, packs, plan)))


def judge_test(rule: Rule, test: Mapping[str, object], packs: Packs, plan: Plan) -> Iterator[Mismatch]:
    try:
        kind, bundle = kind_of(test), read_bundle(test, Path(rule.file))
    except TestError as error:
        yield Mismatch(str(error))
        return
    incident = analyze_texts(bundle.texts, packs, plan, bundle.cores)
    found = [finding for finding in incident.findings if finding.rule == rule.id]
    if kind == "silent" and found:
        yield Mismatch(f"fired on {found[0].evidence[0].text[:80]!r}")
    if kind == "fires" and not found:
        others = ", ".join(sorted({finding.rule for finding in incident.findings})) or "nothing"
        yield Mismatch(f"did not fire; found were: {others}")
    elif kind == "fires":
        yield from _check_finding(test, _likest(test, found), bundle)
    yield from _check_incident(rule, test, incident)
    for path, marked in bundle.marked.items():
        for line, text, fatal in check_marks(marked, fired_lines(incident, bundle, path)):
            yield Mismatch(f"{bundle.files[path]}:{line}: {text}", error=fatal)


def fired_lines(incident: Incident, bundle: TestBundle, path: str) -> dict[int, set[str]]:
    """The rules whose findings rest on a line of the file, by the line's number as the author sees it."""
    fired: dict[int, set[str]] = {}
    marked = bundle.marked.get(path)
    for finding in incident.findings:
        for event in finding.evidence:
            if event.locus.file == path and event.locus.line:
                number = marked.number(event.locus.line) if marked else event.locus.line
                fired.setdefault(number, set()).add(finding.rule)
    return fired


def _likest(test: Mapping[str, object], found: Sequence[Finding]) -> Finding:
    """The finding that has most of the wanted captures: a rule with `by` gives several."""
    wanted = test.get("captures")
    if not isinstance(wanted, Mapping):
        return found[0]
    return max(
        found,
        key=lambda finding: sum(finding.captures.get(str(name)) == text_of(value) for name, value in wanted.items()),
    )


def _check_finding(test: Mapping[str, object], finding: Finding, bundle: TestBundle) -> Iterator[Mismatch]:
    wanted = test.get("captures")
    for name, value in wanted.items() if isinstance(wanted, Mapping) else ():
        got = finding.captures.get(str(name))
        if got != text_of(value):
            at = ("captures", str(name)) if got is not None else ()
            yield Mismatch(f"capture {name}: wanted {text_of(value)!r}, got {got!r}", at, got)
    for key, said in (("node", finding.node), ("cause", finding.cause), ("severity", finding.severity.word)):
        if key in test and str(test[key]) != str(said):
            yield Mismatch(f"{key}: wanted {test[key]}, got {said}", (key,) if said else (), said)
    if isinstance(lines := test.get("lines"), list):
        stand = sorted({_place(event.locus.file, event.locus.line, bundle) for event in finding.evidence})
        if missing := [line for line in map(str, lines) if line not in stand]:
            yield Mismatch(f"lines: {', '.join(missing)} is no evidence; that is {', '.join(stand)}", ("lines",), stand)


def _place(file: str, line: int | None, bundle: TestBundle) -> str:
    marked = bundle.marked.get(file)
    return f"{file}:{marked.number(line) if marked and line else line}"


def _check_incident(rule: Rule, test: Mapping[str, object], incident: Incident) -> Iterator[Mismatch]:
    first = incident.root_causes[0].finding if incident.root_causes else None
    named = first.rule if first else incident.verdict
    if test.get("expect_root") and (first is None or first.rule != rule.id):
        yield Mismatch(f"is not the first root cause: {named}")
    if isinstance(root := test.get("root"), Mapping):
        for key, wanted in root.items():
            got = getattr(first, str(key), None) if first and key in ("node", "cause", "rule", "task") else None
            if text_of(wanted) != str(got):
                yield Mismatch(
                    f"root {key}: wanted {wanted}, got {got} ({named})", ("root", str(key)) if got else (), got
                )
    roots = [cause.finding.rule for cause in incident.root_causes]
    for pattern in _list(test.get("not")):
        if hit := [name for name in roots if fnmatchcase(name, pattern)]:
            yield Mismatch(f"{', '.join(hit)} must not be a root cause")
    rules = {finding.rule for finding in incident.findings}
    for pattern in _list(test.get("findings")):
        if not any(fnmatchcase(name, pattern) for name in rules):
            yield Mismatch(f"{pattern} must be found too; found were: {', '.join(sorted(rules)) or 'nothing'}")


def _list(raw: object) -> list[str]:
    return [] if raw is None else list(map(str, raw)) if isinstance(raw, list) else [str(raw)]


def text_of(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def analyze_texts(
    texts: Mapping[str, str], packs: Packs, plan: Plan, cores: Sequence[dict[str, object]] = ()
) -> Incident:
    """A bundle that lies in memory."""
    intake = Intake(cores=list(cores))
    for path, text in texts.items():
        read_small(path, text.encode("utf-8", "surrogateescape"), plan, intake)
    return diagnose(intake, packs)
