"""Which crashes are one: cores that were cut join whole ones, kernel lines join cores, and nodes join each other.

What is equal gets the same `crash`, the text that findings are folded by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analyzer.cores.core_dump import END_OF_STACK, Core
from analyzer.facts.core_events import crashing_frames
from analyzer.model import Event, Kind

SIGNATURE_LEVELS = ("native", "python", "coarse")  # from sure to less sure


def join_truncated_crashes(cores: Sequence[Core]) -> list[Core]:
    """Cores whose stack breaks off take the signature of the only whole crash that they can be.

    The result does not depend on the order of the cores: only whole ones are joined to.
    """
    whole = [core for core in cores if _has_complete_stack(core)]
    return [core if _has_complete_stack(core) else _join_core(core, whole) for core in cores]


def _has_complete_stack(core: Core) -> bool:
    thread = next((t for t in core.get("threads") or () if t["tid"] == core.get("crashing_thread")), None)
    return thread is not None and (thread["stop"] == END_OF_STACK if "stop" in thread else True)


def _join_core(core: Core, whole: Sequence[Core]) -> Core:
    for level in SIGNATURE_LEVELS:
        mine = _signature_at_level(core, level)
        if mine is None:
            continue
        fitting = {str(other["signature"]) for other in whole if _signature_at_level(other, level) == mine}
        if len(fitting) == 1:
            return {**core, "signature": fitting.pop(), "facts": {**core["facts"], "joined_by": level}}
    return core


def _signature_at_level(core: Core, level: str) -> str | None:
    """A level of the signature; None where nothing but the signal is left of it."""
    signatures = (core.get("facts") or {}).get("signatures") or {}
    text = signatures.get(level)
    return text if text and " | " in text else None


def match_kernel_crashes(events: Iterable[Event], cores: Sequence[Core]) -> list[Event]:
    """Kernel lines of a crash (`comm[tid]: segfault … ip IP … in MODULE[BASE+SIZE]`) get the `crash` of the core that
    they speak of: the same thread of the same node, else the same place in the same module."""
    by_thread = {(core.get("node"), str(t["tid"])): core for core in cores for t in core.get("threads") or ()}
    by_place = {place: core for core in cores if (place := _crash_place_of_core(core))}
    return [
        _match_kernel_line(event, by_thread, by_place)
        if event.kind is Kind.KERNEL and "ip" in event.captures
        else event
        for event in events
    ]


def _match_kernel_line(event: Event, by_thread: Mapping[Any, Core], by_place: Mapping[str, Core]) -> Event:
    said = dict(event.captures)
    place = _crash_place_of_line(said)
    core = by_thread.get((event.node, said.get("pid", ""))) or (by_place.get(place) if place else None)
    if core is not None and core.get("signature"):
        said["crash"] = str(core["signature"])
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


def _crash_place_of_core(core: Core) -> str | None:
    """The same of the innermost frame, by the mappings that the core lists."""
    frame = next((f for f in crashing_frames(core) if f["kind"] == "native" and f.get("address")), None)
    if frame is None or not frame.get("module"):
        return None
    address = int(frame["address"], 16)
    for mapping in core.get("mappings") or ():
        if int(mapping["start"], 16) <= address < int(mapping["end"], 16):
            return f"{frame['module'].rpartition('/')[2]}+{address - int(mapping['start'], 16):#x}"
    return None
