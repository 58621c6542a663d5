"""What is answered about a bundle: by the analysis, and by simpler ways to guess that it has to beat."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from analyzer.errors import InputError
from analyzer.incident import Finding, Incident
from analyzer.model import Severity
from analyzer.paths import cache_dir
from analyzer.pipeline import Options, diagnose, read_inputs
from analyzer.reading import ReadPlan, build_plan
from analyzer.rules.packs.cache import load_packs
from analyzer.rules.types import Packs


@dataclass(frozen=True, slots=True)
class Guess:
    cause: str
    node: str | None
    task: str | None
    confidence: float


Answer = Sequence[Guess]  # most likely first; empty where nothing failed, or nobody can tell


@cache
def _knowledge() -> tuple[Packs, ReadPlan]:
    """Once in a process."""
    packs = load_packs((), cache_dir())
    return packs, build_plan(packs, cache_dir())


def analyze(path: Path) -> Incident | None:
    """As the command does, in this process; None where nothing in it can be read."""
    packs, plan = _knowledge()
    try:
        return diagnose(read_inputs([path], plan, Options(jobs=1)), packs)
    except InputError:
        return None


def answer(incident: Incident) -> Answer:
    return [_guess(root.finding, root.confidence) for root in incident.root_causes]


def _guess(finding: Finding, confidence: float = 1.0) -> Guess:
    """As readers see it, in hundredths. What states no doubt is taken at its word."""
    return Guess(finding.cause or "", finding.node, finding.task, round(confidence, 2))


def _earliest(findings: Iterable[Finding]) -> Answer:
    caused = [finding for finding in findings if finding.cause]
    first = min(caused, key=lambda finding: math.inf if finding.time is None else finding.time, default=None)
    return [_guess(first)] if first else []


def _first_error(incident: Incident) -> Answer:
    return _earliest(finding for finding in incident.findings if finding.severity in (Severity.ERROR, Severity.FATAL))


def _first_fatal(incident: Incident) -> Answer:
    return _earliest(finding for finding in incident.findings if finding.severity is Severity.FATAL)


def _most_accused(incident: Incident) -> Answer:
    accused = Counter(accusation.accused for accusation in incident.accusations).most_common(1)
    return _earliest(finding for finding in incident.findings if accused and finding.node == accused[0][0])


def _surest_rule(incident: Incident) -> Answer:
    caused = [finding for finding in incident.findings if finding.cause]
    return [_guess(finding, finding.confidence) for finding in sorted(caused, key=lambda finding: -finding.confidence)]


ANSWERS: Mapping[str, Callable[[Incident], Answer]] = {
    "analysis": answer,
    "first error line": _first_error,
    "earliest fatal line": _first_fatal,
    "most accused node": _most_accused,
    "surest rule, no ranking": _surest_rule,
}
