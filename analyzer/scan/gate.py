"""Which few short texts tell that a line is worth a closer look.

An automaton of two thousand patterns runs at a fifth of the speed of one that looks for a thousand short texts: so
patterns that hold a text which is rare in ordinary logs wait until a *gate*, a text that several of them share, is seen
in a line. Patterns without one are *direct*: always looked for. Choosing gates is a weighted set cover, solved greedily
(Chvátal 1979).
"""

from __future__ import annotations

import functools
import heapq
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from analyzer.scan.frequency import SIZES, frequency
from analyzer.scan.required import DEAR, Texts
from analyzer.scan.widen import widen

SHORTEST, LONGEST = (
    min(SIZES),
    max(SIZES),
)  # characters of a gate; the engine looks at no more than eight of a text at once
RARE = 30  # of 10,000 ordinary lines
WORN = 2
Usable = Callable[[str], bool]


class Gates:
    """`texts` are lower case, a character for each byte; every match of a pattern that is not `direct` (by index) holds
    one of them.

    `behind` are the patterns that had a gate at first: those that lost it since are direct and still among them.
    """

    def __init__(
        self,
        patterns: Sequence[str],
        wanted: Mapping[int, Collection[str]],
        opened: Mapping[str, str],
        refused: Iterable[str] = (),
        behind: Iterable[int] = (),
    ) -> None:
        self._patterns = patterns
        self._wanted = dict(wanted)  # one of them is in every match …
        self._opened = dict(opened)  # … and in each of them its gate
        self._refused = set(refused)
        self.behind = tuple(behind)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(sorted(set(self._opened.values())))

    @property
    def direct(self) -> tuple[int, ...]:
        return tuple(index for index in range(len(self._patterns)) if index not in self._wanted)

    @property
    def worn(self) -> bool:
        """Whether more patterns lost their gates than had none at first: they cost other logs too much to be kept."""
        return len(self.direct) > WORN * (len(self._patterns) - len(self.behind) + 1)

    def dump(self) -> str:
        """One line of JSON, for `load_gates`."""
        wanted = {index: sorted(texts) for index, texts in self._wanted.items()}
        return json.dumps([wanted, self._opened, sorted(self._refused), self.behind])

    def refuse(self, texts: Iterable[str], ordinary: str) -> None:
        """Does without these gates, which turn out to be common here.

        Their patterns wait behind texts that do not stand in this `ordinary` text (lower case); those that have none
        become direct.
        """
        self._refused.update(texts)
        shut = {text for text, gate in self._opened.items() if gate in self._refused}
        lost = [index for index, texts in self._wanted.items() if not shut.isdisjoint(texts)]

        grams = {ordinary[at : at + SHORTEST] for at in range(len(ordinary) - SHORTEST + 1)}

        def usable(part: str) -> bool:
            if part in self._refused:
                return False
            rare = any(part[at : at + SHORTEST] not in grams for at in range(len(part) - SHORTEST + 1))
            return rare or part not in ordinary

        self._choose(lost, usable)

    def _choose(self, indexes: Iterable[int], usable: Usable) -> None:
        for index in indexes:
            self._wanted.pop(index, None)
            if texts := _easiest(widen(self._patterns[index]).required, usable):
                self._wanted[index] = texts
        wanted = frozenset[str]().union(*self._wanted.values())
        kept = {text: gate for text, gate in self._opened.items() if text in wanted and gate not in self._refused}
        self._opened = kept | _cover(sorted(wanted - kept.keys()), usable)


def choose_gates(patterns: Sequence[str]) -> Gates:
    gates = Gates(patterns, {}, {})
    gates._choose(range(len(patterns)), lambda part: True)
    gates.behind = tuple(gates._wanted)
    return gates


def load_gates(patterns: Sequence[str], text: str) -> Gates:
    """Gates that `dump` wrote for the same patterns."""
    wanted, *rest = json.loads(text)
    return Gates(patterns, {int(index): texts for index, texts in wanted.items()}, *rest)


def _easiest(sets: Iterable[Texts], usable: Usable) -> Texts | None:
    """The set that is cheapest to look for, of equals one of long texts; None if none of them is rare."""
    priced = (
        (price, -min(map(len, texts)), sorted(texts))
        for texts in sets
        if (price := _price_of_all(texts, usable)) is not None
    )
    best = min(priced, default=None)
    return frozenset(best[-1]) if best else None


def _price_of_all(texts: Texts, usable: Usable) -> int | None:
    price = 0
    for text in texts:
        part = next(filter(usable, _parts(text)), None)
        if part is None:
            return None
        price += 1 + DEAR * frequency(part)
    return price


@functools.lru_cache(maxsize=1 << 14)
def _parts(text: str) -> tuple[str, ...]:
    """Its parts that are rare, the rarest first."""
    parts = (text[at : at + size] for size in range(LONGEST, SHORTEST - 1, -1) for at in range(len(text) - size + 1))
    return tuple(sorted((part for part in parts if part.isprintable() and frequency(part) <= RARE), key=frequency))


def _cover(wanted: Sequence[str], usable: Usable) -> dict[str, str]:
    """For each of `wanted` a rare part of it, few and rare in all."""
    holders: dict[str, set[str]] = defaultdict(set)
    for text in wanted:
        for part in _parts(text):
            if usable(part):
                holders[part].add(text)
    heap = [(_price(part, len(held)), part) for part, held in holders.items()]
    heapq.heapify(heap)
    left = set(wanted)
    chosen: dict[str, str] = {}
    while left:
        price, part = heapq.heappop(heap)
        if not (held := holders[part] & left):
            continue
        if (now := _price(part, len(held))) > price and heap and now > heap[0][0]:
            heapq.heappush(heap, (now, part))  # others took some of what it held
            continue
        chosen |= dict.fromkeys(held, part)
        left -= held
    return chosen


def _price(part: str, held: int) -> float:
    """For each text that it stands in; of equals the longer one."""
    return (1 + DEAR * frequency(part)) / held - len(part) * 1e-6
