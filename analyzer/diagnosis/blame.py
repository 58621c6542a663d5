"""Who names whom: the accusations of the survivors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from analyzer.facts.nodes import Registry
from analyzer.feeds import Feeds
from analyzer.incident import Accusation
from analyzer.model import Event

_BARE_TASK = re.compile(r"^\s*(/job:\w+/(?:replica:\d+/)?task:\d+)\s*$")
_RANKS = re.compile(r"\d{1,6}(?:-\d{1,6})?(?:[, ]+\d{1,6}(?:-\d{1,6})?)*[, ]*")
_MOST = 10_000  # members that one range of ranks may stand for
_NAMES = ("task", "peer_task", "address", "host", "peer", "rank")


@dataclass(frozen=True, slots=True)
class Blame:
    """Resolves what a line names to nodes; `feeds` tells which signals accuse."""

    registry: Registry
    feeds: Feeds

    def accused(self, event: Event) -> tuple[str, ...]:
        """Nodes that the event names as lost, late or odd: never its own node."""
        if not self.feeds.says("accuses", event):
            return ()
        return tuple(name for name in dict.fromkeys(self.named(event)) if name != event.node)

    def named(self, event: Event) -> Iterator[str]:
        """Whom the event names, its own node among them."""
        for text in filter(None, (event.captures.get(name) for name in _NAMES)):
            found = [node for member in _members(text) if (node := self.resolve(member))]
            if found:
                yield from found
                break  # a task and its address are one peer
        for line in event.block:
            if (bare := _BARE_TASK.match(line)) and (node := self.registry.task(bare[1])):
                yield node

    def resolve(self, text: str) -> str | None:
        if text.isdecimal():
            return self.registry.task(f"worker:{text}") or self.registry.by_rank.get(str(int(text)))
        exact = self.registry.by_host.get(text.lower())
        return exact or self.registry.task(text) or self.registry.address(text) or self.registry.host(text)


def _members(text: str) -> Iterator[str]:
    """`1, 3` and `0-2,5` name several ranks; anything else is one name."""
    if not _RANKS.fullmatch(text):
        yield text
        return
    for part in re.split(r"[, ]+", text.strip(", ")):
        first, _, last = part.partition("-")
        yield from map(str, range(int(first), min(int(last or first), int(first) + _MOST) + 1))


def settle(events: Iterable[Event], blame: Blame) -> Callable[[Event], bool]:
    """Tells accusations of being late or not yet there that are void: at a start all wait for all, then all come."""
    came: set[str] = set()
    arrived: set[str] = set()  # who reached whom it had called
    for event in events:
        if blame.feeds.says("reached", event):
            arrived.add(event.node)
            came.add(blame.resolve(event.captures.get("address", "")) or "")
        if blame.feeds.says("connected", event):
            task = event.captures.get("task")
            came.add((blame.registry.task(task) or "") if task else event.node)

    def is_settled(event: Event) -> bool:
        awaited = event.captures.get("until") == "reached"
        if event.captures.get("how") != "late" and not awaited:
            return False
        if awaited and event.node in arrived:
            return True
        awaited_ones = set(blame.named(event))  # a leader waits for its own task, too
        return bool(awaited_ones) and awaited_ones <= came

    return is_settled


def accusations(events: Iterable[Event], blame: Blame) -> list[Accusation]:
    return [Accusation(event.node, name, event) for event in events for name in blame.accused(event)]
