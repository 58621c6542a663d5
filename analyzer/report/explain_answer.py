"""Explain the answer of a written report: how each hypothesis was weighed, and why a cause is not the answer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analyzer.report.document import WrittenFactor, WrittenFinding, WrittenHypothesis, WrittenIncident
from analyzer.report.endings import list_endings
from analyzer.wording import join_names

MAX_SHOWN = 5  # hypotheses
MAX_RULES = 12  # that are named
MIN_POINTS = 0.005  # a factor that adds less is left out


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedHypothesis:
    """A hypothesis with its factors, the weightiest first, and its lead over the next one."""

    name: str
    finding: str
    probability: float
    supporting: list[WrittenFactor]
    opposing: list[WrittenFactor]
    follower: str = ""  # the name of the next hypothesis; "" for the last
    margin: float = 0.0  # in logits, to the next hypothesis


def list_weighed(incident: WrittenIncident) -> Sequence[WeighedHypothesis]:
    """Return the most probable hypotheses, "none of these" among them, the most probable first."""
    ranked = sorted(incident.hypotheses, key=lambda hypothesis: -hypothesis.probability)
    return [
        _weigh(hypothesis, follower)
        for hypothesis, follower in zip(ranked[:MAX_SHOWN], [*ranked[1:], None], strict=False)
    ]


def explain_answer(incident: WrittenIncident) -> Iterator[str]:
    """Yield lines that show how each of the first hypotheses was weighed, and by how much it leads the next."""
    weighed = list_weighed(incident)
    if not weighed:
        yield "No cause was weighed: no rule found one."
    explained_ends = list_endings(incident).explains if incident.root_causes else ""
    answer = incident.root_causes[0].finding if incident.root_causes else None
    for hypothesis in weighed:
        yield from _explain_hypothesis(hypothesis)
        if explained_ends and hypothesis.finding == answer:
            yield f"  {explained_ends}"
        if hypothesis.follower:
            yield f"  margin to the next, {hypothesis.follower}: {hypothesis.margin:.2f} logits"
        yield ""


def explain_absence(incident: WrittenIncident, cause: str, node: str | None) -> Iterator[str]:
    """Yield lines that say why a cause, on a node if one is given, is not the answer."""
    findings = [finding for finding in incident.findings if _is_of(finding, cause, node)]
    weighed = [hypothesis for hypothesis in incident.hypotheses if _is_of(hypothesis, cause, node)]
    for hypothesis in weighed:
        yield from _explain_hypothesis(_weigh(hypothesis, None))
        yield ""
    if weighed:
        best = incident.hypotheses[0]
        if weighed[0] is best:
            yield "It is the most probable hypothesis."
        else:
            difference = _log_odds(best) - _log_odds(weighed[0])
            yield f"It ranks {difference:.2f} logits behind {_name_of(best)}."
    elif findings:
        yield from _explain_unweighed(findings)
    else:
        place = f" on {node}" if node else ""
        yield f"No rule found {cause}{place}: no line of the bundle shows it."
        if incident.not_evaluated:
            names = join_names([gap.rule for gap in incident.not_evaluated], MAX_RULES)
            yield f"Rules that could not be evaluated, because the bundle lacks their source: {names}"


def _is_of(stated: WrittenFinding | WrittenHypothesis, cause: str, node: str | None) -> bool:
    return stated.cause == cause and node in (None, stated.node, stated.task)


def _weigh(hypothesis: WrittenHypothesis, follower: WrittenHypothesis | None) -> WeighedHypothesis:
    factors = sorted(hypothesis.factors, key=lambda factor: -abs(factor.points))
    return WeighedHypothesis(
        name=_name_of(hypothesis),
        finding=hypothesis.finding or "",
        probability=hypothesis.probability,
        supporting=[factor for factor in factors if factor.points >= MIN_POINTS],
        opposing=[factor for factor in factors if factor.points <= -MIN_POINTS],
        follower=_name_of(follower) if follower else "",
        margin=_log_odds(hypothesis) - _log_odds(follower) if follower else 0.0,
    )


def _explain_hypothesis(hypothesis: WeighedHypothesis) -> Iterator[str]:
    finding = f", finding {hypothesis.finding}" if hypothesis.finding else ""
    yield f"{hypothesis.name}: probability {hypothesis.probability:.2f}{finding}"
    for title, factors in (("for", hypothesis.supporting), ("against", hypothesis.opposing)):
        if factors:
            yield f"  {title}"
            yield from map(_factor_line, factors)


def _factor_line(factor: WrittenFactor) -> str:
    return f"    {factor.points:+.2f}  {factor.name}: {reason_of(factor)}"


def reason_of(factor: WrittenFactor) -> str:
    """Return the reason, followed by the file and line that show it where one line does."""
    place = f" ({factor.file}:{factor.line})" if factor.file and factor.line else ""
    return f"{factor.reason}{place}"


def _explain_unweighed(findings: Sequence[WrittenFinding]) -> Iterator[str]:
    for finding in findings:
        explained = f": it follows from {join_names(finding.explained_by)}" if finding.explained_by else ""
        role = "a symptom" if finding.role == "symptom" else "context" if finding.role != "cause" else "not weighed"
        yield f"{finding.id} ({finding.rule}) is {role}{explained}"


def _name_of(hypothesis: WrittenHypothesis) -> str:
    if hypothesis.cause is None:
        return "none of these"
    return f"{hypothesis.cause} on {hypothesis.node or 'no single node'}"


def _log_odds(hypothesis: WrittenHypothesis) -> float:
    return math.log(max(hypothesis.probability, 1e-4))
