"""Gates: few short texts that show which lines are worth a closer look.

An automaton of two thousand patterns runs at a fifth of the speed of one that searches for a thousand short texts.
Therefore patterns whose matches hold a text that is rare in ordinary logs are searched for only in lines that hold a
*gate*: a short text that several of those texts share. Patterns without such a text are *direct*: they are searched for
everywhere. Choosing gates is a weighted set cover, solved greedily (Chvátal 1979).
"""

from __future__ import annotations

import functools
import heapq
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from analyzer.scan.pattern_memo import remember
from analyzer.scan.required_texts import FREQUENCY_COST, Texts
from analyzer.scan.text_frequency import GRAM_SIZES, text_frequency
from analyzer.scan.widen import widen

MIN_GATE_CHARS, MAX_GATE_CHARS = min(GRAM_SIZES), max(GRAM_SIZES)  # Hyperscan compares at most eight at once
MAX_GATE_FREQUENCY = 30  # of 10,000 ordinary lines, so many may hold a gate
MAX_DEGRADATION = 2  # times as many direct patterns as there were at first
GateTest = Callable[[str], bool]


class Gates:
    """The gates of some patterns.

    `texts` are the gates, in lower case, a character for each byte. Each match of a pattern that is not among `direct`
    (indexes of patterns) holds one of them. `initially_gated` are the patterns that had a gate when the gates were
    chosen first; those that lost it since are still among them, and also direct.
    """

    def __init__(
        self,
        patterns: Sequence[str],
        texts_of_pattern: Mapping[int, Collection[str]],
        gate_of_text: Mapping[str, str],
        dropped: Iterable[str] = (),
        initially_gated: Iterable[int] = (),
    ) -> None:
        self._patterns = patterns
        self._texts_of_pattern = dict(texts_of_pattern)  # each match holds one of them …
        self._gate_of_text = dict(gate_of_text)  # … and each of those holds its gate
        self._dropped = set(dropped)
        self.initially_gated = tuple(initially_gated)

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(sorted(set(self._gate_of_text.values())))

    @property
    def direct(self) -> tuple[int, ...]:
        return tuple(index for index in range(len(self._patterns)) if index not in self._texts_of_pattern)

    @property
    def is_degraded(self) -> bool:
        """Whether so many patterns lost their gates that the result would slow down other logs and is not cached."""
        return len(self.direct) > MAX_DEGRADATION * (len(self._patterns) - len(self.initially_gated) + 1)

    def dump(self) -> str:
        """Return one line of JSON, for `load_gates`."""
        wanted = {index: sorted(texts) for index, texts in self._texts_of_pattern.items()}
        return json.dumps([wanted, self._gate_of_text, sorted(self._dropped), self.initially_gated])

    def replace_gates(self, texts: Iterable[str], sample: str) -> None:
        """Drop the gates `texts`, which prove common in the text being read, and choose others.

        The new gates do not occur in `sample`, a part of that text in lower case. Patterns that have no other gate
        become direct.
        """
        self._dropped.update(texts)
        texts_without_gate = {text for text, gate in self._gate_of_text.items() if gate in self._dropped}
        ungated = [index for index, texts in self._texts_of_pattern.items() if not texts_without_gate.isdisjoint(texts)]

        grams = {sample[at : at + MIN_GATE_CHARS] for at in range(len(sample) - MIN_GATE_CHARS + 1)}

        def usable(part: str) -> bool:
            if part in self._dropped:
                return False
            rare = any(part[at : at + MIN_GATE_CHARS] not in grams for at in range(len(part) - MIN_GATE_CHARS + 1))
            return rare or part not in sample

        self.choose(ungated, usable)

    def choose(self, indexes: Iterable[int], usable: GateTest) -> None:
        """Choose gates for the patterns with these indexes anew. `usable` tells whether a text may be a gate."""
        for index in indexes:
            self._texts_of_pattern.pop(index, None)
            if texts := _cheapest_set(widen(self._patterns[index]).required, usable):
                self._texts_of_pattern[index] = texts
        wanted = frozenset[str]().union(*self._texts_of_pattern.values())
        kept = {text: gate for text, gate in self._gate_of_text.items() if text in wanted and gate not in self._dropped}
        self._gate_of_text = kept | _cover_texts(sorted(wanted - kept.keys()), usable)


def choose_gates(patterns: Sequence[str]) -> Gates:
    """Return gates for the patterns, chosen by how common texts are in ordinary logs."""
    gates = Gates(patterns, {}, {})
    gates.choose(range(len(patterns)), lambda part: True)
    direct = set(gates.direct)
    gates.initially_gated = tuple(index for index in range(len(patterns)) if index not in direct)
    return gates


@remember
def has_gate(pattern: str) -> bool:
    """Return whether the pattern requires texts that are rare in ordinary logs, so that it can wait behind gates."""
    return _cheapest_set(widen(pattern).required, lambda part: True) is not None


def load_gates(patterns: Sequence[str], text: str) -> Gates:
    """Return the gates that `dump` wrote for the same patterns."""
    wanted, *rest = json.loads(text)
    return Gates(patterns, {int(index): texts for index, texts in wanted.items()}, *rest)


def _cheapest_set(sets: Iterable[Texts], usable: GateTest) -> Texts | None:
    """Return the set that is cheapest to search for; of equals, one of long texts. None if none of them is rare."""
    ranked = (
        (cost, -min(map(len, texts)), sorted(texts))
        for texts in sets
        if (cost := _cost_of_set(texts, usable)) is not None
    )
    best = min(ranked, default=None)
    return frozenset(best[-1]) if best else None


def _cost_of_set(texts: Texts, usable: GateTest) -> int | None:
    cost = 0
    for text in texts:
        part = next(filter(usable, _rare_parts(text)), None)
        if part is None:
            return None
        cost += 1 + FREQUENCY_COST * text_frequency(part)
    return cost


@functools.lru_cache(maxsize=1 << 14)
def _rare_parts(text: str) -> tuple[str, ...]:
    """Return the parts of the text that are rare enough to be gates, the rarest first."""
    parts = (
        text[at : at + size]
        for size in range(MAX_GATE_CHARS, MIN_GATE_CHARS - 1, -1)
        for at in range(len(text) - size + 1)
    )
    return tuple(
        sorted(
            (part for part in parts if part.isprintable() and text_frequency(part) <= MAX_GATE_FREQUENCY),
            key=text_frequency,
        )
    )


def _cover_texts(wanted: Sequence[str], usable: GateTest) -> dict[str, str]:
    """Return a rare part for each text, such that the parts are few and rare in all."""
    texts_by_part: dict[str, set[str]] = defaultdict(set)
    for text in wanted:
        for part in _rare_parts(text):
            if usable(part):
                texts_by_part[part].add(text)
    heap = [(_cost_per_text(part, len(covered)), part) for part, covered in texts_by_part.items()]
    heapq.heapify(heap)
    uncovered = set(wanted)
    chosen: dict[str, str] = {}
    while uncovered:
        cost, part = heapq.heappop(heap)
        if not (covered := texts_by_part[part] & uncovered):
            continue
        if (current_cost := _cost_per_text(part, len(covered))) > cost and heap and current_cost > heap[0][0]:
            heapq.heappush(heap, (current_cost, part))  # parts chosen before cover some of its texts
            continue
        chosen |= dict.fromkeys(covered, part)
        uncovered -= covered
    return chosen


def _cost_per_text(part: str, text_count: int) -> float:
    """Return the cost of a gate for each text that it covers; of equals, the longer gate is cheaper."""
    return (1 + FREQUENCY_COST * text_frequency(part)) / text_count - len(part) * 1e-6
