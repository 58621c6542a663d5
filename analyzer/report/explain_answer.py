"""Explain the answer of a written report: how each hypothesis was weighed, and why a cause is not the answer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from analyzer.report.document import WrittenFactor, WrittenFinding, WrittenHypothesis, WrittenIncident
from analyzer.wording import join_names

MAX_SHOWN = 5  # hypotheses
MAX_RULES = 12  # that are named
MIN_POINTS = 0.005  # a factor that adds less is left out


def explain_answer(incident: WrittenIncident) -> Iterator[str]:
    """Yield lines that show how each of the first hypotheses was weighed, and by how much it leads the next."""
    if not incident.hypotheses:
        yield "No cause was weighed: no rule found one."
        return
    ranked = sorted(incident.hypotheses, key=lambda hypothesis: -hypothesis.probability)
    for hypothesis, follower in zip(ranked[:MAX_SHOWN], [*ranked[1:], None], strict=False):
        yield from _explain_hypothesis(hypothesis)
        if follower is not None:
            margin = _log_odds(hypothesis) - _log_odds(follower)
            yield f"  margin to the next, {_name_of(follower)}: {margin:.2f} logits"
        yield ""


def explain_absence(incident: WrittenIncident, cause: str, node: str | None) -> Iterator[str]:
    """Yield lines that say why a cause, on a node if one is given, is not the answer."""
    findings = [finding for finding in incident.findings if _is_of(finding, cause, node)]
    weighed = [hypothesis for hypothesis in incident.hypotheses if _is_of(hypothesis, cause, node)]
    for hypothesis in weighed:
        yield from _explain_hypothesis(hypothesis)
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


def _explain_hypothesis(hypothesis: WrittenHypothesis) -> Iterator[str]:
    finding = f", finding {hypothesis.finding}" if hypothesis.finding else ""
    yield f"{_name_of(hypothesis)}: probability {hypothesis.probability:.2f}{finding}"
    for title, sign in (("for", 1), ("against", -1)):
        factors = [factor for factor in hypothesis.factors if factor.points * sign >= MIN_POINTS]
        if factors:
            yield f"  {title}"
            yield from map(_factor_line, sorted(factors, key=lambda factor: -abs(factor.points)))


def _factor_line(factor: WrittenFactor) -> str:
    place = f" ({factor.file}:{factor.line})" if factor.file and factor.line else ""
    reason = f"  {factor.reason}{place}" if factor.reason else ""
    return f"    {factor.points:+.2f}  {factor.name}{reason}"


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
