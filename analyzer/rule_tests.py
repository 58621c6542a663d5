"""Runs the tests that rules carry: each is a bundle in small, analyzed by the real pipeline."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.facts.files import states_fact
from analyzer.model import Incident
from analyzer.pipeline import Intake, diagnose, read_small
from analyzer.reading import Plan, read_source
from analyzer.rules.types import Packs, Rule


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test of one rule; `wrong` says in words what was not as expected."""

    rule: str
    number: int
    wrong: str | None


def run_tests(rules: Mapping[str, Rule], packs: Packs, plan: Plan) -> Iterator[Outcome]:
    for rule in rules.values():
        for number, test in enumerate(rule.tests, 1):
            yield Outcome(rule.id, number, judge(rule, test, packs, plan))


def judge(rule: Rule, test: Mapping[str, object], packs: Packs, plan: Plan) -> str | None:
    """None if the test holds, else what is wrong."""
    fires, silent = test.get("fires"), test.get("silent")
    if (fires is None) == (silent is None):
        return "a test has either fires or silent"
    bundle = dict(bundle_of(fires if silent is None else silent))
    texts = {path: text for path, text in bundle.items() if isinstance(text, str)}
    incident = analyze_texts(texts, packs, plan, [core for core in bundle.values() if not isinstance(core, str)])
    found = [finding for finding in incident.findings if finding.rule == rule.id]
    if silent is not None:
        return f"fired on {found[0].evidence[0].text[:80]!r}" if found else None
    if not found:
        others = ", ".join(sorted({finding.rule for finding in incident.findings})) or "nothing"
        return f"did not fire; found were: {others}"
    wanted = test.get("captures")
    if isinstance(wanted, Mapping):
        for finding in found:
            if all(finding.captures.get(str(name)) == _text(value) for name, value in wanted.items()):
                break
        else:
            return f"captures: wanted {dict(wanted)}, got {dict(found[0].captures)}"
    for key, got in (("node", found[0].node), ("cause", found[0].cause), ("severity", found[0].severity.word)):
        if key in test and str(test[key]) != str(got):
            return f"{key}: wanted {test[key]}, got {got}"
    if test.get("expect_root") and (not incident.root_causes or incident.root_causes[0].finding.rule != rule.id):
        named = incident.root_causes[0].finding.rule if incident.root_causes else incident.verdict
        return f"is not the first root cause: {named}"
    return None


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def bundle_of(raw: object, prefix: str = "") -> Iterator[tuple[str, str | dict[str, object]]]:
    """`text`, `{path: text}` or `{node: {file: text}}` as (path, text) pairs; lines may be given as a list.

    `{path: {crash: {signal: SIGSEGV, message: …}}}` stands for a core dump: what `core.crash` captures.
    """
    if isinstance(raw, Mapping) and isinstance(crash := raw.get("crash"), Mapping):
        said = {str(name): value for name, value in crash.items()}
        frame = {"kind": "native", "function": said.get("function"), "module": said.get("module")}
        yield prefix, {**said, "file": prefix, "abort_message": said.get("message"), "facts": {"explanation": said.get("explanation")},
                       "threads": [{"tid": 1, "frames": [frame]}], "crashing_thread": 1, "signature": str(said)}
    elif isinstance(raw, Mapping):
        for name, inner in raw.items():
            yield from bundle_of(inner, f"{prefix}/{name}" if prefix else str(name))
    elif isinstance(raw, list):
        yield prefix or "node-1/log.txt", "\n".join(map(str, raw)) + "\n"
    else:
        yield prefix or "node-1/log.txt", str(raw).rstrip("\n") + "\n"


def analyze_texts(texts: Mapping[str, str], packs: Packs, plan: Plan, cores: Sequence[dict[str, object]] = ()) -> Incident:
    """A bundle that lies in memory."""
    intake = Intake(cores=list(cores))
    for path, text in texts.items():
        raw = text.encode()
        if states_fact(path, len(raw)):
            read_small(path, raw, plan, intake)
        else:
            intake.results.append(read_source(path, io.BytesIO(raw), plan))
    return diagnose(intake, packs)
