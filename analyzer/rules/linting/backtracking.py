"""Find patterns with catastrophic backtracking: by their shape, and by running them on lines made against them.

Walks the parse tree of Python's own `re` parser (CPython's Lib/re/_parser.py), as the scanner's widening does.
"""

from __future__ import annotations

import functools
import re
import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from analyzer.scan.parse_tree import parse_pattern
from analyzer.signals.compiled_patterns import CompiledPattern, compile_pattern

SEARCH_TIMEOUT_S = 1.0  # an exponential pattern takes years, a good one a hundredth of this
SHORT_SEARCH_TIMEOUT_S = 0.05
MAX_SLOW_PATTERNS = 10  # number of slow patterns after which the shorter limit applies
EXPONENTIAL_REPEATS = 36  # repetitions with which an exponential pattern never ends
CUBIC_LINE_CHARS = 1000  # with this length a cubic pattern does not end either; a quadratic one takes a few ms
MAX_REPEATS_TRIED = 8  # repeats of one pattern that are tried
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT)  # possessive repeats never backtrack
_OPEN_REPEAT_ABOVE = 40
_CATEGORY_SAMPLES = {
    sre.CATEGORY_DIGIT: "7",
    sre.CATEGORY_WORD: "a",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_NOT_DIGIT: "a",
    sre.CATEGORY_NOT_WORD: " ",
    sre.CATEGORY_NOT_SPACE: "a",
}
PatternItems = list[Any]


def parse_tree(pattern: str) -> PatternItems:
    """Return the parse tree; empty for syntax that `regex` supports and `re` does not."""
    try:
        return list(parse_pattern(pattern))
    except (re.error, RecursionError, OverflowError):
        return []


def matches_empty(pattern: str) -> bool:
    """Return whether the pattern matches the empty text, so that every line would match. Raises regex.error."""
    try:
        min_width = int(parse_pattern(pattern).getwidth()[0])
    except (re.error, RecursionError, OverflowError):
        min_width = 0
    return min_width == 0 and compile_pattern(pattern).search("") is not None


def has_ambiguous_nesting(pattern: str) -> bool:
    """Return whether a repeat contains a repeat that can match the same text in many ways: `(a+)+`, `(\\w+,?)*`."""
    return any(_is_ambiguous(inner) for _, inner in open_repeats(pattern))


@dataclass(slots=True, eq=False)
class SearchTimeLimit:
    """The time limit for trying a pattern. It shrinks once many patterns were slow.

    So even a pack of ten thousand such patterns is checked in reasonable time.
    """

    slow_patterns: int = 0

    @property
    def seconds(self) -> float:
        return SEARCH_TIMEOUT_S if self.slow_patterns < MAX_SLOW_PATTERNS else SHORT_SEARCH_TIMEOUT_S


def find_backtracking_line(pattern: str, time_limit: SearchTimeLimit | None = None) -> str | None:
    """The beginning of a line on which the pattern takes too long, else None."""
    time_limit = time_limit or SearchTimeLimit()
    compiled: CompiledPattern | None = None
    for line in adversarial_lines(pattern):
        compiled = compiled or compile_pattern(pattern)
        try:
            compiled.search(line, timeout=time_limit.seconds)
        except TimeoutError:
            time_limit.slow_patterns += 1
            return line[:60]
    return None


def adversarial_lines(pattern: str) -> Iterator[str]:
    """Yield lines for each open repeat: a text that leads to it, its body many times, and an end that cannot match."""
    tree = parse_tree(pattern)
    repeats = open_repeats(pattern)
    end = "\x01" + sample_match(tree)  # `regex` checks first that the literals it needs occur at all
    for prefix, body_items in repeats[:MAX_REPEATS_TRIED]:
        body = sample_match(body_items) or "a"
        has_inner_choice = any(op in _REPEATS or op is sre.BRANCH for op, _ in _flatten(body_items))
        if has_inner_choice:
            yield prefix + body * EXPONENTIAL_REPEATS + end
            # `regex` guards its repeats, so some exponential patterns become cubic.
            yield prefix + body * (2 * CUBIC_LINE_CHARS // len(body)) + end
        elif len(repeats) > 2:  # two in a row are at most quadratic, which is harmless on lines of bounded length
            yield prefix + body * (CUBIC_LINE_CHARS // len(body)) + end


def sample_match(items: PatternItems) -> str:
    """Return a text that most such patterns match: a member of each class, the first of each alternative."""
    return "".join(map(_sample_item, items))


def _sample_item(item: tuple[Any, Any]) -> str:
    op, arg = item
    if op is sre.LITERAL:
        return chr(int(arg))
    if op is sre.NOT_LITERAL:
        return "b" if arg == ord("a") else "a"
    if op is sre.ANY:
        return "x"
    if op is sre.IN:
        return _sample_class(arg)
    if op in _REPEATS or op is getattr(sre, "POSSESSIVE_REPEAT", None):
        return sample_match(list(arg[2])) * min(max(int(arg[0]), 1), 8)
    if op is sre.SUBPATTERN:
        return sample_match(list(arg[3]))
    if op is sre.BRANCH:
        return sample_match(list(arg[1][0]))
    if op is getattr(sre, "ATOMIC_GROUP", None):
        return sample_match(list(arg))
    return ""


def _sample_class(members: list[Any]) -> str:
    if members and members[0][0] is sre.NEGATE:
        excluded = re.compile(f"[{''.join(map(_class_text, members[1:]))}]")
        return next((str(char) for char in "a7 x=/" if not excluded.match(char)), "\x02")
    op, arg = members[0]
    if op is sre.CATEGORY:
        return str(_CATEGORY_SAMPLES.get(arg, "a"))
    return chr(arg[0] if op is sre.RANGE else arg)


def _class_text(part: tuple[Any, Any]) -> str:
    op, arg = part
    if op is sre.LITERAL:
        return re.escape(chr(arg))
    if op is sre.RANGE:
        return f"{re.escape(chr(arg[0]))}-{re.escape(chr(arg[1]))}"
    return {
        sre.CATEGORY_DIGIT: r"\d",
        sre.CATEGORY_WORD: r"\w",
        sre.CATEGORY_SPACE: r"\s",
        sre.CATEGORY_NOT_DIGIT: r"\D",
        sre.CATEGORY_NOT_WORD: r"\W",
        sre.CATEGORY_NOT_SPACE: r"\S",
    }.get(arg, "")


@functools.lru_cache(maxsize=16384)
def open_repeats(pattern: str) -> tuple[tuple[str, PatternItems], ...]:
    """Return each open repeat: a text that leads to it, and its body. Outer repeats come first."""
    return tuple(_find_open_repeats(parse_tree(pattern), ""))


def _find_open_repeats(items: PatternItems, prefix: str) -> Iterator[tuple[str, PatternItems]]:
    for op, arg in items:
        if op in _REPEATS:
            body_items = list(arg[2])
            if arg[1] is sre.MAXREPEAT or arg[1] > _OPEN_REPEAT_ABOVE:
                yield prefix, body_items
            yield from _find_open_repeats(body_items, prefix)
        elif op is sre.SUBPATTERN:
            yield from _find_open_repeats(list(arg[3]), prefix)
        elif op is sre.BRANCH:
            for branch in arg[1]:
                yield from _find_open_repeats(list(branch), prefix)
        prefix += _sample_item((op, arg))


def _is_ambiguous(body: PatternItems) -> bool:
    """Return whether the body has an open repeat, and everything else in it can be empty or is matched by that repeat
    too.
    """
    flat = list(_flatten(body))
    open_bodies = [
        arg for op, arg in flat if op in _REPEATS and (arg[1] is sre.MAXREPEAT or arg[1] > _OPEN_REPEAT_ABOVE)
    ]
    for repeat in open_bodies:
        other_items = [item for item in flat if item[1] is not repeat and not _may_be_empty(item)]
        if all(_repeat_accepts(list(repeat[2]), _sample_item(item)) for item in other_items):
            return True
    return False


def _flatten(items: PatternItems) -> Iterator[tuple[Any, Any]]:
    for op, arg in items:
        if op is sre.SUBPATTERN:
            yield from _flatten(list(arg[3]))
        elif op is sre.BRANCH and len(arg[1]) == 1:
            yield from _flatten(list(arg[1][0]))
        else:
            yield op, arg


def _may_be_empty(item: tuple[Any, Any]) -> bool:
    op, arg = item
    return (op in _REPEATS and arg[0] == 0) or op in (sre.AT, sre.ASSERT, sre.ASSERT_NOT)


def _repeat_accepts(body: PatternItems, text: str) -> bool:
    """Return whether the one-character body of a repeat matches every character of `text`."""
    if len(body) != 1 or not text:
        return not text
    op, arg = body[0]
    if op is sre.ANY:
        return True
    if op is sre.LITERAL:
        return set(text) == {chr(arg)}
    if op is sre.IN:
        negated = bool(arg) and arg[0][0] is sre.NEGATE
        inside = re.compile(f"[{'^' if negated else ''}{''.join(map(_class_text, arg[1:] if negated else arg))}]+")
        return inside.fullmatch(text) is not None
    return False
