"""The account of what was read is exact: nothing of any collector's files that was read is said to be unread."""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
import random

import pytest
from accuracy.collectors import Files, load_collectors
from accuracy.identities import Identities
from builtin_rules import builtin_packs

from analyzer.facts.coverage_gaps import describe_coverage_gaps
from analyzer.formats.unwrap import choose_unwrapper
from analyzer.reading import ReadPlan, build_plan, read_source
from tests.accuracy.tiny import tiny_run

COLLECTORS = load_collectors()
TERMINALS = {"tmux-pipe-pane"}  # copies of what stood on a screen: their last line has no end
NOTES_OF_UNREAD = ("not log records", "not valid JSON", "could not be read")


@pytest.fixture(scope="module")
def plan() -> ReadPlan:
    return build_plan(builtin_packs())


def render(name: str) -> Files:
    """Return the files of a run whose lines are all whole."""
    run = dataclasses.replace(tiny_run(), lines=tuple(line._replace(is_complete=True) for line in tiny_run().lines))
    return COLLECTORS[name].render(run, Identities(run), random.Random(0))


@pytest.mark.parametrize("name", COLLECTORS)
def test_all_bytes_of_a_collector_s_files_are_read(name: str, plan: ReadPlan) -> None:
    for file, content in render(name).items():
        content = gzip.decompress(content) if file.endswith(".gz") else content
        result = read_source(file, io.BytesIO(content), plan)
        assert (result.problem, result.unread) == (None, 0)
        assert result.bytes == len(content)
        assert [note for note in result.notes if any(text in note for text in NOTES_OF_UNREAD)] == []
        if name not in TERMINALS:
            assert not result.ends_mid_line or result.lines == 1, file


@pytest.mark.parametrize("name", COLLECTORS)
def test_records_with_an_empty_message_are_read(name: str) -> None:
    """Lines between records of others would be continued by what is written as plain text."""
    for content in render(name).values():
        if (unwrapper := choose_unwrapper(content[:65536])) is None or "json" not in unwrapper.name:
            continue
        plain = (unwrapper.feed(content) + unwrapper.finish()).decode("utf-8", "replace")
        assert [line for line in plain.splitlines() if line.startswith("{")] == []


RECORDS = [
    {"timestamp": f"2026-11-21T05:10:{second}Z", "message": "m" if second % 2 else ""} for second in range(10, 40)
]
DOCUMENTS = {
    "document": json.dumps({"events": RECORDS}),
    "pretty": json.dumps(RECORDS, indent=2),
    "lines": "\n".join(map(json.dumps, RECORDS)),
    "table": "timestamp,message\n" + "\n".join(f"{record['timestamp']},{record['message']}" for record in RECORDS),
    "settings": json.dumps({f"key {number}": number for number in range(40)}, indent=2),
}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("is_cut", [False, True])
def test_a_document_ends_in_mid_line_only_if_it_is_cut(name: str, is_cut: bool, plan: ReadPlan) -> None:
    content = DOCUMENTS[name].encode()
    result = read_source("log.json", io.BytesIO(content[:-7] if is_cut else content), plan)
    assert result.ends_mid_line == is_cut
    assert bool(list(describe_coverage_gaps([result]))) == (is_cut and result.lines > 20 and result.kind != "unknown")
