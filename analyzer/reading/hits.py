"""What a signal's confirmed hits are until they are worth making events of them, and how many of them are kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from analyzer.model import Event, Kind, Line, Locus, Raised, Severity, Stamp
from analyzer.reading.blocks import block_limit, fill_captures, holds_all, take_block
from analyzer.reading.plan import Ready

FIRST = 100  # events of one signal and stream that are kept from the front
LAST = 50  # and from the end


class Hit(NamedTuple):
    """A confirmed hit: what an event is made of."""

    ready: Ready
    number: int
    text: str
    line: Line
    found: dict[str, str]
    block: tuple[str, ...]
    stamps: tuple[Stamp, ...]
    inferred: bool
    places: tuple[int, ...] = ()  # of a traceback's lines: how many lines behind its first


@dataclass(slots=True)
class Kept:
    """The hits of one signal and stream: a front, a ring of the latest, and the first of each new shape between."""

    front: list[Hit] = field(default_factory=list)
    rare: list[Hit] = field(default_factory=list)
    back: deque[Hit] = field(default_factory=deque)

    def __len__(self) -> int:
        return len(self.front) + len(self.rare) + len(self.back)

    def shorten(self, first: int, last: int) -> None:
        """To a front and a back of so many at most."""
        rest = [*self.front[first:], *self.back]
        self.front, self.back = self.front[:first], deque(rest[max(0, len(rest) - last) :])


def confirm(ready: Ready, text: str, message: str, seen: Container[int] | None = None) -> dict[str, str] | None:
    """The captures of the first pattern, of those `seen`, that matches the whole segment or the message alone."""
    for place, pattern in enumerate(ready.match):
        if seen is not None and place not in seen:
            continue
        if found := ready.search(pattern, text) or ready.search(pattern, message):
            return {name: value for name, value in found.groupdict().items() if value is not None}
    return None


def read_block(ready: Ready, text: str, line: Line, following: Iterable[Line]) -> tuple[str, ...] | None:
    """What belongs to the hit behind its line; None where that, or the line, says that it is no hit."""
    limit = block_limit(ready.signal)
    block = take_block(following, ready, limit, line) if limit else ()
    if ready.signal.contains and not holds_all(ready.signal.contains, text, block):
        return None
    return None if refuses(ready, (text, *block)) else block


def refuses(ready: Ready, parts: Sequence[str]) -> bool:
    """Whether one of these texts says that the line is no hit after all."""
    for sought in ready.not_match:
        for part in parts:
            if ready.search_rare(sought, part):
                return True
    return False


def make_event(hit: Hit, file: str, kind: Kind, tables: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Event:
    signal, line = hit.ready.signal, hit.line
    captures = fill_captures(hit.ready, hit.found, line.message, hit.text, hit.block, tables)
    return Event(
        signal=signal.name,
        locus=Locus(file, hit.number),
        text=hit.text.strip("\r\n"),
        inferred=hit.inferred,
        severity=signal.severity if signal.severity is not None else line.severity or Severity.INFO,
        kind=line.kind or kind,
        stream=line.stream,
        host=line.host,
        pid=line.pid,
        tid=line.tid,
        captures=captures,
        block=hit.block,
        raised=_find_raised(hit, captures.get("exception")) if hit.places else None,
    )


def _find_raised(hit: Hit, exception: str | None) -> Raised | None:
    """The last exception of a traceback: what ended the program."""
    for place, text in zip(reversed(hit.places), reversed(hit.block), strict=True):
        if exception and (text == exception or text.startswith(f"{exception}:")):
            return Raised(hit.number + place, text)
    return None
