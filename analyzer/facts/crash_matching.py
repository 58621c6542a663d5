"""Which crashes are one: cores that were cut join whole ones, kernel lines join cores, and nodes join each other.

What is equal gets the same `crash`, the text that findings are folded by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from analyzer.core_dump import END_OF_STACK, CoreDump
from analyzer.facts.core_events import crashing_frames
from analyzer.model import Event, Kind

SIGNATURE_LEVELS = ("native", "python", "coarse")  # from sure to less sure


def join_truncated_crashes(cores: Sequence[CoreDump]) -> list[CoreDump]:
    """Cores whose stack breaks off take the signature of the only whole crash that they can be.

    The result does not depend on the order of the cores: only whole ones are joined to.
    """
    whole = [core for core in cores if _has_complete_stack(core)]
    return [core if _has_complete_stack(core) else _join_core(core, whole) for core in cores]


def _has_complete_stack(core: CoreDump) -> bool:
    thread = core.crashed_thread
    return thread is not None and thread.stop == END_OF_STACK


def _join_core(core: CoreDump, whole: Sequence[CoreDump]) -> CoreDump:
    for level in SIGNATURE_LEVELS:
        mine = _signature_at_level(core, level)
        if mine is None:
            continue
        fitting = {str(other.signature) for other in whole if _signature_at_level(other, level) == mine}
        if len(fitting) == 1:
            return replace(core, signature=fitting.pop(), facts=replace(core.facts, joined_by=level))
    return core


def _signature_at_level(core: CoreDump, level: str) -> str | None:
    """A level of the signature; None where nothing but the signal is left of it."""
    text = (core.facts.signatures or {}).get(level)
    return text if text and " | " in text else None


def match_kernel_crashes(events: Iterable[Event], cores: Sequence[CoreDump]) -> list[Event]:
    """Kernel lines of a crash (`comm[tid]: segfault … ip IP … in MODULE[BASE+SIZE]`) get the `crash` of the core that
    they speak of: the same thread of the same node, else the same place in the same module."""
    by_thread = {(core.node, str(thread.tid)): core for core in cores for thread in core.threads}
    by_place = {place: core for core in cores if (place := _crash_place_of_core(core))}
    return [
        _match_kernel_line(event, by_thread, by_place)
        if event.kind is Kind.KERNEL and "ip" in event.captures
        else event
        for event in events
    ]


def _match_kernel_line(event: Event, by_thread: Mapping[Any, CoreDump], by_place: Mapping[str, CoreDump]) -> Event:
    said = dict(event.captures)
    place = _crash_place_of_line(said)
    core = by_thread.get((event.node, said.get("pid", ""))) or (by_place.get(place) if place else None)
    if core is not None and core.signature:
        said["crash"] = core.signature
    elif place:
        said["crash"] = f"{said.get('signal', 'crash')} | {place}"
    if place:
        said["module_offset"] = place.rpartition("+")[2]
    return event._replace(captures=said)


def _crash_place_of_line(said: Mapping[str, str]) -> str | None:
    """`libx.so+0x1234`: from the start of the mapping that holds the code, which the kernel prints in brackets."""
    try:
        offset = int(said["ip"], 16) - int(said["base"], 16)
    except (KeyError, ValueError):
        return None
    return f"{said['module']}+{offset:#x}" if offset >= 0 and said.get("module") else None


def _crash_place_of_core(core: CoreDump) -> str | None:
    """The same of the innermost frame, by the mappings that the core lists."""
    frame = next((frame for frame in crashing_frames(core) if frame.kind == "native" and frame.address), None)
    if frame is None or not frame.address or not frame.module:
        return None
    address = int(frame.address, 16)
    for mapping in core.mappings:
        start = int(mapping.start, 16)
        if start <= address < int(mapping.end, 16):
            return f"{frame.module.rpartition('/')[2]}+{address - start:#x}"
    return None
