"""How far each node's clock is ahead of the others', with drift, error and method.

In synchronous training all workers leave a step, a barrier or a collective set-up within milliseconds of each other,
so the same key seen on several nodes is one instant read from several clocks. What such instants leave open is filled
by what the node's time daemon said (`statements`) and by what must have come before what (`bounds`).
The reference is the median node, because most clocks are right, or UTC where time daemons of most nodes agree on it.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from analyzer.arrays import alone, np
from analyzer.model import Clock
from analyzer.timeline.bounds import Bound, settle
from analyzer.timeline.equations import Floats
from analyzer.timeline.jumps import cut
from analyzer.timeline.order import UNKNOWN_ERROR
from analyzer.timeline.solve import Solution, components, solve
from analyzer.timeline.statements import Statement, compare
from analyzer.timeline.zones import spell, zone_error

FLOOR = 0.005  # seconds; log lines are not written more exactly than this
SURE = 3.0  # deviations that an error covers
LIMIT = 2000  # instants that are used at most …
READINGS = 200_000  # … and readings: a thousand nodes need no two thousand instants
FEW = 5  # instants below which an error is raised

Readings = Mapping[str, Mapping[str, float]]  # key → node → own time, UTC seconds
Spans = Mapping[str, tuple[float, float]]  # node → own times of its first and last line


@dataclass(frozen=True, slots=True)
class _Part:
    """One clock between two settings of it, in a solution."""

    solution: Solution
    column: int
    first: float  # own times of its first and last instant
    last: float
    count: int

    def lead(self, own: float) -> float:
        return self.solution.lead(self.column, own)


def align(
    readings: Readings,
    nodes: Sequence[str],
    spans: Spans | None = None,
    statements: Mapping[str, Statement] | None = None,
    bounds: Iterable[Bound] = (),
) -> dict[str, Clock]:
    """A clock for each node of which something is known; the others are not in the result."""
    statements = statements or {}
    clocks: dict[str, Clock] = {}
    names, table = _tabulate(readings, nodes)
    for group, columns in enumerate(components(~np.isnan(table)) if names else []):
        found = _solve_group([names[column] for column in columns], table[:, columns], spans or {})
        found = compare(found, statements)
        clocks |= found if not group else {node: _apart(clock) for node, clock in found.items()}
    anchored = any(node in statements for node in clocks)
    for node, said in statements.items():
        if node not in clocks and node in nodes:
            error = said.within if anchored or not clocks else said.within + UNKNOWN_ERROR
            clocks[node] = Clock(round(said.ahead, 6), round(max(FLOOR, error), 6), said.method)
    return settle(clocks, bounds, UNKNOWN_ERROR)


def _tabulate(readings: Readings, nodes: Sequence[str]) -> tuple[list[str], Floats]:
    """Nodes that share an instant, and (instants, nodes) their readings, NaN where none."""
    shared = [seen for seen in readings.values() if len(seen) > 1]
    limit = min(LIMIT, max(50, READINGS // max(1, len(nodes))))
    shared = [shared[round(place)] for place in np.linspace(0, len(shared) - 1, min(limit, len(shared)))]
    names = [node for node in nodes if any(node in seen for seen in shared)]
    places = {node: place for place, node in enumerate(names)}
    table = np.full((len(shared), len(names)), np.nan)
    for row, seen in enumerate(shared):
        for node, time in seen.items():
            if node in places:
                table[row, places[node]] = time
    return names, table[(~np.isnan(table)).sum(axis=1) > 1]


def _solve_group(names: Sequence[str], table: Floats, spans: Spans) -> dict[str, Clock]:
    """Nodes that instants connect with each other."""
    table = table[(~np.isnan(table)).sum(axis=1) > 1]
    pieces = cut(table)
    whole = np.stack([piece.readings for piece in pieces], axis=1)
    parts: dict[str, list[_Part]] = {}
    for columns in components(~np.isnan(whole)):
        if len(columns) < 2:
            continue
        used = whole[:, columns]
        with alone():
            solution = solve(used[(~np.isnan(used)).sum(axis=1) > 1])
        for column, piece in zip(columns, (pieces[column] for column in columns), strict=True):
            own = piece.readings[~np.isnan(piece.readings)]
            part = _Part(solution, columns.index(column), float(own.min()), float(own.max()), len(own))
            known = parts.setdefault(names[piece.node], [])
            if all(before.solution is solution for before in known):
                known.append(part)
    base = statistics.median_low(sorted(found[-1].lead(found[-1].last) for found in parts.values()))
    return {node: _clock(found, base, spans.get(node)) for node, found in parts.items()}


def _clock(parts: Sequence[_Part], base: float, span: tuple[float, float] | None) -> Clock:
    """One node's clock from its pieces, relative to a clock that is `base` ahead of the mean."""
    newest = parts[-1]
    drift = float(newest.solution.drifts[newest.column])
    known = abs(drift) > SURE * newest.solution.drift_deviation(newest.column)
    at = newest.last if known else (newest.first + newest.last) / 2
    first, last = span or (newest.first, newest.last)
    reach = max(last - at, at - (first if len(parts) == 1 else newest.first), 0.0)
    error = max(_error(part, end) for part in parts for end in _ends(part, parts, first, last))
    if not known:
        error += abs(drift) * reach
    offset = newest.lead(at) - base
    found = [_jump(one, other) for one, other in pairwise(parts)]
    jumps = tuple((since, by) for since, by in found if abs(by) > error)
    error += sum(abs(by) for _, by in found if abs(by) <= error)  # nothing that anybody set
    method = _describe(sum(part.count for part in parts), offset, error, drift if known else 0.0, jumps)
    return Clock(round(offset, 6), round(error, 6), method, drift if known else 0.0, round(at, 3), jumps)


def _ends(part: _Part, parts: Sequence[_Part], first: float, last: float) -> tuple[float, float]:
    """The own times between which the piece speaks for its node's lines."""
    return (
        min(first, part.first) if part is parts[0] else part.first,
        max(last, part.last) if part is parts[-1] else part.last,
    )


def _error(part: _Part, own: float) -> float:
    """Of a line's time: the clock's error, and how unevenly lines are written."""
    few = 1.0 / part.count if part.count < FEW else 0.0
    scatter = float(part.solution.scales[part.column])
    return max(FLOOR, scatter + SURE * part.solution.deviation(part.column, own)) + few


def _jump(one: _Part, other: _Part) -> tuple[float, float]:
    """When by the node's own time its clock was set, and forward by how many seconds.

    Set back, it showed some moments twice: they are taken for those after.
    """
    since = (one.last + other.first) / 2 if other.first > one.last else other.first
    return round(since, 3), round(other.lead(other.first) - one.lead(one.last), 6)


def _describe(count: int, offset: float, error: float, drift: float, jumps: Sequence[tuple[float, float]]) -> str:
    said = [f"{count} shared instant{'s' if count > 1 else ''}"]
    if (zone := zone_error(offset, error)) is not None:
        said.append(f"zone error of {spell(zone)} and {offset - zone:+.3f} s")
    if drift:
        said.append(f"gains {drift * 1e6:.0f} ppm" if drift > 0 else f"loses {-drift * 1e6:.0f} ppm")
    said += [f"was set {'forward' if by > 0 else 'back'} by {abs(by):.1f} s" for _, by in jumps]
    return "; ".join(said)


def _apart(clock: Clock) -> Clock:
    """Of nodes that share instants among themselves alone: against all others nothing but good faith is known."""
    return replace(clock, error=(clock.error or 0.0) + UNKNOWN_ERROR, method=f"{clock.method}, none with most nodes")
