"""Offsets are found within their stated error on synthetic skews."""

import random

from analyzer.timeline.clocks import align


def skewed(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Readings of synchronous steps by clocks up to an hour off, with jitter, lost steps and a straggler's
    logging delay.
    """
    rng = random.Random(seed)
    nodes = [f"n{i}" for i in range(rng.randint(2, 12))]
    offsets = {node: 0.0 if rng.random() < 0.6 else rng.uniform(-3600, 3600) for node in nodes}
    noise = rng.choice([0.002, 0.02, 0.2])
    readings: dict[str, dict[str, float]] = {}
    for step in range(rng.randint(8, 60)):
        true = 1_700_000_000 + step * 1.7
        readings[f"step {step}"] = {
            node: true + offsets[node] + rng.gauss(0, noise) + (rng.expovariate(1) if rng.random() < 0.05 else 0)
            for node in nodes
            if rng.random() > 0.2
        }
    return readings, offsets


def test_true_offsets_lie_within_the_stated_error_in_95_percent_of_runs() -> None:
    good = total = 0
    for seed in range(200):
        readings, offsets = skewed(seed)
        clocks = align(readings, list(offsets))
        for one in clocks:
            for other in clocks:
                if one < other:
                    difference = clocks[one].offset - clocks[other].offset
                    slack = (clocks[one].error or 0) + (clocks[other].error or 0)
                    total += 1
                    good += abs(difference - (offsets[one] - offsets[other])) <= slack
    assert total > 1000
    assert good / total >= 0.95


def test_a_lone_node_has_no_clock_to_compare() -> None:
    assert align({"step 1": {"a": 5.0}}, ["a", "b"]) == {}


def test_most_clocks_are_right_so_the_median_node_is_the_reference() -> None:
    readings = {f"step {i}": {"a": i, "b": i + 0.001, "c": i - 431.0} for i in range(20)}
    clocks = align(readings, ["a", "b", "c"])
    assert abs(clocks["a"].offset) < 0.01
    assert abs(clocks["c"].offset + 431.0) < 0.01
