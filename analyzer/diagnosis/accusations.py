"""Who names whom: the accusations of the survivors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from analyzer.facts.registry import Registry
from analyzer.incident import Accusation
from analyzer.model import Event
from analyzer.signal_semantics import SignalSemantics

_BARE_TASK_LINE = re.compile(r"^\s*(/job:\w+/(?:replica:\d+/)?task:\d+)\s*$")
_RANK_LIST = re.compile(r"\d{1,6}(?:-\d{1,6})?(?:[, ]+\d{1,6}(?:-\d{1,6})?)*[, ]*")
_MAX_RANGE_MEMBERS = 10_000  # members that one range of ranks may stand for
_PEER_CAPTURES = ("task", "peer_task", "address", "host", "peer", "rank")


@dataclass(frozen=True, slots=True)
class PeerResolver:
    """Resolves what a line names to nodes; `feeds` tells which signals accuse."""

    registry: Registry
    semantics: SignalSemantics

    def accused(self, event: Event) -> tuple[str, ...]:
        """Nodes that the event names as lost, late or odd: never its own node."""
        if not self.semantics.has_meaning("accuses", event):
            return ()
        return tuple(node for node in dict.fromkeys(self.named_nodes(event)) if node != event.node)

    def named_nodes(self, event: Event) -> Iterator[str]:
        """Whom the event names, its own node among them."""
        for captured in filter(None, (event.captures.get(name) for name in _PEER_CAPTURES)):
            nodes = [node for member in _split_members(captured) if (node := self.resolve(member))]
            if nodes:
                yield from nodes
                break  # a task and its address are one peer
        for line in event.block:
            if (task_line := _BARE_TASK_LINE.match(line)) and (node := self.registry.node_of_task(task_line[1])):
                yield node

    def resolve(self, text: str) -> str | None:
        if text.isdecimal():
            return self.registry.node_of_task(f"worker:{text}") or self.registry.by_rank.get(str(int(text)))
        host_match = self.registry.by_host.get(text.lower())
        return (
            host_match
            or self.registry.node_of_task(text)
            or self.registry.node_of_address(text)
            or self.registry.node_of_host(text)
        )


def _split_members(text: str) -> Iterator[str]:
    """`1, 3` and `0-2,5` name several ranks; anything else is one name."""
    if not _RANK_LIST.fullmatch(text):
        yield text
        return
    for part in re.split(r"[, ]+", text.strip(", ")):
        first, _, last = part.partition("-")
        yield from map(str, range(int(first), min(int(last or first), int(first) + _MAX_RANGE_MEMBERS) + 1))


def make_void_test(events: Iterable[Event], resolver: PeerResolver) -> Callable[[Event], bool]:
    """Tells accusations of being late or not yet there that are void: at a start all wait for all, then all come."""
    joined: set[str] = set()
    reached_their_peer: set[str] = set()  # who reached whom it had called
    for event in events:
        if resolver.semantics.has_meaning("reached", event):
            reached_their_peer.add(event.node)
            joined.add(resolver.resolve(event.captures.get("address", "")) or "")
        if resolver.semantics.has_meaning("connected", event):
            task = event.captures.get("task")
            joined.add((resolver.registry.node_of_task(task) or "") if task else event.node)

    def is_settled(event: Event) -> bool:
        awaited = event.captures.get("until") == "reached"
        if event.captures.get("how") != "late" and not awaited:
            return False
        if awaited and event.node in reached_their_peer:
            return True
        awaited_ones = set(resolver.named_nodes(event))  # a leader waits for its own task, too
        return bool(awaited_ones) and awaited_ones <= joined

    return is_settled


def collect_accusations(events: Iterable[Event], resolver: PeerResolver) -> list[Accusation]:
    return [Accusation(event.node, accused, event) for event in events for accused in resolver.accused(event)]
