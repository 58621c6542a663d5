"""What is kept of all sources together is bounded, and does not depend on who read them in which order."""

from __future__ import annotations

import copy
import random
from collections import Counter
from pathlib import Path

import pytest

from analyzer.bundle import InputFile
from analyzer.engine import event_budget
from analyzer.engine.event_budget import EventBudget
from analyzer.engine.ingest import IngestResult
from analyzer.engine.merge import merge_shards
from analyzer.engine.parts import Part
from analyzer.engine.processes import _PartResults
from analyzer.engine.shards import Shard
from analyzer.model import Basis, Event, Locus, Stamp
from analyzer.reading.source_result import SourceResult

NAMES, ERRORS = frozenset({"who"}), frozenset({"loud"})
SIGNALS = ("step", "loud", "who", "trace")


def source(number: int, events: int, chance: random.Random) -> SourceResult:
    result = SourceResult(f"node-{number}/worker.log", lines=events)
    for line in range(1, events + 1):
        signal = chance.choice(SIGNALS)
        text = f"{signal} {chance.choice(['alpha', 'beta', 'gamma delta', 'omega'])} {line}"
        result.events.append(Event(signal, Locus(result.file, line), text))
        result.stamps.append((Stamp(chance.random() * 1e9, Basis.UTC),))
        result.counts[signal, ""] += 1
        result.context[line] = (line, (text,))
    result.streams[""] = events
    return result


def sources(count: int, most: int, seed: int) -> list[SourceResult]:
    chance = random.Random(seed)
    return [source(number, chance.randrange(most + 1), chance) for number in range(count)]


def read(results: list[SourceResult]) -> IngestResult:
    intake = IngestResult(event_budget=EventBudget(NAMES, ERRORS))
    for result in copy.deepcopy(results):
        intake.add_source(result)
    return intake


def summary(intake: IngestResult) -> dict[str, tuple[object, ...]]:
    return {
        result.file: (list(result.events), list(result.stamps), dict(result.context), dict(result.counts))
        for result in intake.results
    }


@pytest.mark.parametrize(("count", "most"), [(10, 400), (60, 300), (400, 40), (1500, 3)])
@pytest.mark.parametrize("space", [300, 1000])
def test_the_number_and_order_of_readers_do_not_matter(
    count: int, most: int, space: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_budget, "MAX_EVENTS", space)
    monkeypatch.setattr(event_budget, "EVENT_SLACK", space // 4)
    results = sources(count, most, seed=count + space)
    alone = read(results)
    alone.finish()
    for parts in (2, 7):
        merged = IngestResult(event_budget=EventBudget(NAMES, ERRORS))
        for part in range(parts):
            merged.merge(read(results[count * part // parts : count * (part + 1) // parts]))
        merged.finish()
        assert summary(merged) == summary(alone)
        assert merged.notes == alone.notes


@pytest.mark.parametrize(("count", "most"), [(60, 300), (1500, 3)])
def test_what_is_kept_is_bounded_and_counts_stay_exact(count: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_budget, "MAX_EVENTS", 500)
    monkeypatch.setattr(event_budget, "EVENT_SLACK", 100)
    results = sources(count, most, seed=3)
    intake = read(results)
    essential = event_budget.ESSENTIAL_PER_KIND * count
    assert sum(len(result.events) for result in intake.results) <= 600 + essential
    intake.finish()
    kept = [event for result in intake.results for event in result.events]
    others = [event for event in kept if event.signal != "who"]
    who = sum(event.signal == "who" for event in kept)
    assert len(others) <= 500 and who <= essential
    assert sum((result.counts for result in intake.results), Counter[tuple[str, str]]()) == sum(
        (result.counts for result in results), Counter[tuple[str, str]]()
    )
    assert {result.file for result in results if result.counts["who", ""]} == {
        event.locus.file for event in kept if event.signal == "who"
    }, "who somebody is, is never left out"
    assert len(intake.notes) == 1 and "there are too many events" in intake.notes[0]


def test_what_each_node_is_judged_by_is_kept_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first and the last event of essential signals, and what a node wrote last."""
    monkeypatch.setattr(event_budget, "MAX_EVENTS", 50)
    monkeypatch.setattr(event_budget, "EVENT_SLACK", 10)
    results = sources(200, 40, seed=4)
    intake = read(results)
    intake.finish()
    for result, kept in zip(results, intake.results, strict=True):
        own = [event for event in result.events if event.signal == "who"]
        assert {event.locus.line for event in [*own[:1], *own[-1:]]} <= {event.locus.line for event in kept.events}
        assert result.lines in kept.context or not result.lines


def test_a_few_sources_lose_nothing() -> None:
    results = sources(20, 100, seed=1)
    intake = read(results)
    intake.finish()
    assert summary(intake) == summary(read(results))
    assert [list(result.events) for result in intake.results] == [result.events for result in results]
    assert not intake.notes


def test_a_new_kind_of_error_among_many_old_ones_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_budget, "MAX_EVENTS", 120)
    monkeypatch.setattr(event_budget, "EVENT_SLACK", 10)
    result = SourceResult("n/a.log")
    for line in range(1, 151):
        text = "quite another thing" if line == 75 else f"always the same {line}"
        result.events.append(Event("loud", Locus(result.file, line), text))
        result.stamps.append(())
    intake = read([result])
    assert any(event.text == "quite another thing" for event in next(iter(intake.results)).events)
    assert len(next(iter(intake.results)).events) <= 120


def test_one_reader_that_had_no_room_is_told_where_all_together_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a part alone was too much for is left out, and said, however few the others say."""
    monkeypatch.setattr(event_budget, "MAX_EVENTS", 300)
    monkeypatch.setattr(event_budget, "EVENT_SLACK", 10)
    chance = random.Random(5)
    results = [source(0, 30, chance), source(1, 400, chance), source(2, 20, chance)]
    alone = read(results)
    alone.finish()
    merged = IngestResult(event_budget=EventBudget(NAMES, ERRORS))
    for result in results:
        merged.merge(read([result]))
    merged.finish()
    assert alone.notes and merged.notes == alone.notes
    assert summary(merged) == summary(alone)


@pytest.mark.parametrize("walkers", [1, 4])
def test_what_waits_for_others_is_bounded_and_the_same_in_the_end(
    monkeypatch: pytest.MonkeyPatch, walkers: int
) -> None:
    """Of 40 parts, or of ten archives each of which has four walkers, in whatever order they come."""
    monkeypatch.setattr(event_budget, "MAX_EVENTS", 300)
    monkeypatch.setattr(event_budget, "EVENT_SLACK", 50)
    results = sources(40, 60, seed=9)
    alone = read(results)
    alone.finish()
    archives = [(InputFile(Path(f"{number}.tar"), "", ""),) for number in range(40 // walkers)]
    parts = [Part(items, 1, Shard(number, walkers)) for items in archives for number in range(walkers)]
    part_results = _PartResults(parts, EventBudget(NAMES, ERRORS))
    order = list(range(40))
    random.Random(1).shuffle(order)
    for index in order:
        archive, walker = divmod(index, walkers)
        intake = read([results[archive * walkers + walkers - 1 - walker]])
        intake.walk_log.positions.append(walkers - 1 - walker)  # the last walker has the first file
        part_results.add(index, intake)
        waiting = sum(len(result.events) for intake in part_results.results.values() for result in intake.results)
        assert waiting <= 350 + event_budget.ESSENTIAL_PER_KIND * len(results)
    merged = IngestResult(event_budget=EventBudget(NAMES, ERRORS))
    for intake in merge_shards(parts, part_results.results):
        merged.merge(intake)
    merged.finish()
    assert summary(merged) == summary(alone)
    assert merged.notes == alone.notes
