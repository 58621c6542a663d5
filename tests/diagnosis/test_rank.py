"""What speaks for and against a cause, told in a scene of two nodes made by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from small_scene import ERROR, accuse, event, finding, stories, timeline

from analyzer.diagnosis.factors import Candidate
from analyzer.diagnosis.ranking import MIN_PROBABILITY, rank_candidates
from analyzer.incident import Finding
from analyzer.model import Clock, Event, Kind, Role, Severity
from analyzer.timeline.precedence import STALE_AFTER_S

START = 10_000.0


def weigh(proof: Event, step: Event | None, *, lost: bool = False, quiet: bool = False) -> Candidate:
    """The cause of node a at `proof`, whose last step is `step`; `lost` says that the other node names a as lost."""
    activities = stories("a", "b")
    activities["a"].last_step = step
    activities["a"].step_events = [step] if step else []
    if lost:
        accuse(activities["b"], activities["a"], START + 900)
    return rank_candidates([finding(proof)], activities, timeline("ab"), frozenset({"f"} if quiet else ())).candidates[
        0
    ]


@pytest.mark.parametrize(
    ("proof", "step", "went_on"),
    [
        (event("a", START, 5), event("a", START, 6), True),  # further down in one file, whatever the times are
        (event("a", START, 5), event("a", START + 60, 4), False),
        (event("a", START, 5), None, False),
        (event("a", START, 5, block=("x", "y")), event("a", START, 7), False),  # a step that its own block quotes
        (event("a", START, 5, block=("x", "y")), event("a", START, 8), True),
        (event("a", START, 5, stream="1"), event("a", START + 29, 6, stream="2"), False),  # two writers of one file
        (event("a", START, 5, stream="1"), event("a", START + 31, 4, stream="2"), True),
        (event("a", START, file="a/dmesg"), event("a", START + 29), False),  # may have been on its way to the file
        (event("a", START, file="a/dmesg"), event("a", START + 31), True),
        (event("a", START, file="a/dmesg"), event("a", None), False),
        (event("a", None, file="a/dmesg"), event("a", START), False),
        (event("a", START, file="a/w.log.1"), event("a", START - 60, file="a/w.log"), True),  # a later part of one log
        (event("a", START, file="a/w.log.3"), event("a", START - 60, file="a/w.log.2"), True),
        (event("a", START, file="a/w.log"), event("a", START + 60, file="a/w.log.1"), False),
        (event("a", START, 5, kind=Kind.DERIVED), event("a", START + 60, 6), False),  # of lines of many times
    ],
)
def test_training_that_went_on_speaks_against_a_cause(proof: Event, step: Event | None, went_on: bool) -> None:
    candidate = weigh(proof, step)
    assert candidate.has("survived") is went_on
    assert candidate.reasons_against == (["training on a continued after it"] if went_on else [])


def test_it_does_not_speak_against_a_quiet_cause() -> None:
    candidate = weigh(event("a", START, 5), event("a", START, 6), quiet=True)
    assert not candidate.has("survived") and not candidate.reasons_against


def test_a_cause_is_survived_if_its_last_occurrence_is() -> None:
    activities = stories("a", "b")
    activities["a"].last_step = event("a", START + 90, 9)
    first, again, after = (event("a", START + 10 * line, line) for line in (1, 8, 10))
    often, seldom = (
        rank_candidates(
            [Finding("f", "f", Role.CAUSE, Severity.ERROR, (first, last), "cause.f", "a")], activities, timeline("ab")
        ).candidates[0]
        for last in (again, after)
    )
    assert often.reasons_against == ["training on a continued after it", "and also after its second occurrence"]
    assert seldom.reasons_against == []
    assert often.log_odds < seldom.log_odds


@pytest.mark.parametrize(
    ("inferred", "lost", "went_on"),
    [
        (True, True, False),  # printed without a time, by a task that was lost: Python's buffer was written at its end
        (True, False, True),  # nobody misses it
        (False, True, True),  # steps that say their time
    ],
)
def test_steps_flushed_at_the_end_do_not_count_as_training(inferred: bool, lost: bool, went_on: bool) -> None:
    step = event("a", START, 9, inferred=inferred)
    assert weigh(event("a", START, 5), step, lost=lost).has("survived") is went_on


def test_steps_before_and_several_behind_an_error_were_not_flushed_at_the_end() -> None:
    activities = stories("a", "b")
    accuse(activities["b"], activities["a"], START + 900)
    activities["a"].step_events = [event("a", START, line, inferred=True) for line in (1, 8, 9)]
    activities["a"].last_step = activities["a"].step_events[-1]
    assert rank_candidates([finding(event("a", START, 5))], activities, timeline("ab")).candidates[0].has("survived")


@pytest.mark.parametrize(
    ("later", "clocks", "first"),
    [
        (2 * ERROR + 0.5, "ab", True),
        (2 * ERROR - 0.5, "ab", False),  # within the errors of both clocks
        (60.0, "a", False),  # nothing is known of the other's clock, so nothing is known to be first
    ],
)
def test_the_first_node_with_a_cause_is_so_beyond_the_errors_of_both_clocks(
    later: float, clocks: str, first: bool
) -> None:
    causes = [
        replace(finding(event(node, time), name=name), cause="cause.same")
        for node, time, name in (("a", START, "one"), ("b", START + later, "two"))
    ]
    clocks_of_nodes = {name: Clock(0.0, ERROR, "x") for name in clocks}
    earlier, other = sorted(
        rank_candidates(causes, stories("a", "b"), timeline("ab", clocks=clocks_of_nodes)).candidates,
        key=lambda c: c.finding.id,
    )
    assert earlier.has("first-of-cause") is first
    assert not other.has("first-of-cause")


@pytest.mark.parametrize(("ahead", "over"), [(ERROR + 0.5, True), (ERROR - 0.5, False)])
def test_what_came_before_the_jobs_last_start_is_over_beyond_the_clocks_error(ahead: float, over: bool) -> None:
    activities = stories("a", "b")
    for story in activities.values():
        story.start_times = {"s": [START - 100, START]}
    candidate = rank_candidates([finding(event("a", START - ahead))], activities, timeline("ab")).candidates[0]
    assert ("the job was started again after it" in candidate.reasons_against) is over


@pytest.mark.parametrize(("earlier", "old"), [(STALE_AFTER_S + 1, True), (STALE_AFTER_S - 1, False)])
def test_a_cause_long_before_the_first_trouble_is_of_an_earlier_one(earlier: float, old: bool) -> None:
    symptom = finding(event("b", START), Role.SYMPTOM, "peer-lost")
    candidate = rank_candidates(
        [finding(event("a", START - earlier)), symptom], stories("a", "b"), timeline("ab")
    ).candidates[0]
    assert (
        candidate.reasons_against == [f"it happened {(STALE_AFTER_S + 1) / 60:.0f} min before the first trouble"]
    ) is old
    assert bool(candidate.reasons_against) is old


def test_a_consequence_adds_its_probability_to_its_cause_and_stays_an_answer() -> None:
    """All candidates together stay as probable as before."""
    cause, consequence = finding(event("a", START, 1), name="f"), finding(event("a", START + 1, 2), name="g")
    findings = [cause, replace(consequence, explained_by=("f",))]
    ranking = rank_candidates(findings, stories("a", "b"), timeline("ab"))
    first, second = ranking.candidates
    assert (first.finding.id, second.finding.id) == ("f", "g")
    assert second.probability == pytest.approx(MIN_PROBABILITY)
    assert first.probability + second.probability + ranking.none_probability == pytest.approx(1.0)
    assert math.log(first.probability / second.probability) > first.log_odds - second.log_odds
