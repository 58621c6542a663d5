"""Small changes to the text of a test, as they happen to real logs. The share that a rule survives measures its
robustness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analyzer.rule_tests.time_shift import has_times, shift_times

MAX_MUTANTS = 12  # mutants of one kind for one test, spread over the text
DELAY_S = 20  # everything from one line on is this much later, as on a busy machine
CLOCK_SKEW_S = 90  # how wrong one node's clock is
MUTATION_KINDS = ("drop", "duplicate", "delay", "reorder", "clock-shift")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed bundle. `description` names the file and line, or the node, in words."""

    kind: str
    description: str  # file and line, or node, in words
    texts: Mapping[str, str]  # the whole bundle


def mutate_bundle(texts: Mapping[str, str]) -> Iterator[Mutant]:
    """Yield mutants of each kind. A bundle of a single line is neither dropped from nor reordered."""
    for path, text in texts.items():
        lines = text.splitlines(keepends=True)
        for kind, indices in (("drop", range(len(lines))), ("reorder", range(len(lines) - 1))):
            for index in _spread_indices(indices) if len(lines) > 1 else ():
                if changed := _LINE_MUTATIONS[kind](lines, index):
                    yield Mutant(kind, f"{path}:{index + 1}", {**texts, path: changed})
        for index in _spread_indices(range(len(lines))):
            yield Mutant("duplicate", f"{path}:{index + 1}", {**texts, path: _duplicate_line(lines, index)})
        for index in _spread_indices(range(1, len(lines))):
            delayed = shift_times("".join(lines[index:]), DELAY_S, uptime=True)
            if delayed != "".join(lines[index:]):
                yield Mutant("delay", f"{path}:{index + 1}", {**texts, path: "".join(lines[:index]) + delayed})
    for node in dict.fromkeys(path.partition("/")[0] for path, text in texts.items() if has_times(text)):
        for seconds in (-CLOCK_SKEW_S, CLOCK_SKEW_S):
            shifted = {
                path: shift_times(text, seconds) if path.partition("/")[0] == node else text
                for path, text in texts.items()
            }
            yield Mutant("clock-shift", f"{node} {seconds:+d} s", shifted)


def _spread_indices(indices: range) -> range:
    return indices[:: -(-len(indices) // MAX_MUTANTS) or 1]


def _drop_line(lines: list[str], index: int) -> str | None:
    return "".join([*lines[:index], *lines[index + 1 :]]) if lines[index].strip() else None


def _duplicate_line(lines: list[str], index: int) -> str:
    line = lines[index] if lines[index].endswith("\n") else lines[index] + "\n"
    return "".join([*lines[:index], line, *lines[index:]])


def _swap_lines(lines: list[str], index: int) -> str | None:
    if lines[index] == lines[index + 1]:
        return None
    first, second = (line if line.endswith("\n") else line + "\n" for line in lines[index : index + 2])
    return "".join([*lines[:index], second, first, *lines[index + 2 :]])


_LINE_MUTATIONS = {"drop": _drop_line, "reorder": _swap_lines}
