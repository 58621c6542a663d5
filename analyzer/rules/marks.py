"""Expectations that stand inside a long log, each on a line of its own before the line that it speaks of:

    #! host-oom-kill          the rule must fire on the next line
    #~ host-oom-kill gpu-*    none of these may
    #? gpu-lost               it should, and does not yet: a known gap

The marks are taken out before the log is analyzed; numbers of lines are those of the file as its author sees it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

_MARK = re.compile(r"#(?P<demand>[!~?])[ \t]+(?P<rules>[\w.*?\[\]-]+(?:[ ,\t]+[\w.*?\[\]-]+)*)[ \t]*\r?\n?")


class Demand(StrEnum):
    MUST = "!"  # the rule fires
    NEVER = "~"
    GAP = "?"  # it should fire, and does not yet


@dataclass(frozen=True, slots=True)
class Mark:
    demand: Demand
    rules: tuple[str, ...]  # ids or globs
    line: int  # the number, in the file, of the line that it speaks of


@dataclass(frozen=True, slots=True)
class Marked:
    """`numbers[i]` is the line of the file that is line i + 1 of `text`."""

    text: str
    marks: tuple[Mark, ...]
    numbers: tuple[int, ...]

    def number(self, line: int) -> int:
        """The file's number of a line of `text`."""
        return self.numbers[line - 1] if 0 < line <= len(self.numbers) else line


def read_marks(text: str) -> Marked:
    """Marks at the end, with no line behind them, speak of the line behind the last."""
    kept: list[str] = []
    numbers: list[int] = []
    marks: list[Mark] = []
    open_: list[tuple[Demand, tuple[str, ...]]] = []
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        if found := _MARK.fullmatch(line):
            open_.append((Demand(found["demand"]), tuple(re.split(r"[ ,\t]+", found["rules"].strip()))))
            continue
        marks += [Mark(demand, rules, number) for demand, rules in open_]
        open_.clear()
        kept.append(line)
        numbers.append(number)
    marks += [Mark(demand, rules, len(lines) + 1) for demand, rules in open_]
    return Marked("".join(kept), tuple(marks), tuple(numbers))


def check_marks(marked: Marked, fired: Mapping[int, Set[str]]) -> Iterator[tuple[int, str, bool]]:
    """(line, what is wrong, is it an error) of each mark that does not hold; `fired`: rules by the file's line."""
    for mark in marked.marks:
        here = fired.get(mark.line, frozenset())
        for wanted in mark.rules:
            hit = [name for name in sorted(here) if fnmatchcase(name, wanted)]
            if mark.demand is Demand.MUST and not hit:
                yield mark.line, f"{wanted} must fire here; did: {', '.join(sorted(here)) or 'none'}", True
            elif mark.demand is Demand.NEVER and hit:
                yield mark.line, f"{', '.join(hit)} must not fire here", True
            elif mark.demand is Demand.GAP and hit:
                yield mark.line, f"{', '.join(hit)} fires here by now: the gap is closed (--bless writes #!)", False


def bless_marks(text: str, fired: Mapping[int, Set[str]], own: Set[str]) -> str:
    """The file with marks that say what is: `own` are the rules that get a mark where they fire unmarked.

    A `#!` that fires no more becomes a known gap, so that it is not forgotten; a `#?` or `#~` that fires becomes `#!`.
    """
    marked = read_marks(text)
    by_line: dict[int, list[Mark]] = {}
    for mark in marked.marks:
        by_line.setdefault(mark.line, []).append(mark)
    out: list[str] = []
    lines = text.splitlines(keepends=True)
    for number in (*marked.numbers, len(lines) + 1):
        end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
        here = fired.get(number, frozenset()) if number <= len(lines) else frozenset()
        if out and not out[-1].endswith("\n") and by_line.get(number):
            out.append(end)
        for demand, names in _renew(by_line.get(number, []), here, own):
            out.append(f"#{demand} {' '.join(names)}{end}")
        if number <= len(lines):
            out.append(lines[number - 1])
    return "".join(out)


def _renew(marks: list[Mark], fired: Set[str], own: Set[str]) -> Iterator[tuple[Demand, list[str]]]:
    must: list[str] = []
    gaps: list[str] = []
    never: list[str] = []
    for mark in marks:
        for wanted in mark.rules:
            hit = [name for name in sorted(fired) if fnmatchcase(name, wanted)]
            if hit and mark.demand is Demand.MUST:
                must.append(wanted)
            elif hit:
                must += hit
            else:
                (never if mark.demand is Demand.NEVER else gaps).append(wanted)
    must += [name for name in sorted(fired & own) if not any(fnmatchcase(name, wanted) for wanted in must)]
    for demand, names in ((Demand.MUST, must), (Demand.GAP, gaps), (Demand.NEVER, never)):
        if names:
            yield demand, list(dict.fromkeys(names))
