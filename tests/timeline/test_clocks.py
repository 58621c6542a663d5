"""Clocks are found within their stated error on synthetic skews, and the stated error says something."""

from __future__ import annotations

import statistics
from itertools import combinations, pairwise
from random import Random

import pytest

from analyzer.model import Clock
from analyzer.timeline.clocks import align_clocks
from analyzer.timeline.ntp_reports import NtpReport
from tests.timeline.skews import EPOCH, Cluster, apart, draw

RUNS = 100


def is_within(cluster: Cluster, clocks: dict[str, Clock], node: str, other: str, true: float) -> bool:
    a, b = clocks[node], clocks[other]
    assert a.error is not None
    assert b.error is not None
    return apart(cluster, (a.offset_at, b.offset_at), node, other, true) <= a.error + b.error


def test_true_leads_lie_within_the_stated_error_at_both_ends_in_95_percent_of_runs() -> None:
    kept, errors = 0, []
    for seed in range(RUNS):
        random = Random(seed)
        cluster = draw(random)
        clocks = align_clocks(cluster.readings(random), cluster.nodes)
        assert set(clocks) == set(cluster.nodes)
        ends = (0.0, cluster.end - cluster.step)
        kept += all(
            is_within(cluster, clocks, node, other, true) for node, other in combinations(clocks, 2) for true in ends
        )
        errors += [(clock.error or 0.0) / cluster.noise for clock in clocks.values()]
    assert kept >= 0.95 * RUNS
    assert statistics.median(errors) < 3  # deviations of a single line: an error that covers everything says nothing


def test_a_large_cluster_is_solved_as_well() -> None:
    """Above some size each clock is solved against the times that all others give."""
    random = Random(11)
    nodes = tuple(f"n{number}" for number in range(200))
    drifts = {node: random.uniform(-200e-6, 200e-6) for node in nodes if random.random() < 0.5}
    cluster = Cluster(nodes, step=10.0, offsets={"n7": 347.0, "n9": -1800.0}, drifts=drifts)
    clocks = align_clocks(cluster.readings(random), nodes)
    pairs = list(pairwise(nodes))
    kept = sum(is_within(cluster, clocks, node, other, true) for node, other in pairs for true in (0.0, cluster.end))
    assert kept >= 0.95 * 2 * len(pairs)
    assert statistics.median(clock.error or 0 for clock in clocks.values()) < 3 * cluster.noise


def test_a_drift_is_found_where_the_span_allows_and_only_there() -> None:
    drifts = {"b": 150e-6, "c": -80e-6}
    for step, is_known in ((0.05, False), (60.0, True)):
        cluster = Cluster(("a", "b", "c", "d", "e"), steps=200, step=step, drifts=drifts)
        clocks = align_clocks(cluster.readings(Random(3)), cluster.nodes)
        measured = {node: clock.drift - clocks["a"].drift for node, clock in clocks.items()}
        assert all(abs(measured[node] - (drifts.get(node, 0.0) if is_known else 0.0)) < 5e-6 for node in cluster.nodes)
        assert ("ppm" in clocks["b"].method) is is_known


@pytest.mark.parametrize("by", [347.0, -347.0, 3.0])
@pytest.mark.parametrize("nodes", [2, 3, 6])
def test_a_clock_that_was_set_has_two_leads(nodes: int, by: float) -> None:
    right = 0
    for seed in range(10):
        cluster = Cluster(tuple(f"n{n}" for n in range(nodes)), steps=120, set_by={"n1": by})
        clocks = align_clocks(cluster.readings(Random(seed)), cluster.nodes)
        jumps_by_node = {node: clock.jumps for node, clock in clocks.items() if clock.jumps}
        # Of two clocks nobody can tell which was set, unless one stands out by its own pace.
        named = set(jumps_by_node) == {"n1"} or (nodes == 2 and abs(by) < 10 and len(jumps_by_node) == 1)
        seconds = sum(by for jumps in jumps_by_node.values() for _, by in jumps)
        sure = max(clock.error or 0.0 for clock in clocks.values()) < 1  # a jump that is told of is in no error
        right += named and abs(seconds) == pytest.approx(abs(by), abs=0.5) and (sure or abs(by) < 10)
        # Set back, the clock shows some moments twice; they are taken for the later ones.
        early = 0.0 if by > -cluster.end else None
        for true in (moment for moment in (early, 0.9 * cluster.end, cluster.end) if moment is not None):
            assert is_within(cluster, clocks, "n1", "n0", true)
    assert right >= 9  # a small one may drown in late lines; then the error covers it


def test_a_wrong_zone_is_told_from_a_wrong_clock() -> None:
    offsets = {"a": 5.5 * 3600, "b": -3600 + 2.5, "c": 347.0, "d": 0.3}
    clocks = align_clocks(
        Cluster((*offsets, "e", "f", "g"), offsets=offsets).readings(Random(1)), [*offsets, "e", "f", "g"]
    )
    assert "zone error of +5:30" in clocks["a"].method
    assert "zone error of -1:00" in clocks["b"].method
    assert not any("zone" in clocks[node].method for node in "cdefg")


def test_steps_that_nobody_passes_together_claim_no_accuracy() -> None:
    random = Random(5)
    pace = {"a": 1.0, "b": 1.7, "c": 2.9}
    readings = {
        f"step {step}": {
            node: EPOCH + step * seconds_per_step + random.gauss(0, 0.1) for node, seconds_per_step in pace.items()
        }
        for step in range(100)
    }
    clocks = align_clocks(readings, list(pace))
    for node, other in combinations(clocks, 2):  # in truth all clocks agree
        assert abs(clocks[node].offset - clocks[other].offset) <= (clocks[node].error or 0) + (clocks[other].error or 0)


def test_nodes_that_share_instants_only_among_themselves_are_not_placed_against_the_others() -> None:
    first, second = Cluster(("a", "b", "c")), Cluster(("x", "y"), offsets={"x": 900.0})
    readings = {**first.readings(Random(1)), **{f"other {k}": v for k, v in second.readings(Random(2)).items()}}
    clocks = align_clocks(readings, ["a", "b", "c", "x", "y"])
    assert max(clock.error or 0 for node, clock in clocks.items() if node in "abc") < 1
    assert min(clock.error or 0 for node, clock in clocks.items() if node in "xy") > 5
    assert clocks["x"].offset - clocks["y"].offset == pytest.approx(900, abs=0.2)


def test_a_lone_node_has_no_clock_to_compare() -> None:
    assert align_clocks({"step 1": {"a": 5.0}}, ["a", "b"]) == {}


def test_most_clocks_are_right_so_the_median_node_is_the_reference() -> None:
    readings = {f"step {i}": {"a": i, "b": i + 0.001, "c": i - 431.0} for i in range(20)}
    clocks = align_clocks(readings, ["a", "b", "c"])
    assert abs(clocks["a"].offset) < 0.01
    assert abs(clocks["c"].offset + 431.0) < 0.01


def test_a_clock_reads_what_it_corrects() -> None:
    clock = Clock(offset=40.0, drift=2e-4, reference_time=EPOCH + 500, jumps=((EPOCH + 100, 30.0),))
    for own in (EPOCH + 1, EPOCH + 99, EPOCH + 131, EPOCH + 10_000):
        assert clock.clock_reading(clock.correct(own)) == pytest.approx(own, abs=1e-6)
    assert clock.offset_at(EPOCH + 131) - clock.offset_at(EPOCH + 99) == pytest.approx(30, abs=1e-2)


def test_a_daemon_s_word_is_good_for_those_that_one_speaks_of() -> None:
    readings = Cluster(("a", "b")).readings(Random(1))
    ntp = NtpReport(2.0, 0.1, "chrony")
    alone = align_clocks(readings, ["a", "b", "c"], ntp_reports={"c": ntp})["c"]
    assert alone.offset == 2.0
    assert (alone.error or 0) > 5  # against UTC; how far the others are from that, nobody says
    anchored = align_clocks(readings, ["a", "b", "c"], ntp_reports={"c": ntp, "a": NtpReport(0.0, 0.1, "chrony")})["c"]
    assert anchored.error == pytest.approx(0.1)


@pytest.mark.parametrize("pace", [0.4, 2.5])
def test_steps_that_two_nodes_pass_at_paces_of_their_own_say_nothing_of_their_clocks(pace: float) -> None:
    """Two jobs, or two runs, have steps of the same numbers."""
    together = Cluster(("a", "b", "c"), noise=0.01, lost=0.0)
    readings = {
        f"step {step}": {node: together.shows(node, step * together.step) for node in together.nodes}
        | {"other": EPOCH + 900 + step * together.step * pace}
        for step in range(together.steps)
    }
    clocks = align_clocks(readings, [*together.nodes, "other"])
    assert clocks.keys() == set(together.nodes)
    assert all(abs(clock.offset) < 0.1 for clock in clocks.values())
    alone = {key: {node: times[node] for node in ("a", "other")} for key, times in readings.items()}
    assert not align_clocks(alone, ["a", "other"])
