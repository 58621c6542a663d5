"""Bounds the time of a search by the form of its pattern, so that the search needs no clock.

A search with a time limit asks the system for the time of the process, which takes ten times as long as most searches.
No limit is needed if the pattern can only take few steps on a text of that length, however bad the text is.

A backtracking search tries, from each start, every way in which the parts of the pattern can divide the text. Parts
that follow each other end at rising places. So with k parts of any length, one start has at most C(n + k, k) ways in a
text of n characters; a part that repeats at most m times has m + 1 ways, wherever it stands. It has one way if what
follows cannot begin with what it repeats, as with `[0-9]+:`. A pattern that begins with a text starts only where that
text stands, which is not at each place of a line.
"""

from __future__ import annotations

import bisect
import itertools
import math
import re
import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from analyzer.scan.first_characters import Characters, first_characters
from analyzer.scan.parse_tree import ATOMIC_GROUP, REPEATS, parse_pattern, parts_of
from analyzer.scan.pattern_memo import remember

MAX_STEPS = 100_000_000  # of a search without a clock; few real searches take a tenth of their bound
TEXT_LENGTHS = (128, 160, 192, 256, 384, 512, 768, 1024, 2048, 4096, 8192)  # that are tried
_POSSESSIVE = getattr(sre, "POSSESSIVE_REPEAT", None)
_ONE_CHARACTER = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN, sre.AT)
_TEXT_STARTS = ((sre.AT, sre.AT_BEGINNING), (sre.AT, sre.AT_BEGINNING_STRING))
_TOO_MANY = 1 << 62


class _Steps(NamedTuple):
    """`factor` times the ways to choose `cuts` rising places of a text."""

    factor: int
    cuts: int

    def times(self, other: _Steps) -> _Steps:
        return _Steps(min(self.factor * other.factor, _TOO_MANY), self.cuts + other.cuts)

    def plus(self, other: _Steps) -> _Steps:
        return _Steps(min(self.factor + other.factor, _TOO_MANY), max(self.cuts, other.cuts))


_ONE_STEP = _Steps(1, 0)
_NONE = _Steps(0, 0)


@remember
def find_clockless_chars(pattern: str) -> int:
    """Return the length of the texts on which a search takes few steps for certain; 0 if that is not known of any."""
    try:
        parsed = parse_pattern(pattern)
        tree = list(_open_groups(parsed))
        is_anchored = bool(tree) and tree[0] in _TEXT_STARTS and not parsed.state.flags & re.MULTILINE
        if _count_steps(tree, TEXT_LENGTHS[-1], is_anchored) <= MAX_STEPS:  # as of most patterns
            return TEXT_LENGTHS[-1]
        chosen = bisect.bisect_right(
            TEXT_LENGTHS[:-1], MAX_STEPS, key=lambda length: _count_steps(tree, length, is_anchored)
        )
        return TEXT_LENGTHS[chosen - 1] if chosen else 0
    except (re.error, RecursionError, OverflowError):  # what `re` does not read, and what is nested too deeply
        return 0


def _open_groups(items: Iterable[Any]) -> Iterator[Any]:
    """Yield the items without the groups around them."""
    for op, arg in items:
        if op is sre.SUBPATTERN:
            yield from _open_groups(arg[3])
        else:
            yield op, arg


def _count_steps(tree: Sequence[Any], length: int, is_anchored: bool) -> int:
    """Return a bound of the steps of a search in a text of so many characters, at the start of which it may stand."""
    if is_anchored:
        work = _bound_sequence(tree, length, None)[1]
        return work.factor * math.comb(length + work.cuts, work.cuts)
    work = _bound_sequence(tree, length, None)[1]
    steps = work.factor * math.comb(length + work.cuts + 1, work.cuts + 1)  # the start is one more rising place
    before = list(itertools.takewhile(_has_one_length, tree))
    if distance := _distance_of_starts(tree[len(before) :]):
        match_ways, work_before = _bound_sequence(before, length, None)
        work = _bound_sequence(tree[len(before) :], length, None)[1]
        starts = match_ways.factor * (length // distance + 1)
        steps_from_text = starts * work.factor * math.comb(length + work.cuts, work.cuts)
        steps = min(steps, length * work_before.factor + steps_from_text)
    return steps


def _has_one_length(item: tuple[Any, Any]) -> bool:
    """Whether each way to match an item has one length, and it is no text."""
    op, arg = item
    if op is sre.BRANCH:
        return all(each[0] in _ONE_CHARACTER for branch in arg[1] for each in branch)
    return op in _ONE_CHARACTER and op is not sre.LITERAL


def _distance_of_starts(tree: Sequence[Any]) -> int:
    """Return how far apart two occurrences of the text are with which a match begins; 0 if it begins with none."""
    text = [chr(arg).lower() for op, arg in itertools.takewhile(lambda item: item[0] is sre.LITERAL, tree)]
    return next((shift for shift in range(1, len(text) + 1) if text[shift:] == text[: len(text) - shift]), 0)


def _bound_sequence(items: Iterable[Any], length: int, behind: Characters | None) -> tuple[_Steps, _Steps]:
    """Return in how many ways items match from one place, and how many steps it takes to try all of them.

    `behind`: the characters with which what follows them can begin; None: any, or nothing follows.
    """
    match_ways, work, previous = _ONE_STEP, _ONE_STEP, None
    items = list(_open_groups(items))
    for place, (op, arg) in enumerate(items):
        if op is sre.LITERAL is previous:  # a text is compared at once
            continue
        previous = op
        item_ways, item_work = _bound_item(op, arg, length, first_characters(items[place + 1 :], behind))
        work = work.plus(match_ways.times(item_work))
        match_ways = match_ways.times(item_ways)
    return match_ways, work


def _bound_item(op: Any, arg: Any, length: int, behind: Characters | None) -> tuple[_Steps, _Steps]:
    if op in _ONE_CHARACTER:
        return _ONE_STEP, _ONE_STEP
    if op in REPEATS:
        least, most, body = arg
        match_ways, work = _bound_repeat(least, most, body, length, behind)
        return (_ONE_STEP if op is _POSSESSIVE else match_ways), work
    if op is sre.BRANCH:
        match_ways, work = _NONE, _ONE_STEP
        for branch in arg[1]:
            branch_ways, branch_work = _bound_sequence(branch, length, behind)
            match_ways, work = match_ways.plus(branch_ways), work.plus(branch_work)
        return match_ways, work
    if op in (sre.ASSERT, sre.ASSERT_NOT) or op is ATOMIC_GROUP:  # it gives nothing back
        (inner,) = parts_of(op, arg)
        return _ONE_STEP, _bound_sequence(inner, length, None)[1]
    return _Steps(_TOO_MANY, 0), _Steps(_TOO_MANY, 0)  # a group is asked for: how long it is depends on the text


def _bound_repeat(
    least: int, most: int, body: Sequence[Any], length: int, behind: Characters | None
) -> tuple[_Steps, _Steps]:
    items = list(_open_groups(body))
    again = first_characters(items, None)
    follows = None if again is None or behind is None else again.join(behind)
    match_ways, work = _bound_sequence(items, length, follows)
    if match_ways == _ONE_STEP:
        all_work = (_Steps(1, 1) if most >= length else _Steps(most + 1, 0)).times(work)
        if len(items) == 1 and again is not None and behind is not None and again.is_disjoint(behind):
            return _ONE_STEP, all_work  # with fewer of them, what follows fails at once
        return (_Steps(1, 1) if most >= length else _Steps(most - least + 1, 0)), all_work
    all_ways, all_work, ways_so_far = _NONE, _ONE_STEP, _ONE_STEP
    for times in range(min(most, length) + 1):
        if times >= least:
            all_ways = all_ways.plus(ways_so_far)
        all_work = all_work.plus(ways_so_far.times(work))
        ways_so_far = ways_so_far.times(match_ways)
        if ways_so_far.factor == _TOO_MANY or ways_so_far.cuts > length:
            return ways_so_far, ways_so_far.times(work)
    return all_ways, all_work
