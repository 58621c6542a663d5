"""What counts as right, as trusted and as "cannot tell"."""

from __future__ import annotations

import pytest
from accuracy.answers import Guess
from accuracy.runs import Scope, Truth
from accuracy.score import Score, add_up, brier, reliability, score

TRUTH = Truth("resource.disk-full", ("worker:1",), also_acceptable=("checkpoint.corrupt",))
HEALTHY = Truth("none")
ALL: frozenset[Scope] = frozenset(("cause", "node"))
NAMES = frozenset(("gpu-b", "worker:1", "worker-1"))


def judge(truth: Truth, *guesses: Guess, tellable: frozenset[Scope] = ALL) -> Score:
    return score(truth, NAMES if truth.culprits else frozenset(), tellable, guesses)


def guess(cause: str = "resource.disk-full", node: str | None = "gpu-b", confidence: float = 0.9) -> Guess:
    return Guess(cause, node, None, confidence)


def test_the_right_cause_on_the_right_node() -> None:
    assert judge(TRUTH, guess()).marks == {"trust": True, "cause": True, "top-3": True, "node": True}
    assert judge(TRUTH, guess("checkpoint.corrupt")).right
    assert judge(TRUTH, Guess("resource.disk-full", "10.0.0.9", "worker:1", 0.9)).marks["node"]


def test_a_wrong_answer_that_is_sure_is_not_trusted_and_one_that_is_not_is() -> None:
    assert not judge(TRUTH, guess("network.dns", confidence=0.8)).marks["trust"]
    assert not judge(TRUTH, guess(node="gpu-a")).marks["trust"]
    assert judge(TRUTH, guess("network.dns", confidence=0.79)).marks["trust"]
    assert judge(TRUTH).marks == {"trust": True, "cause": False, "top-3": False, "node": False}


def test_the_third_cause_counts_and_the_fourth_does_not() -> None:
    others = [guess(f"network.{name}") for name in ("dns", "tls", "timeout")]
    assert judge(TRUTH, *others[:2], guess()).marks["top-3"]
    assert not judge(TRUTH, *others, guess()).marks["top-3"]


def test_a_healthy_run_has_no_cause_and_no_node() -> None:
    assert judge(HEALTHY).marks == {"trust": True, "healthy": True}
    assert judge(HEALTHY, guess()).marks == {"trust": False, "healthy": False}
    assert judge(HEALTHY, guess(confidence=0.4)).marks == {"trust": True, "healthy": False}


def test_what_cannot_be_told_is_asked_of_nobody_and_must_not_be_claimed() -> None:
    nothing: frozenset[Scope] = frozenset()
    assert judge(TRUTH, tellable=nothing).marks == {"trust": True, "cannot tell": True}
    assert judge(TRUTH, guess("network.dns", confidence=0.5), tellable=nothing).marks["cannot tell"] is False
    assert judge(TRUTH, guess("network.dns", confidence=0.4), tellable=nothing).marks["cannot tell"] is True
    node_alone: frozenset[Scope] = frozenset(("node",))
    assert set(judge(TRUTH, guess(), tellable=node_alone).marks) == {"trust", "cannot tell", "node"}


def test_nobody_is_asked_for_the_node_where_nobody_is_to_blame() -> None:
    assert "node" not in judge(Truth("scheduler.time-limit"), guess("scheduler.time-limit", None)).marks


def test_no_node_is_right_only_where_the_truth_says_so() -> None:
    open_truth = Truth("resource.disk-full", ("gpu-b",))
    named: frozenset[str | None] = frozenset(("gpu-b", None))
    assert score(open_truth, named, ALL, [guess(node=None)]).marks["node"]
    assert not score(open_truth, named, ALL, [guess(node="gpu-a")]).marks["node"]
    assert not score(open_truth, frozenset(("gpu-b",)), ALL, [guess(node=None)]).marks["node"]


def test_totals_brier_and_reliability_by_hand() -> None:
    scores = [judge(TRUTH, guess()), judge(TRUTH, guess("network.dns", confidence=0.6)), judge(HEALTHY)]
    assert add_up(scores)["cause"] == (1, 2)
    assert add_up(scores)["trust"] == (3, 3)
    assert brier(scores) == pytest.approx((0.1**2 + 0.6**2) / 2)
    assert brier(scores[2:]) is None
    assert [row[2:] for row in reliability(scores) if row[2]] == [(1, 0), (1, 1)]
