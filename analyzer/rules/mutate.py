"""Small changes to the text of a test, as logs suffer them: how many of them a rule survives says how firm it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analyzer.rules.shift import has_times, shift_times

MOST = 12  # mutants of one kind and test; spread over the text
DELAY = 20  # seconds that everything from one line on comes later: a busy machine, no other story
SKEW = 90  # seconds that one node's clock is wrong
KINDS = ("drop", "duplicate", "delay", "reorder", "clock-shift")


@dataclass(frozen=True, slots=True)
class Mutant:
    kind: str
    what: str  # which file and line, in words
    texts: Mapping[str, str]  # the whole bundle


def mutate(texts: Mapping[str, str]) -> Iterator[Mutant]:
    """Every kind of change that the bundle allows: a single line is neither dropped nor reordered."""
    for path, text in texts.items():
        lines = text.splitlines(keepends=True)
        for kind, numbers in (("drop", range(len(lines))), ("reorder", range(len(lines) - 1))):
            for at in _some(numbers) if len(lines) > 1 else ():
                if changed := _CHANGES[kind](lines, at):
                    yield Mutant(kind, f"{path}:{at + 1}", {**texts, path: changed})
        for at in _some(range(len(lines))):
            yield Mutant("duplicate", f"{path}:{at + 1}", {**texts, path: _duplicate(lines, at)})
        for at in _some(range(1, len(lines))):
            late = shift_times("".join(lines[at:]), DELAY, uptime=True)
            if late != "".join(lines[at:]):
                yield Mutant("delay", f"{path}:{at + 1}", {**texts, path: "".join(lines[:at]) + late})
    for node in dict.fromkeys(path.partition("/")[0] for path, text in texts.items() if has_times(text)):
        for seconds in (-SKEW, SKEW):
            moved = {
                path: shift_times(text, seconds) if path.partition("/")[0] == node else text
                for path, text in texts.items()
            }
            yield Mutant("clock-shift", f"{node} {seconds:+d} s", moved)


def _some(numbers: range) -> range:
    return numbers[:: -(-len(numbers) // MOST) or 1]


def _drop(lines: list[str], at: int) -> str | None:
    return "".join([*lines[:at], *lines[at + 1 :]]) if lines[at].strip() else None


def _duplicate(lines: list[str], at: int) -> str:
    line = lines[at] if lines[at].endswith("\n") else lines[at] + "\n"
    return "".join([*lines[:at], line, *lines[at:]])


def _reorder(lines: list[str], at: int) -> str | None:
    if lines[at] == lines[at + 1]:
        return None
    first, second = (line if line.endswith("\n") else line + "\n" for line in lines[at : at + 2])
    return "".join([*lines[:at], second, first, *lines[at + 2 :]])


_CHANGES = {"drop": _drop, "reorder": _reorder}
