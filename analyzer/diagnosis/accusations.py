"""Accusations: which node reports which other node as lost, late or odd."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

from analyzer.facts.array_tasks import ARRAY_INDEX_CAPTURE
from analyzer.facts.registry import Registry
from analyzer.incident import Accusation
from analyzer.model import Event
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.precedence import Order, compare_lines
from analyzer.untrusted.numbers import read_whole

_BARE_TASK_LINE = re.compile(r"^\s*(/job:\w+/(?:replica:\d+/)?task:\d+)\s*$")
_RANK_LIST = re.compile(r"\d{1,6}(?:-\d{1,6})?(?:[, ]+\d{1,6}(?:-\d{1,6})?)*[, ]*")
_MAX_MEMBERS = 10_000  # of one list of ranks: a range of nine characters may stand for a million
_PEER_CAPTURES = ("task", "peer_task", "address", "host", "peer", "rank")


@dataclass(frozen=True, slots=True)
class PeerResolver:
    """Turns the tasks, addresses, hosts and ranks that a line names into nodes."""

    registry: Registry
    semantics: SignalSemantics

    def accused(self, event: Event) -> tuple[str, ...]:
        """Return the nodes that the event reports as lost, late or odd, except its own."""
        if not self.semantics.has_meaning("accuses", event):
            return ()
        return tuple(node for node in dict.fromkeys(self.named_nodes(event)) if node != event.node)

    def named_nodes(self, event: Event) -> Iterator[str]:
        """Yield the nodes that the event names; its own may be among them."""
        for captured in filter(None, (event.captures.get(name) for name in _PEER_CAPTURES)):
            members = islice(_split_members(captured), _MAX_MEMBERS)
            nodes = [node for member in members if (node := self.resolve(member))]
            if nodes:
                yield from nodes
                break  # a task and its address are one peer
        if (index := read_whole(event.captures.get(ARRAY_INDEX_CAPTURE))) is not None:
            yield from filter(None, (self.registry.by_array_index.get(index),))
        for line in event.block:
            if (task_line := _BARE_TASK_LINE.match(line)) and (node := self.registry.node_of_task(task_line[1])):
                yield node

    def resolve(self, text: str) -> str | None:
        """Return the node of a task, address, host name or rank; None if it is unknown."""
        if text.isdecimal():
            return self.registry.node_of_task(f"worker:{text}") or self.registry.by_rank.get(str(read_whole(text)))
        host_match = self.registry.by_host.get(text.lower())
        return (
            host_match
            or self.registry.node_of_task(text)
            or self.registry.node_of_address(text)
            or self.registry.node_of_host(text)
        )


def _split_members(text: str) -> Iterator[str]:
    """Yield the ranks of `1, 3` and `0-2,5`; anything else is one name."""
    if not _RANK_LIST.fullmatch(text):
        yield text
        return
    for part in re.split(r"[, ]+", text.strip(", ")):
        first, _, last = part.partition("-")
        yield from map(str, range(int(first), int(last or first) + 1))


def make_void_test(events: Iterable[Event], resolver: PeerResolver) -> Callable[[Event], bool]:
    """Return a predicate for accusations of being late that later events make void.

    When a job starts, all tasks log that they wait for each other, and then all of them join. In a later attempt of the
    job they wait again.
    """
    joined: dict[str, dict[str, Event]] = defaultdict(dict)  # node → file → its last line that says so
    reached_their_peer: set[str] = set()  # nodes that reached the peer they had called
    for event in events:
        if resolver.semantics.has_meaning("reached", event):
            reached_their_peer.add(event.node)
            _note_last(joined[resolver.resolve(event.captures.get("address", "")) or ""], event)
        if resolver.semantics.has_meaning("connected", event):
            task = event.captures.get("task")
            _note_last(joined[(resolver.registry.node_of_task(task) or "") if task else event.node], event)

    def is_void(event: Event) -> bool:
        awaited = event.captures.get("until") == "reached"
        if event.captures.get("how") != "late" and not awaited:
            return False
        if awaited and event.node in reached_their_peer:
            return True
        awaited_nodes = set(resolver.named_nodes(event))  # a leader waits for its own task, too
        return bool(awaited_nodes) and all(map(partial(_joins_after, event), awaited_nodes))

    def _joins_after(event: Event, node: str) -> bool:
        last_joins = joined.get(node, {})
        own = last_joins.get(event.locus.file)
        if own is None:
            return bool(last_joins)  # lines of two files are in no known order
        return len(last_joins) > 1 or compare_lines(own, event) is not Order.BEFORE

    return is_void


def _note_last(by_file: dict[str, Event], event: Event) -> None:
    latest = by_file.get(event.locus.file)
    if latest is None or compare_lines(latest, event) is Order.BEFORE:
        by_file[event.locus.file] = event


def collect_accusations(events: Iterable[Event], resolver: PeerResolver) -> list[Accusation]:
    """Return one accusation for each node that each event accuses."""
    return [Accusation(event.node, accused, event) for event in events for accused in resolver.accused(event)]
