"""Compare the pattern of a replay with that of its incident, aspect by aspect."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from analyzer.replay.pattern import FailurePattern

MatchResult = Literal["same", "differs", "not shown"]
SAME: Final = "same"
DIFFERS: Final = "differs"
NOT_SHOWN: Final = "not shown"
ACCUSED, ENDING, SYMPTOMS = "who is accused first", "how the culprit ended", "the first symptoms of the peers"
PEER_ENDINGS, SIGNATURE = "how the peers ended", "the signature"
# By how many logits the log-odds of the diagnosis fall if the aspect differs. "Who is accused" costs most, because it
# depends least on versions and launchers. The values are estimates, not fitted.
CONFIDENCE_COSTS = {ACCUSED: 2.0, ENDING: 1.5, SYMPTOMS: 1.0, PEER_ENDINGS: 0.5, SIGNATURE: 0.5}


@dataclass(frozen=True, slots=True, kw_only=True)
class AspectMatch:
    """One aspect of the pattern in the incident and in the replay, in words; "" if it is not shown."""

    aspect: str
    incident: str
    replay: str
    result: MatchResult

    def describe_difference(self) -> str:
        return f"differs: {self.aspect} ({self.incident} in the incident, {self.replay} in the replay)"


def match_patterns(incident: FailurePattern, replay: FailurePattern, is_analogue: bool = False) -> list[AspectMatch]:
    """Return how the aspects compare, the most informative first.

    `is_analogue`: the replay has another cause than the incident on purpose, so signatures are not compared.
    """
    return [
        _match_values(ACCUSED, incident.accused, replay.accused),
        _match_values(ENDING, incident.culprit_ending, replay.culprit_ending),
        _match_symptoms(incident.symptoms, replay.symptoms),
        _match_endings(incident.peer_endings, replay.peer_endings),
        _match_signatures(incident, replay, is_analogue),
    ]


def lower_confidence(confidence: float, matches: Sequence[AspectMatch]) -> float:
    """Return the probability of the diagnosis after the aspects that differ, by CONFIDENCE_COSTS."""
    cost = sum(CONFIDENCE_COSTS[match.aspect] for match in matches if match.result == DIFFERS)
    bounded = min(max(confidence, 1e-6), 1 - 1e-6)
    return 1 / (1 + math.exp(cost - math.log(bounded / (1 - bounded)))) if cost else confidence


def _match_values(aspect: str, incident: str | None, replay: str | None) -> AspectMatch:
    result: MatchResult = NOT_SHOWN if not (incident and replay) else SAME if incident == replay else DIFFERS
    return AspectMatch(aspect=aspect, incident=incident or "", replay=replay or "", result=result)


def _match_symptoms(incident: frozenset[str], replay: frozenset[str]) -> AspectMatch:
    """Compare symptoms. They differ if each side has some that the other lacks: a bundle may lack lines, and a small
    job has fewer peers.
    """
    if not (incident and replay):
        result: MatchResult = NOT_SHOWN
    else:
        result = SAME if incident <= replay or replay <= incident else DIFFERS
    hidden = incident & replay if result == DIFFERS else frozenset[str]()
    return AspectMatch(
        aspect=SYMPTOMS, incident=_list_words(incident - hidden), replay=_list_words(replay - hidden), result=result
    )


def _match_endings(incident: frozenset[str], replay: frozenset[str]) -> AspectMatch:
    """Compare endings. They differ if they have none in common: the peers of a large job may end differently."""
    if not (incident and replay):
        result: MatchResult = NOT_SHOWN
    else:
        result = SAME if incident & replay else DIFFERS
    return AspectMatch(aspect=PEER_ENDINGS, incident=_list_words(incident), replay=_list_words(replay), result=result)


def _match_signatures(incident: FailurePattern, replay: FailurePattern, is_analogue: bool) -> AspectMatch:
    """Compare signatures. Unequal ones differ only if the exception or the signal differs; otherwise the same cause
    left different evidence.
    """
    stated = sorted(incident.repeated.keys() & replay.repeated.keys())
    differing = [name for name in stated if incident.repeated[name] != replay.repeated[name]]
    if is_analogue or not (incident.signature and replay.signature):
        result: MatchResult = NOT_SHOWN
    elif incident.signature == replay.signature:
        result, stated = SAME, []
    else:
        result = DIFFERS if differing else SAME if stated else NOT_SHOWN
    return AspectMatch(
        aspect=SIGNATURE,
        incident=_list_words(f"{name} {incident.repeated[name]}" for name in stated) or incident.signature,
        replay=_list_words(f"{name} {replay.repeated[name]}" for name in stated) or replay.signature,
        result=result,
    )


def _list_words(words: Iterable[str]) -> str:
    return ", ".join(sorted(words))
