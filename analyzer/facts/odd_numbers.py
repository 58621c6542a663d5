"""Numbers that one member of a job, or a few alike, state differently from all others.

    n0: 38 predictors    n1: 38 predictors    n2: 37 predictors    n3: 38 predictors

Such a number is not an error by itself. It shows where to look if the members of a job do not fit together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from analyzer.facts.skew import find_odd_nodes
from analyzer.model import Locus
from analyzer.reading.source_result import SourceResult
from analyzer.reading.statements import Statement

MIN_NODES = 3  # of two that differ, neither is the odd one
MAX_ODD_NUMBERS = 100


class OddNumber(NamedTuple):
    """A number or a version that `node` states; at least twice as many others state `common` at the same place."""

    node: str
    locus: Locus
    text: str
    value: str
    common: str

    @property
    def side(self) -> str:
        """Whether the value is `fewer` or `more`, or a `version`."""
        if not (self.value.isdecimal() and self.common.isdecimal()):
            return "version"
        return "fewer" if int(self.value) < int(self.common) else "more"


Form = tuple[str, int]  # its words, and how many numbers: a sign for a number may stand in the text itself
Stated = tuple[str, str, Statement]  # node, file, statement
Placed = dict[str, list[tuple[str, Statement]]]  # node → file and statement of each of its streams


def find_odd_numbers(results: Iterable[SourceResult], node_of: Callable[[str, str], str]) -> list[OddNumber]:
    """Return the odd numbers in the statements of all sources.

    Args:
        results: the sources.
        node_of: (file, stream) → its node, "" if it is unknown.
    """
    by_form: dict[Form, list[Stated]] = defaultdict(list)
    for result in results:
        for statement in result.statements:
            if node := node_of(result.file, statement.stream):
                form = without_name(statement.form, node), len(statement.numbers)
                by_form[form].append((node, result.file, statement))
    runs = (placed for stated in by_form.values() for placed in _divide_runs(stated) if len(placed) >= MIN_NODES)
    odd = (odd_number for placed in runs for odd_number in _compare(placed))
    return sorted(odd)[:MAX_ODD_NUMBERS]


def _divide_runs(stated: Sequence[Stated]) -> Iterator[Placed]:
    """Yield what the members of each run state; the bundle holds several if a member contradicts itself.

    A run is then what one file holds, or else the innermost folder, of enough nodes: what an earlier run stated held
    at its time.
    """
    bundle = _place(stated)
    if not any(_contradicts_itself(of_node) for of_node in bundle.values()):
        yield bundle
        return
    nodes: dict[str, set[str]] = defaultdict(set)  # file or folder → nodes
    for node, file, _ in stated:
        for scope in _scopes_of(file):
            nodes[scope].add(node)
    runs: dict[str, list[Stated]] = defaultdict(list)
    for node, file, statement in stated:
        scope = next((scope for scope in _scopes_of(file) if len(nodes[scope]) >= MIN_NODES), "")
        runs[scope].append((node, file, statement))
    yield from map(_place, runs.values())


def _place(stated: Iterable[Stated]) -> Placed:
    placed: Placed = defaultdict(list)
    for node, file, statement in stated:
        placed[node].append((file, statement))
    return placed


def _contradicts_itself(of_node: Iterable[tuple[str, Statement]]) -> bool:
    return len({statement.numbers for _, statement in of_node}) > 1


def _scopes_of(file: str) -> Iterator[str]:
    """Yield the file, its folders from the inside out, and the bundle."""
    yield file
    parts = file.split("/")[:-1]
    yield from ("/".join((*parts[:depth], "")) for depth in range(len(parts), -1, -1))


def without_name(form: str, node: str) -> str:
    """Return the form without the member's name, with which many lines begin."""
    return " ".join("@" if word.strip("[](){}<>:|,;=") == node else word for word in form.split())


def _compare(placed: Placed) -> Iterator[OddNumber]:
    """Yield the odd numbers in statements of one form. A node whose own streams differ states no number there."""
    places = len(next(iter(placed.values()))[0][1].numbers)
    for place in range(places):
        by_value: dict[str, dict[str, tuple[str, Statement]]] = defaultdict(dict)
        for node, stated in placed.items():
            numbers = {statement.numbers[place] for _, statement in stated}
            if len(numbers) == 1 and None not in numbers:
                by_value[str(*numbers)][node] = stated[0]
        if len(by_value) != 2:
            continue
        common, odd = find_odd_nodes(by_value)
        for node, value in odd.items():
            file, statement = by_value[value][node]
            yield OddNumber(
                node=node,
                locus=Locus(file, statement.line),
                text=statement.text,
                value=value,
                common=common,
            )
