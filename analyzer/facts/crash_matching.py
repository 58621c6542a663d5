"""Finds crashes that are the same: truncated cores and complete ones, kernel lines and cores, cores of several nodes.

Equal crashes get the same capture `crash`, by which findings are folded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from analyzer.core_dump import END_OF_STACK, CoreDump
from analyzer.facts.core_events import crashing_frames
from analyzer.model import Event, Kind

MEETING_WORDS = ("the collective ", "a tensor of another task")  # what processes wait for together
MIN_AGREEING_CORES = 2
SIGNATURE_LEVELS = ("native", "python", "coarse")  # from sure to less sure


def join_truncated_crashes(cores: Sequence[CoreDump]) -> list[CoreDump]:
    """Give each core with a truncated stack the signature of a complete one, if exactly one signature fits.

    Only complete cores lend their signature, so the result does not depend on the order of the cores.
    """
    complete = [core for core in cores if _has_complete_stack(core)]
    return [core if _has_complete_stack(core) else _join_core(core, complete) for core in cores]


def _has_complete_stack(core: CoreDump) -> bool:
    thread = core.crashed_thread
    return thread is not None and thread.stop == END_OF_STACK


def _join_core(core: CoreDump, complete: Sequence[CoreDump]) -> CoreDump:
    for level in SIGNATURE_LEVELS:
        signature = _signature_at_level(core, level)
        if signature is None:
            continue
        matching = {
            str(candidate.signature) for candidate in complete if _signature_at_level(candidate, level) == signature
        }
        if len(matching) == 1:
            return replace(core, signature=matching.pop(), facts=replace(core.facts, joined_by=level))
    return core


def _signature_at_level(core: CoreDump, level: str) -> str | None:
    """Return the signature at a level; None if it consists of the signal alone."""
    text = (core.facts.signatures or {}).get(level)
    return text if text and " | " in text else None


def match_kernel_crashes(events: Iterable[Event], cores: Sequence[CoreDump]) -> list[Event]:
    """Add to each kernel line of a crash the capture `crash` of its core.

    Such a line reads `comm[tid]: segfault … ip IP … in MODULE[BASE+SIZE]`. Its core has the same thread on the same
    node, or else crashed at the same offset of the same module.
    """
    by_thread = {(core.node, str(thread.tid)): core for core in cores for thread in core.threads}
    by_place = {place: core for core in cores if (place := _crash_place_of_core(core))}
    return [
        _match_kernel_line(event, by_thread, by_place)
        if event.kind is Kind.KERNEL and "ip" in event.captures
        else event
        for event in events
    ]


def _match_kernel_line(event: Event, by_thread: Mapping[Any, CoreDump], by_place: Mapping[str, CoreDump]) -> Event:
    captures = dict(event.captures)
    place = _crash_place_of_line(captures)
    core = by_thread.get((event.node, captures.get("pid", ""))) or (by_place.get(place) if place else None)
    if core is not None and core.signature:
        captures["crash"] = core.signature
    elif place:
        captures["crash"] = f"{captures.get('signal', 'crash')} | {place}"
    if place:
        captures["module_offset"] = place.rpartition("+")[2]
    return event._replace(captures=captures)


def _crash_place_of_line(captures: Mapping[str, str]) -> str | None:
    """Return `libx.so+0x1234`: the offset from the start of the mapping that the kernel prints in brackets."""
    try:
        offset = int(captures["ip"], 16) - int(captures["base"], 16)
    except (KeyError, ValueError):
        return None
    return f"{captures['module']}+{offset:#x}" if offset >= 0 and captures.get("module") else None


def _crash_place_of_core(core: CoreDump) -> str | None:
    """Return the same for a core's innermost native frame, by the mappings that the core lists."""
    frame = next((frame for frame in crashing_frames(core) if frame.kind == "native" and frame.address), None)
    if frame is None or not frame.address or not frame.module:
        return None
    address = int(frame.address, 16)
    for mapping in core.mappings:
        start = int(mapping.start, 16)
        if start <= address < int(mapping.end, 16):
            return f"{frame.module.rpartition('/')[2]}+{address - start:#x}"
    return None


def find_odd_waits(cores: Sequence[CoreDump]) -> dict[str, str]:
    """Return {file of a core: what the others wait for}, for processes that do not wait where most others do.

    All processes of a job meet in collectives, so the one that waits elsewhere holds them back. At least two others
    must agree, on other nodes, and they must be more than those that differ.
    """
    hung = [core for core in cores if core.facts.waits and core.node]
    waits = {core.file: {t.wait.what for t in core.threads if t.wait and t.wait.is_telling} for core in hung}
    meetings = Counter(what for whats in waits.values() for what in whats if what.startswith(MEETING_WORDS))
    odd: dict[str, str] = {}
    for what, count in meetings.most_common(1):
        others = [core for core in hung if what not in waits[core.file]]
        if count >= MIN_AGREEING_CORES and count > len(others):
            odd = {core.file: f"{count} others wait for {what}" for core in others}
    return odd
