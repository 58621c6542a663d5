"""Draws the lanes of nodes that did the same as one: it says more than 299 equal lanes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analyzer.report.cascade import SEVERITY_RANKS
from analyzer.report.document import WrittenIncident
from analyzer.report.formatting import plural
from analyzer.report.lanes import ERROR_RANK, Lane, LaneMark
from analyzer.wording import natural_key

MAX_SEPARATE_LANES = 12  # with no more nodes than that, each has its own lane
MAX_SHOWN_MARKS = 400  # marks of a folded lane, spread over all that its nodes have


def fold_lanes(lanes: Sequence[Lane], incident: WrittenIncident) -> list[Lane]:
    """Return the lanes in their order, those of nodes that did the same as one, at the place of the first of them.

    Nodes did the same if the same rules hold on them and both or neither fell silent. The culprit stands alone.
    """
    if len(lanes) <= MAX_SEPARATE_LANES:
        return list(lanes)
    rules = {finding.id: finding.rule for finding in incident.findings}
    groups: dict[object, list[Lane]] = {}
    for lane in lanes:
        groups.setdefault(_deeds(lane, rules), []).append(lane)
    return [group[0] if len(group) == 1 else _merge(group) for group in groups.values()]


def _deeds(lane: Lane, rules: Mapping[str, str]) -> object:
    """Return what a node did, equal for lanes that are drawn as one."""
    if lane.culprit:
        return lane.name
    errors = frozenset(
        rules.get(mark.finding, "") or "other error"
        for mark in lane.marks
        if mark.finding or SEVERITY_RANKS.get(mark.severity, 0) >= ERROR_RANK
    )
    return lane.present, lane.silent_since is not None, bool(lane.steps), errors


def _merge(group: Sequence[Lane]) -> Lane:
    """Return one lane of several: from the first line to the last, with the marks of all and the steps of the first."""
    names = sorted((lane.name for lane in group), key=natural_key)
    alive = [lane.alive for lane in group if lane.alive]
    silences = [lane.silent_since for lane in group if lane.silent_since is not None]
    errors = [lane.clock_error for lane in group if lane.clock_error is not None]
    troubles = [lane.trouble for lane in group if lane.trouble is not None]
    return Lane(
        name=f"{plural(len(group), 'node')} alike",
        tasks=(f"{names[0]} … {names[-1]}",),
        culprit=False,
        present=group[0].present,
        alive=(min(start for start, _ in alive), max(end for _, end in alive)) if alive else None,
        silent_since=min(silences, default=None),
        clock_error=max(errors, default=None),
        marks=_spread(sorted((mark for lane in group for mark in lane.marks), key=lambda mark: mark.time)),
        steps=group[0].steps,
        trouble=min(troubles, default=None),
        members=tuple(lane.name for lane in group),
    )


def _spread(marks: Sequence[LaneMark]) -> tuple[LaneMark, ...]:
    """Return at most about MAX_SHOWN_MARKS of the marks, the first and the last among them."""
    stride = len(marks) // MAX_SHOWN_MARKS + 1
    return (*marks[:-1:stride], *marks[-1:])
