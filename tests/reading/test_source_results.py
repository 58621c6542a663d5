"""Sources without events are stored as rows, and iteration yields what was put in."""

import copy
import pickle
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.model import Basis, Event, Kind, Locus, Stamp
from analyzer.reading import source_results as module
from analyzer.reading.source_result import SourceResult
from analyzer.reading.source_results import SourceResults

STAMPS = st.lists(st.builds(Stamp, st.floats(-1e9, 4e9), st.sampled_from(Basis)), max_size=3).map(tuple)
COUNTS = st.dictionaries(st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["", "r0"])), st.integers(1, 9))


@st.composite
def sources(draw: st.DrawFn) -> SourceResult:
    result = SourceResult(
        draw(st.text(max_size=5)),
        draw(st.sampled_from(Kind)),
        draw(st.none() | st.floats(0, 4e9)),
        bytes=draw(st.integers(0, 1 << 60)),
        lines=draw(st.integers(0, 1 << 60)),
        timed_lines=draw(st.integers(0, 9)),
        status=draw(st.sampled_from(["read", "not-understood"])),
        ends_mid_line=draw(st.booleans()),
        first_stamps=draw(STAMPS),
        last_stamps=draw(STAMPS),
        unread=draw(st.sampled_from([0, 0, 0, 5, None])),
        problem=draw(st.sampled_from([None, None, "it broke"])),
        counts=Counter(draw(COUNTS)),
        shapes=draw(COUNTS),
        streams=Counter(draw(st.lists(st.sampled_from(["", "r0", "r1"]), max_size=2))),
        hosts=Counter(draw(st.lists(st.sampled_from(["n1", "n2"]), max_size=2))),
        zones=draw(st.sampled_from([[], [(3600.0, 0.0)] * 5])),
        boot_time=draw(st.sampled_from([None, None, 5.0])),
    )
    result.stream_hosts = {stream: frozenset(result.hosts) for stream in result.streams}
    if draw(st.booleans()):
        result.events, result.stamps = [Event("a", Locus(result.file, 1), "text")], [()]
    result.compact()
    return result


@given(st.lists(sources(), max_size=12))
def test_what_is_put_in_comes_out_in_the_same_order(given_ones: list[SourceResult]) -> None:
    before = copy.deepcopy(given_ones)
    kept = SourceResults(given_ones)
    for results in (kept, pickle.loads(pickle.dumps(kept)), SourceResults(kept)):
        assert list(results) == before
        assert list(results.files()) == [result.file for result in before]
        assert len(results) == len(before)


def test_a_source_that_lost_its_events_becomes_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MIN_SOURCES_TO_COMPACT", 10)
    kept = SourceResults()
    for number in range(20):
        result = SourceResult(f"{number}.log", streams=Counter([""]), lines=number)
        result.events, result.stamps = [Event("a", Locus(result.file, 1), "text")], [()]
        result.compact()
        assert kept.append(result)
    for result in kept.with_events[5:]:
        result.events, result.stamps = [], []
        result.compact()
    kept.compact()
    assert [event.file for event in kept.with_events] == [f"{number}.log" for number in range(5)]
    assert [row.lines for row in kept] == list(range(20))


def test_a_row_has_every_attribute_of_a_source_and_none_can_be_set() -> None:
    source = SourceResult(
        "a.log", Kind.WORKER, 5.0, lines=3, streams=Counter([""]), first_stamps=(Stamp(1.0, Basis.UTC),)
    )
    source.compact()
    [row] = SourceResults([source])
    assert type(row) is not SourceResult
    assert row == source
    assert row.is_eventless
    assert row.last_stamps_of("") == source.last_stamps_of("")
    for name in SourceResult.__dataclass_fields__:
        with pytest.raises(AttributeError):
            setattr(row, name, getattr(source, name))
