"""Measures whether a pattern's time grows faster than the text: tried on texts that are made against it.

A text is a lead-in, one unit many times, and an end that fits nothing. Units are words of the pattern, bodies of its
repeats, and strings of up to three characters, one character for each class that the pattern tells apart.
"""

from __future__ import annotations

import itertools
import math
import re
import re._constants as sre  # type: ignore[import-not-found]
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import regex

from analyzer.rules.linting.backtracking import open_repeats, parse_tree, sample_match
from tests.linear.package_patterns import PackagePattern

CHARACTERS = "a7 Ab_.:-=/,\n\t\"'[](){}<>|\\#@%&;+*$!?^~`\0\r\x1b\x01é한0"
LENGTH = 2048  # characters
FACTOR = 4  # by which the shorter text is shorter
MAX_RATIO = 7.0  # of their times: linear is FACTOR, quadratic its square
NOTICEABLE_S = 0.0003  # below this the clock's grain decides
GIVE_UP_S = 1.0  # a linear pattern needs a thousandth of this
MAX_LETTERS = 9  # classes of characters whose pairs are tried
MAX_TRIPLES = 4  # classes of characters up to which all strings of three are tried
MAX_LEADS = 4
ENDS = ("\x01", " \n\x01")
Attack = tuple[str, str, str]  # lead-in, unit, end


def find_growth(pattern: PackagePattern) -> str | None:
    """The unit (with its lead-in) on which the time grows faster than the text, else None."""
    run = _runner(pattern)
    for attack in attacks(pattern):
        if _grows(run, attack):
            lead, unit, end = attack
            return f"{lead!r} + {unit!r} * n + {end!r}"
    return None


def attacks(pattern: PackagePattern) -> Iterator[Attack]:
    """Most likely ones first: without a lead-in."""
    tree = parse_tree(pattern.pattern)
    matching_text = sample_match(tree)
    repeats = open_repeats(pattern.pattern)
    letters = _representatives(tree, pattern.flags)
    units = dict.fromkeys(
        [
            *letters,
            *map("".join, itertools.product(letters[:MAX_LETTERS], repeat=2)),
            *(map("".join, itertools.product(letters, repeat=3)) if len(letters) <= MAX_TRIPLES else ()),
            *(body for _, inner in repeats if (body := sample_match(inner))),
            *_words(tree),
            *([matching_text] if matching_text else []),
        ]
    )
    leads = dict.fromkeys(["", *(lead for lead, _ in repeats)][: MAX_LEADS + 1])
    yield from itertools.product(leads, units, (*ENDS, f"{ENDS[0]}{matching_text}"))


def _grows(run: Callable[[str], float], attack: Attack) -> bool:
    """What looks like growth at one length is measured at larger ones: one slow run may be the machine's."""
    if run(_text(attack, LENGTH)) < NOTICEABLE_S:
        return False
    return all(_ratio(run, attack, length) > MAX_RATIO for length in (LENGTH, FACTOR * LENGTH, FACTOR**2 * LENGTH))


def _ratio(run: Callable[[str], float], attack: Attack, length: int) -> float:
    long = min(run(_text(attack, length)) for _ in range(3))
    if long >= GIVE_UP_S:
        return math.inf
    short = min(run(_text(attack, length // FACTOR)) for _ in range(3)) or NOTICEABLE_S  # coarse clocks say 0
    return long / short


def _text(attack: Attack, length: int) -> str:
    lead, unit, end = attack
    return lead + unit * (length // len(unit)) + end


def _runner(pattern: PackagePattern) -> Callable[[str], float]:
    engine = regex if pattern.engine == "regex" else re
    source = pattern.pattern.encode("latin-1") if pattern.is_bytes else pattern.pattern
    compiled = engine.compile(source, pattern.flags)

    def run(text: str) -> float:
        subject = text.encode("utf-8") if pattern.is_bytes else text
        began = time.thread_time()
        try:
            with _alarm():
                if pattern.anchored:
                    compiled.match(subject)
                    compiled.fullmatch(subject)
                else:
                    for _ in compiled.finditer(subject):
                        pass
        except TimeoutError:
            return GIVE_UP_S
        return time.thread_time() - began

    return run


@contextmanager
def _alarm() -> Iterator[None]:
    """Both engines look for signals while they match. A timer of CPU time would coarsen the clocks of CPU time."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, GIVE_UP_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _leaves(node: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of a parse tree that take one character each."""
    if isinstance(node, tuple) and len(node) == 2 and node[0] in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
        yield node
    elif isinstance(node, list | tuple | re._parser.SubPattern):  # type: ignore[attr-defined]
        for inside in node:
            yield from _leaves(inside)


def _words(tree: Sequence[Any]) -> Iterator[str]:
    """Runs of literals anywhere in the tree."""
    run = ""
    for op, arg in [*tree, (None, None)]:
        if op is sre.LITERAL:
            run += chr(arg)
            continue
        if run:
            yield run
        run = ""
        if isinstance(arg, list | tuple):
            for inside in arg:
                if isinstance(inside, re._parser.SubPattern):  # type: ignore[attr-defined]
                    yield from _words(list(inside))
                elif isinstance(inside, list):
                    for branch in inside:
                        if isinstance(branch, re._parser.SubPattern):  # type: ignore[attr-defined]
                            yield from _words(list(branch))


def _representatives(tree: Sequence[Any], flags: int) -> list[str]:
    """One character for each class that the pattern tells apart; `^`, `$` and `\\b` tell line feeds and words apart."""
    tests: list[Callable[[str], object]] = [re.compile(r"\n").match, re.compile(r"\w").match]
    tests += [_leaf_test(leaf, flags) for leaf in dict.fromkeys(map(_freeze, _leaves(list(tree))))]
    literals = [chr(arg) for op, arg in _leaves(list(tree)) if op is sre.LITERAL]
    by_class: dict[tuple[bool, ...], str] = {}
    for char in dict.fromkeys([*CHARACTERS, *literals]):
        by_class.setdefault(tuple(bool(test(char)) for test in tests), char)
    return list(by_class.values())


def _freeze(node: Any) -> Any:
    return tuple(map(_freeze, node)) if isinstance(node, list | tuple) else node


def _leaf_test(leaf: tuple[Any, Any], flags: int) -> Callable[[str], bool]:
    op, arg = leaf
    if op is sre.ANY:
        return lambda char: char != "\n"
    if op is sre.IN:
        negated = arg[0][0] is sre.NEGATE
        parts = [_part_test(part) for part in arg[negated:]]
        return lambda char: any(part(char) for part in parts) is not negated
    return lambda char: (_part_test((sre.LITERAL, arg))(char)) is (op is sre.LITERAL)


def _part_test(part: tuple[Any, Any]) -> Callable[[str], bool]:
    op, arg = part
    if op is sre.RANGE:
        return lambda char: arg[0] <= ord(char) <= arg[1]
    if op is sre.CATEGORY:
        name = str(arg).rpartition("_")[2].lower()
        inside = re.compile({"digit": r"\d", "space": r"\s", "word": r"\w"}[name])
        return lambda char: (inside.match(char) is None) is ("NOT" in str(arg))
    return lambda char: ord(char) == arg
