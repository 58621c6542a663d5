"""Rank the causes by log-odds, and compute the probability of each and of "none of these"."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from analyzer.diagnosis.factors import (
    FINDING_FACTORS,
    NODE_FACTORS,
    Candidate,
    FactorContext,
    make_context,
    weigh,
)
from analyzer.diagnosis.hard_facts import rows_by_node
from analyzer.diagnosis.node_activity import NodeActivity
from analyzer.incident import UNKNOWN_CAUSE, Cause, Factor, Finding, HardFact
from analyzer.model import Role, Severity
from analyzer.timeline.timeline import Timeline
from analyzer.untrusted.documents import read_yaml

_log = logging.getLogger("analyzer.diagnosis")

MIN_PROBABILITY = 0.002  # less probable candidates are not part of an answer
MAX_LOGGED_CANDIDATES = 10
MAX_CROWD = 16  # nodes of one cause that count in full: in a large job, one fault shows on all nodes
# A candidate with one of these factors is unrelated to the failure.
_ASIDE = (
    "stale", "restarted", "survived", "went-on", "late", "foreign-pid", "outsider", "served", "explained",
    "named-elsewhere", "others-accused", "crash-elsewhere",
)  # fmt: skip
WEIGHTS_FILE = Path(__file__).with_name("factors.yaml")


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates, best first, and the probability that none of them is right."""

    candidates: Sequence[Candidate]
    none_factors: Sequence[Factor]
    none_probability: float


@cache
def load_weights() -> Mapping[str, float]:
    """Return factor → weight in logits."""
    return {name: float(str(entry["weight"])) for name, entry in _read_weights_file().items()}


@cache
def load_meanings() -> Mapping[str, str]:
    """Return factor → what it says where it gives no reason of its own."""
    return {name: str(entry.get("means", "")) for name, entry in _read_weights_file().items()}


@cache
def _read_weights_file() -> Mapping[str, Mapping[str, object]]:
    [document] = read_yaml(WEIGHTS_FILE.read_text("utf-8"))
    assert isinstance(document, dict)
    factors: Mapping[str, Mapping[str, object]] = document["factors"]
    return factors


def weigh_factors(factors: Iterable[Factor]) -> tuple[Factor, ...]:
    """Return the factors, each with a reason and with what it adds to the log-odds."""
    weights, meanings = load_weights(), load_meanings()
    return tuple(
        replace(
            factor,
            points=weights.get(factor.name, 0.0) * factor.value,
            reason=factor.reason or meanings.get(factor.name, ""),
        )
        for factor in factors
    )


def rank_candidates(
    findings: Sequence[Finding],
    activities: Mapping[str, NodeActivity],
    timeline: Timeline,
    survivable: frozenset[str] = frozenset(),
    facts: Sequence[HardFact] = (),
    catalogue: Mapping[str, Cause] | None = None,
    none_factors: Sequence[Factor] = (Factor("none"),),
    continued: frozenset[str] = frozenset(),
    lasting: frozenset[str] = frozenset(),
) -> Ranking:
    """Return the ranking. The probabilities of all candidates and of "none of these" sum to one.

    More than MAX_CROWD nodes with the same cause count as MAX_CROWD. Otherwise, ten thousand improbable reports of the
    same kind would outweigh strong evidence on one node.

    Args:
        findings: of all roles.
        activities: what each node did.
        timeline: all events.
        survivable: ids of findings that a job can have and still train. Continued training is no evidence against them.
        facts: how each process ended.
        catalogue: id of a cause → its entry in causes.yaml.
        none_factors: the factors for and against "none of these".
        continued: ids of findings after which their program continued as before.
        lasting: ids of lasting causes that a later error of their node names.
    """
    causes = [
        finding
        for finding in findings
        if finding.role is Role.CAUSE and finding.cause and finding.severity >= Severity.WARNING
    ]
    context = make_context(
        causes, findings, activities, timeline, survivable, rows_by_node(facts), catalogue or {}, continued, lasting
    )
    candidates = _gather_candidates(causes, context)
    none_log_odds = sum(load_weights().get(factor.name, 0.0) * factor.value for factor in none_factors)
    crowds = Counter(candidate.finding.cause for candidate in candidates)
    log_odds = [
        candidate.log_odds - math.log(max(crowds[candidate.finding.cause] / MAX_CROWD, 1)) for candidate in candidates
    ]
    highest = max((none_log_odds, *log_odds))
    total = math.exp(none_log_odds - highest) + sum(math.exp(logit - highest) for logit in log_odds)
    for candidate, own_log_odds in zip(candidates, log_odds, strict=True):
        candidate.probability = math.exp(own_log_odds - highest) / total
    _put_explanations_first(candidates)
    _put_places_first(candidates, context)
    _credit_explanations(candidates)
    candidates.sort(
        key=lambda candidate: (-candidate.probability, candidate.finding.time or float("inf"), candidate.finding.id)
    )
    ranking = Ranking(candidates, none_factors, math.exp(none_log_odds - highest) / total)
    _log_ranking(ranking)
    return ranking


def _put_explanations_first(candidates: Sequence[Candidate]) -> None:
    """Swap the probabilities of a consequence and its explanation if the consequence is more probable.

    Evidence for a consequence is also evidence for its explanation.
    """
    by_id = {
        finding.id: candidate for candidate in candidates for finding in (candidate.finding, *candidate.same_cause)
    }
    for candidate in sorted(candidates, key=lambda ranked: -ranked.probability):
        explanations = [by_id[name] for name in candidate.finding.explained_by if name in by_id]
        best = max(explanations, key=lambda explanation: explanation.probability, default=candidate)
        if best.probability < candidate.probability:
            best.probability, candidate.probability = candidate.probability, best.probability


def _credit_explanations(candidates: Sequence[Candidate]) -> None:
    """Add the probability of a consequence to its explanation. It keeps as much as it needs to stay before less
    probable candidates.

    A consequence does not compete with its cause. But the rule that explains it may be wrong, so it stays an answer,
    before candidates without evidence.
    """
    by_id = {
        finding.id: candidate for candidate in candidates for finding in (candidate.finding, *candidate.same_cause)
    }
    floor = MIN_PROBABILITY
    for candidate in sorted(candidates, key=lambda ranked: ranked.probability):
        explanations = [by_id[name] for name in candidate.finding.explained_by if name in by_id]
        best = max(explanations, key=lambda explanation: explanation.probability, default=candidate)
        if best is not candidate and best.probability >= candidate.probability:
            kept = min(floor, candidate.probability)
            best.probability += candidate.probability - kept
            candidate.probability = kept
        floor = max(floor, candidate.probability)


def _put_places_first(candidates: Sequence[Candidate], context: FactorContext) -> None:
    """Swap the probabilities of a cause without a node and of the same cause on the only node that shows it, if the
    former is more probable.

    Evidence that a job hung is also evidence that the one node hung that behaved differently from all others.
    """
    for placeless in [candidate for candidate in candidates if candidate.finding.node is None]:
        cause = placeless.finding.cause or ""
        placed = [
            candidate
            for candidate in candidates
            if candidate.finding.cause == cause and candidate.finding.node in context.peers
        ]
        if len(placed) != 1 or context.causes.get(cause, UNKNOWN_CAUSE).job_wide or any(map(placed[0].has, _ASIDE)):
            continue
        if placed[0].probability < placeless.probability:
            both = placeless.probability, placed[0].probability
            placed[0].probability, placeless.probability = both


def _gather_candidates(causes: Sequence[Finding], context: FactorContext) -> list[Candidate]:
    """Return one candidate for each cause and node, from its finding with the highest log-odds."""
    weights = load_weights()
    own = {finding.id: Candidate(finding, weigh(FINDING_FACTORS, finding, context), weights) for finding in causes}
    best: dict[tuple[str, str | None], Candidate] = {}
    for finding in sorted(causes, key=lambda cause: (-own[cause.id].log_odds, cause.time or float("inf"))):
        key = (finding.cause or "", finding.node)
        if chosen := best.get(key):
            chosen.same_cause.append(finding)
        else:
            best[key] = own[finding.id]
    for candidate in best.values():
        candidate.factors += weigh(NODE_FACTORS, candidate.finding, context)
        if candidate.same_cause:
            candidate.factors.append(Factor("repeated", math.log1p(len(candidate.same_cause))))
    return list(best.values())


def _log_ranking(ranking: Ranking) -> None:
    for candidate in ranking.candidates[:MAX_LOGGED_CANDIDATES]:
        finding = candidate.finding
        _log.info(
            "candidate %s on %s: probability %.2f", finding.cause, finding.node or "no node", candidate.probability
        )
        for factor in candidate.factors if _log.isEnabledFor(logging.DEBUG) else ():
            weight = candidate.weights.get(factor.name, 0.0) * factor.value
            _log.debug("  %+.2f %s%s", weight, factor.name, f": {factor.reason}" if factor.reason else "")
    if len(ranking.candidates) > MAX_LOGGED_CANDIDATES:
        _log.info("%d more candidates are less probable", len(ranking.candidates) - MAX_LOGGED_CANDIDATES)
    _log.info("none of these: probability %.2f", ranking.none_probability)
