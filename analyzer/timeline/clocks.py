"""Estimate how far each node's clock is ahead of the others, with drift, error and method.

In synchronous training all workers leave a step, a barrier or a collective set-up within milliseconds of each other.
The same key on several nodes is therefore one instant, read from several clocks: a sync point. Nodes without sync
points get their clock from the report of their time daemon (`ntp_reports`), or from pairs of lines of which one must
come first (`order_bounds`). The reference is the median node, because most clocks are right, or UTC if the time
daemons of most nodes agree on it.
"""

from __future__ import annotations

import logging
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from analyzer.arrays import np, single_threaded
from analyzer.model import Clock
from analyzer.timeline.clock_equations import FloatArray
from analyzer.timeline.clock_jumps import split_at_jumps
from analyzer.timeline.clock_solver import MAD_TO_DEVIATION, ClockSolution, connected_columns, median, solve_clocks
from analyzer.timeline.ntp_reports import NtpReport, check_against_reports
from analyzer.timeline.order_bounds import OrderBound, add_bounded_clocks
from analyzer.timeline.precedence import UNKNOWN_CLOCK_ERROR_S
from analyzer.timeline.zone_errors import format_zone, zone_error

_log = logging.getLogger("analyzer.timeline")

MIN_ERROR_S = 0.005  # seconds; log times are not more exact than this
ERROR_DEVIATIONS = 3.0  # standard deviations that an error covers
MAX_SYNC_POINTS = 2000
MAX_READINGS = 200_000  # readings of all sync points: a thousand nodes do not need 2,000 of them
FEW_SYNC_POINTS = 5  # with fewer than this, the error is raised
MAX_STEP_SCATTER_S = 0.5  # seconds by which whole-second stamps and late lines scatter
MAX_STEP_SCATTER = 0.15  # scatter of a clock's readings as a share of their spread in time

Readings = Mapping[str, Mapping[str, float]]  # key → node → own time, UTC seconds
LogSpans = Mapping[str, tuple[float, float]]  # node → own times of its first and last line


@dataclass(frozen=True, slots=True)
class _SolvedPiece:
    """One clock between two moments at which it was set, as it was solved."""

    solution: ClockSolution
    column: int  # of the solution
    first: float  # own time of its first sync point
    last: float  # own time of its last sync point
    count: int  # of its sync points

    def offset_at(self, own: float) -> float:
        return self.solution.offset_at(self.column, own)


def align_clocks(
    readings: Readings,
    nodes: Sequence[str],
    spans: LogSpans | None = None,
    ntp_reports: Mapping[str, NtpReport] | None = None,
    bounds: Iterable[OrderBound] = (),
) -> dict[str, Clock]:
    """Return node → clock. The result has no node without any data about its clock.

    Args:
        readings: sync points: key → node → own time.
        nodes: the names of all nodes.
        spans: node → own times between which its error must hold.
        ntp_reports: node → what its time daemon reported.
        bounds: pairs of lines of which one must come first.
    """
    ntp_reports = ntp_reports or {}
    clocks: dict[str, Clock] = {}
    names, table = _tabulate(readings, nodes)
    for group, columns in enumerate(connected_columns(~np.isnan(table)) if names else []):
        group_clocks = _solve_group([names[column] for column in columns], table[:, columns], spans or {})
        group_clocks = check_against_reports(group_clocks, ntp_reports)
        clocks |= (
            group_clocks if not group else {node: _without_common_sync(clock) for node, clock in group_clocks.items()}
        )
    is_anchored = any(node in ntp_reports for node in clocks)
    for node, report in ntp_reports.items():
        if node not in clocks and node in nodes:
            error = report.error if is_anchored or not clocks else report.error + UNKNOWN_CLOCK_ERROR_S
            clocks[node] = Clock(round(report.offset, 6), round(max(MIN_ERROR_S, error), 6), report.method)
    all_clocks = add_bounded_clocks(clocks, bounds, UNKNOWN_CLOCK_ERROR_S)
    _log_clocks(all_clocks, nodes, len(table))
    return all_clocks


def _log_clocks(clocks: Mapping[str, Clock], nodes: Sequence[str], sync_points: int) -> None:
    _log.info("clocks of %d of %d nodes are known; %d sync points were used", len(clocks), len(nodes), sync_points)
    if clocks and _log.isEnabledFor(logging.INFO):
        ahead = max(clocks, key=lambda node: abs(clocks[node].offset))
        _log.info("largest clock offset: %s, %+.3f s (%s)", ahead, clocks[ahead].offset, clocks[ahead].method)
    for node in nodes if _log.isEnabledFor(logging.DEBUG) else ():
        if clock := clocks.get(node):
            _log.debug("clock of %s: %+.6f s ± %.6f s, from %s", node, clock.offset, clock.error or 0.0, clock.method)
        else:
            _log.debug("clock of %s: unknown, assumed to be right within %g s", node, UNKNOWN_CLOCK_ERROR_S)


def _tabulate(readings: Readings, nodes: Sequence[str]) -> tuple[list[str], FloatArray]:
    """Return the nodes that share a sync point, and their readings as (sync points, nodes), NaN if there is none."""
    shared_readings = [by_node for by_node in readings.values() if len(by_node) > 1]
    limit = min(MAX_SYNC_POINTS, max(50, MAX_READINGS // max(1, len(nodes))))
    shared_readings = [
        shared_readings[round(index)]
        for index in np.linspace(0, len(shared_readings) - 1, min(limit, len(shared_readings)))
    ]
    names = [node for node in nodes if any(node in by_node for by_node in shared_readings)]
    columns = {node: index for index, node in enumerate(names)}
    table = np.full((len(shared_readings), len(names)), np.nan)
    for row, by_node in enumerate(shared_readings):
        for node, time in by_node.items():
            if node in columns:
                table[row, columns[node]] = time
    return names, table[(~np.isnan(table)).sum(axis=1) > 1]


def _solve_group(names: Sequence[str], table: FloatArray, spans: LogSpans) -> dict[str, Clock]:
    """Return the clocks of nodes that sync points connect with each other."""
    table = table[(~np.isnan(table)).sum(axis=1) > 1]
    pieces = split_at_jumps(table)
    readings = np.stack([piece.readings for piece in pieces], axis=1)
    parts: dict[str, list[_SolvedPiece]] = {}
    for columns in connected_columns(~np.isnan(readings)):
        in_step, solution = _solve_in_step(readings, columns)
        if not solution:
            continue
        for solved_column, piece in enumerate(pieces[column] for column in in_step):
            own = piece.readings[~np.isnan(piece.readings)]
            solved_piece = _SolvedPiece(
                solution=solution,
                column=solved_column,
                first=float(own.min()),
                last=float(own.max()),
                count=len(own),
            )
            node_pieces = parts.setdefault(names[piece.column], [])
            if all(before.solution is solution for before in node_pieces):
                node_pieces.append(solved_piece)
    if not parts:
        return {}
    base = statistics.median_low(
        sorted(solved_pieces[-1].offset_at(solved_pieces[-1].last) for solved_pieces in parts.values())
    )
    return {node: _make_clock(solved_pieces, base, spans.get(node)) for node, solved_pieces in parts.items()}


def _solve_in_step(table: FloatArray, columns: Sequence[int]) -> tuple[list[int], ClockSolution | None]:
    """Return those of the `columns` of `table` that pass their sync points together, and the solution for them.

    Nodes of two jobs, of two runs, or of asynchronous training pass steps with the same numbers too, each at its own
    pace. No offset and drift fits their readings: they scatter as much as the steps themselves.
    """
    kept = list(columns)
    while len(kept) > 1:
        used = table[:, kept]
        used = used[(~np.isnan(used)).sum(axis=1) > 1]
        with single_threaded():
            solution = solve_clocks(used)
        spreads = MAD_TO_DEVIATION * median(np.abs(used - median(used, axis=0)), axis=0)
        is_scattered = (~np.isnan(used)).sum(axis=0) >= FEW_SYNC_POINTS
        is_scattered &= solution.scales > np.maximum(MAX_STEP_SCATTER_S, MAX_STEP_SCATTER * spreads)
        if not is_scattered.any():
            return kept, solution
        worst = float(solution.scales[is_scattered].max())
        _log.debug(
            "%d of %d clocks pass steps at their own pace: readings scatter by up to %.3f s, spread over %.3f s",
            is_scattered.sum(),
            len(kept),
            worst,
            float(spreads[is_scattered].max()),
        )
        kept = [
            column
            for column, scattered, scale in zip(kept, is_scattered, solution.scales, strict=True)
            if not (scattered and scale >= worst / 2)
        ]
        kept = [column for column in kept if _shares_points(table, column, kept)]
    return [], None


def _shares_points(table: FloatArray, column: int, columns: Sequence[int]) -> bool:
    """Return whether the clock reads a sync point that another of the `columns` reads too."""
    seen = ~np.isnan(table)
    return bool((seen[:, column] & (seen[:, list(columns)].sum(axis=1) > 1)).any())


def _make_clock(parts: Sequence[_SolvedPiece], base_offset: float, span: tuple[float, float] | None) -> Clock:
    """Return one node's clock from its pieces, in order of time.

    Args:
        parts: the solved pieces of the clock.
        base_offset: seconds by which the reference clock is ahead of the mean of the solution.
        span: own times of the node's first and last line, within which the error must hold.
    """
    newest = parts[-1]
    drift = float(newest.solution.drifts[newest.column])
    is_drift_known = abs(drift) > ERROR_DEVIATIONS * newest.solution.drift_deviation(newest.column)
    reference_time = newest.last if is_drift_known else (newest.first + newest.last) / 2
    first, last = span or (newest.first, newest.last)
    longest_extrapolation = max(
        last - reference_time, reference_time - (first if len(parts) == 1 else newest.first), 0.0
    )
    error = max(_line_error(part, end) for part in parts for end in _range_of(part, parts, first, last))
    if not is_drift_known:
        error += abs(drift) * longest_extrapolation
    offset = newest.offset_at(reference_time) - base_offset
    all_jumps = [_find_jump(earlier, later) for earlier, later in pairwise(parts)]
    jumps = tuple((since, seconds) for since, seconds in all_jumps if abs(seconds) > error)
    error += sum(
        abs(seconds) for _, seconds in all_jumps if abs(seconds) <= error
    )  # too small for a clock that was set
    method = _describe_method(sum(part.count for part in parts), offset, error, drift if is_drift_known else 0.0, jumps)
    return Clock(
        offset=round(offset, 6),
        error=round(error, 6),
        method=method,
        drift=drift if is_drift_known else 0.0,
        reference_time=round(reference_time, 3),
        jumps=jumps,
    )


def _range_of(part: _SolvedPiece, parts: Sequence[_SolvedPiece], first: float, last: float) -> tuple[float, float]:
    """Return the own times between which the piece gives the times of its node's lines."""
    return (
        min(first, part.first) if part is parts[0] else part.first,
        max(last, part.last) if part is parts[-1] else part.last,
    )


def _line_error(part: _SolvedPiece, own_time: float) -> float:
    """Return the error of a line's time: the error of the clock plus the scatter of the times of lines."""
    few_points_error = 1.0 / part.count if part.count < FEW_SYNC_POINTS else 0.0
    scatter = float(part.solution.scales[part.column])
    return (
        max(MIN_ERROR_S, scatter + ERROR_DEVIATIONS * part.solution.offset_deviation(part.column, own_time))
        + few_points_error
    )


def _find_jump(earlier: _SolvedPiece, later: _SolvedPiece) -> tuple[float, float]:
    """Return the own time at which the clock was set between two pieces, and the seconds by which it was set forward.

    A clock that was set back showed some times twice. They count as times after it was set.
    """
    since = (earlier.last + later.first) / 2 if later.first > earlier.last else later.first
    return round(since, 3), round(later.offset_at(later.first) - earlier.offset_at(earlier.last), 6)


def _describe_method(
    count: int, offset: float, error: float, drift: float, jumps: Sequence[tuple[float, float]]
) -> str:
    parts = [f"{count} shared sync point{'s' if count > 1 else ''}"]
    if (zone := zone_error(offset, error)) is not None:
        parts.append(f"zone error of {format_zone(zone)} and {offset - zone:+.3f} s")
    if drift:
        parts.append(f"gains {drift * 1e6:.0f} ppm" if drift > 0 else f"loses {-drift * 1e6:.0f} ppm")
    parts += [f"was set {'forward' if seconds > 0 else 'back'} by {abs(seconds):.1f} s" for _, seconds in jumps]
    return "; ".join(parts)


def _without_common_sync(clock: Clock) -> Clock:
    """Return the clock of a node that shares sync points only with few others: its error against all others is
    larger by the error of an unknown clock.
    """
    return replace(
        clock, error=(clock.error or 0.0) + UNKNOWN_CLOCK_ERROR_S, method=f"{clock.method}, none shared with most nodes"
    )
