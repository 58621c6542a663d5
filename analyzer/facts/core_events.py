"""A core dump as events: what rules may ask of a crash.

`core.crash` sums it up; the others are its parts, one event for each signal, message and frame, so that a rule can ask
for a frame that is not the innermost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analyzer.cores.core_dump import Core
from analyzer.cores.signature import choose_python_frame, name_native_frames, normalize_function
from analyzer.model import Event, Kind, Locus, Severity

CORE_CRASH, CORE_SIGNAL, CORE_MESSAGE = "core.crash", "core.signal", "core.message"
CORE_FRAME, CORE_PYTHON_FRAME, CORE_GPU = "core.frame", "core.python_frame", "core.gpu"
MAX_FRAMES = 64  # of the crashing thread, from the innermost on


def crash_events(core: Core, node: str) -> Iterator[Event]:
    """Nothing for a core without a signal (one that `gcore` took of a living process). A core states no time."""
    if gpu := (core.get("facts") or {}).get("gpu"):
        yield from _gpu_events(core, gpu, node)
    if not core.get("signal"):
        return
    where = f" in {core.get('executable') or 'an unknown program'}"
    message = core.get("abort_message")
    shared = _as_captures({"pid": core.get("pid"), "tid": core.get("crashing_thread"), "crash": core.get("signature")})
    event = Event(
        CORE_CRASH,
        Locus(str(core["file"])),
        f"{core['signal']}{where}{f': {message}' if message else ''}"[:2000],
        severity=Severity.FATAL,
        kind=Kind.CORE,
        node=node,
        captures=_crash_captures(core) | shared,
    )
    yield event
    for signal, text, said in _crash_parts(core):
        captures = _as_captures(said) | shared
        yield event._replace(signal=signal, text=text[:2000], severity=Severity.INFO, captures=captures)


def crashing_frames(core: Core) -> list[Mapping[str, Any]]:
    """The frames of the thread that crashed, innermost first."""
    threads = core.get("threads") or ()
    crashed = next((t for t in threads if t["tid"] == core.get("crashing_thread")), None)
    return list(crashed["frames"]) if crashed else []


def _crash_captures(core: Core) -> dict[str, str]:
    frames, facts = crashing_frames(core), core.get("facts") or {}
    native = _find_telling_frame(frames)
    python = choose_python_frame(frames)
    return _as_captures(
        {
            **_signal_captures(core),
            "executable": core.get("executable"),
            "message": core.get("abort_message"),
            "instruction": facts.get("instruction"),
            "needs_cpu": facts.get("needs_cpu"),
            "function": native.get("function"),
            "module": _base_name(native.get("module")),
            "python_frame": python.get("function"),
            "path": python.get("file"),
            "lineno": python.get("line"),
            "python_line": f"In Python: {_format_frame(python)}." if python else None,
        }
    )


def _find_telling_frame(frames: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The innermost native frame that has a name and is no machinery: a handler that raised again, or abort's own."""
    named = [frame for frame in frames if frame["kind"] == "native" and frame["function"]]
    first = next(iter(name_native_frames(frames)), None)
    return next((frame for frame in named if normalize_function(frame["function"]) == first), named[0] if named else {})


def _format_frame(frame: Mapping[str, Any]) -> str:
    where = f" at {frame['file']}" + (f":{frame['line']}" if frame.get("line") else "") if frame.get("file") else ""
    return f"{frame['function']}{where}"


def _signal_captures(core: Core) -> dict[str, object]:
    """The signal that counts: a handler that raised again stands before the one that struck first."""
    facts = core.get("facts") or {}
    first = facts.get("interrupted") or {}
    return {
        "signal": core["signal"],
        "signal_code": core.get("signal_code"),
        "fault_address": core.get("fault_address"),
        "sender_pid": core.get("sender_pid"),
        "explanation": facts.get("explanation"),
        "mapping": facts.get("fault_mapping"),
        "first_signal": first.get("signal"),
        "first_explanation": first.get("explanation"),
    }


def _crash_parts(core: Core) -> Iterator[tuple[str, str, dict[str, object]]]:
    """(signal, text, captures) of each part."""
    yield CORE_SIGNAL, f"{core['signal']} ({core.get('signal_code') or 'no siginfo'})", _signal_captures(core)
    if core.get("abort_message"):
        yield CORE_MESSAGE, str(core["abort_message"]), {"message": core["abort_message"]}
    for depth, frame in enumerate(crashing_frames(core)[:MAX_FRAMES]):
        place = {"path": frame.get("file"), "lineno": frame.get("line"), "depth": depth}
        if frame["kind"] == "python":
            yield (
                CORE_PYTHON_FRAME,
                f"{frame['function']} at {frame.get('file')}",
                {"python_frame": frame["function"], **place},
            )
        else:
            said = {
                "function": frame["function"],
                "module": _base_name(frame.get("module")),
                "how": frame.get("how"),
                **place,
            }
            yield CORE_FRAME, f"{frame['function'] or frame.get('address')}", said


def _gpu_events(core: Core, gpu: Mapping[str, Any], node: str) -> Iterator[Event]:
    """One event for each kind of exception on each device, with the first place where it struck."""
    devices = {device["id"]: device for device in gpu["devices"]}
    first = {(one["device"], one["exception"], one["kernel"]): one for one in reversed(gpu["exceptions"])}
    for one in reversed(first.values()):
        device = devices.get(one["device"], {})
        said = {name: one[name] for name in ("exception", "code", "kernel", "device", "sm", "warp")}
        said |= {"pci": device.get("pci"), "name": device.get("name"), "crash": core.get("signature")}
        text = f"{one['exception']} in {one['kernel'] or 'an unknown kernel'}"
        locus = Locus(str(core["file"]))
        yield Event(
            CORE_GPU, locus, text, severity=Severity.FATAL, kind=Kind.CORE, node=node, captures=_as_captures(said)
        )


def _base_name(path: str | None) -> str:
    return (path or "").removesuffix(" (deleted)").rpartition("/")[2]


def _as_captures(said: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in said.items() if value not in (None, "")}
