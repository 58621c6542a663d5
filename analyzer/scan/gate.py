"""Which few short texts tell that a line is worth a closer look.

An automaton of two thousand patterns runs at a third of the speed of one of some hundred: so patterns that hold a text
which is rare in ordinary logs wait until a *gate*, a text that several of them share, is seen in a line. Patterns
without one are always looked for. Choosing gates is a weighted set cover, solved greedily (Chvátal 1979).
"""

from __future__ import annotations

import functools
import hashlib
import heapq
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from analyzer.scan.widen import Widened

SHORTEST, LONGEST = 4, 8  # characters of a gate; the engine looks at no more than eight of a text at once
RARE = 10  # of 10,000 ordinary lines
DEAR = 3  # what each further one in 10,000 costs, in gates


class Gates:
    """The gates to those of the patterns that have them.

    `texts` are lower case and ASCII; every match of the patterns `behind` (indexes) holds one of them.
    """

    def __init__(self, behind: Iterable[int], wanted: Sequence[str], held: Mapping[str, Iterable[int]]) -> None:
        self.behind = frozenset(behind)
        self._wanted = wanted  # texts one of which stands in every match of a pattern
        self._held = {text: set(indexes) for text, indexes in held.items()}  # gate → indexes of those it stands for

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(self._held)

    @property
    def mark(self) -> str:
        """The same for the same gates: what was compiled for others must not be taken for them."""
        return hashlib.sha256(self.dump().encode()).hexdigest()[:16]

    def dump(self) -> str:
        """JSON, for `load_gates`."""
        held = {text: sorted(indexes) for text, indexes in self._held.items()}
        return json.dumps([sorted(self.behind), self._wanted, held])

    def refuse(self, texts: Sequence[str], ordinary: str) -> None:
        """Takes other gates for these, which turn out to be common here: such as do not stand in this `ordinary` text
        (lower case). They stay where there is no other.
        """
        held = [self._held.pop(text) for text in texts]
        instead = _cover(self._wanted, set().union(*held), ordinary)
        for text, indexes in (*zip(texts, held, strict=True), *instead.items()):
            left = indexes if text in instead else indexes.difference(*instead.values())
            if left:
                self._held.setdefault(text, set()).update(left)


def choose_gates(widened: Sequence[Widened]) -> Gates:
    behind = [index for index, one in enumerate(widened) if one.literals and all(map(_tells, one.literals))]
    wanted = sorted({literal for index in behind for literal in widened[index].literals})
    return Gates(behind, wanted, _cover(wanted, range(len(wanted)), ""))


def load_gates(text: str) -> Gates:
    return Gates(*json.loads(text))


def _tells(literal: str) -> bool:
    return any(True for _ in _candidates(literal))


def _candidates(literal: str) -> Iterator[str]:
    """Its parts that are rare."""
    for size in range(SHORTEST, LONGEST + 1):
        for at in range(len(literal) - size + 1):
            part = literal[at : at + size]
            if part.isprintable() and _frequency(part) <= RARE:
                yield part


def _cover(wanted: Sequence[str], these: Iterable[int], ordinary: str) -> dict[str, set[int]]:
    """Few and rare parts, one of which stands in each of `these` of `wanted` that has any; and in which each does."""
    holders: dict[str, set[int]] = defaultdict(set)
    for index in these:
        for part in (*_candidates(wanted[index]), wanted[index]):
            holders[part].add(index)
    for part in [part for part in holders if part in ordinary]:
        del holders[part]
    left = set().union(*holders.values())
    heap = [(_price(part, len(held)), part) for part, held in holders.items()]
    heapq.heapify(heap)
    chosen: dict[str, set[int]] = {}
    while left:
        price, part = heapq.heappop(heap)
        if not (held := holders[part] & left):
            continue
        if (now := _price(part, len(held))) > price and heap and now > heap[0][0]:
            heapq.heappush(heap, (now, part))  # others took some of what it held
            continue
        chosen[part] = held
        left -= held
    return chosen


def _price(part: str, held: int) -> float:
    """For each literal that it holds; of equals the longer one."""
    return (1 + DEAR * _frequency(part)) / held - len(part) * 1e-6


@functools.lru_cache(maxsize=1 << 18)
def _frequency(part: str) -> int:
    """An upper bound of the ordinary lines in 10,000 that hold it: those that hold its rarest four characters."""
    common = _common()
    return min(common.get(part[at : at + 4], 0) for at in range(len(part) - 3))


@functools.cache
def _common() -> dict[str, int]:
    lines: Iterable[str] = (Path(__file__).parent / "common.txt").read_text("ascii").splitlines()
    return {gram: int(count) for count, gram in (line.split("\t", 1) for line in lines if line[:1] != "#")}
