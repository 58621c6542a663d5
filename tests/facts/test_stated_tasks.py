"""Tasks that programs state in words of their own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from analyzer.facts.stated_tasks import note_stated_tasks
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.model import Kind
from analyzer.reading.source_result import SourceResult
from analyzer.reading.statements import Statement, read_numbers


def _tasks_of(texts: Sequence[str], known_tasks: frozenset[str] = frozenset()) -> list[str]:
    """What files that state one text each say of their tasks; the first has the tasks `known`."""
    results, identities = [], {}
    for number, text in enumerate(texts):
        file = f"n{number}.log"
        form, numbers = read_numbers(text)
        result = SourceResult(file)
        result.statements = [Statement(stream="", line=3, form=form, numbers=numbers, text=text)]
        results.append(result)
        tasks = known_tasks if number == 0 else frozenset()
        identities[file, ""] = StreamIdentity(file, "", Kind.WORKER, tasks=tasks)
    note_stated_tasks(results, identities)
    words = (identity.words_for_task for identity in identities.values())
    return [claim[0] if claim else "" for claim in words]


@pytest.mark.parametrize(
    ("texts", "tasks"),
    [
        (
            ["starting ps 0, tf 2.21", "starting worker 0, tf 2.21", "starting worker 1, tf 2.21"],
            "ps:0 worker:0 worker:1",
        ),
        (["rank=1 up after 12 s", "rank=0 up after 9 s"], "worker:1 worker:0"),
        (["hello from task id 0", "hello from task id 1"], ""),  # from another one, perhaps
        (["lost worker 1", "lost worker 0"], ""),
        (["shard for worker 0", "shard for worker 0"], ""),  # two say the same
        (["worker 1 ready", "worker 2 ready"], ""),  # nobody is the first
        (["worker 0 asks worker 1", "worker 1 asks worker 0"], ""),
        (["worker 0 ready", "trainer 1 is ready"], ""),  # in other words
    ],
)
def test_tasks_in_words_of_their_own(texts: list[str], tasks: str) -> None:
    assert list(filter(None, _tasks_of(texts))) == tasks.split()


def test_what_is_known_contradicts_the_words() -> None:
    texts = ["worker 0 ready", "worker 1 ready"]
    assert _tasks_of(texts, frozenset({"worker:0"})) == ["", "worker:1"]
    assert _tasks_of(texts, frozenset({"worker:1"})) == ["", ""]
