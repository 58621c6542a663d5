"""Events of a core dump, which rules match like any other.

`core.crash` sums the crash up. The other events are its parts, one for each signal, message and frame, so that a rule
can match a frame that is not the innermost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analyzer.cores.core_dump import Core
from analyzer.cores.signature import choose_python_frame, name_native_frames, normalize_function
from analyzer.model import Event, Kind, Locus, Severity

CORE_CRASH, CORE_SIGNAL, CORE_MESSAGE = "core.crash", "core.signal", "core.message"
CORE_FRAME, CORE_PYTHON_FRAME, CORE_GPU = "core.frame", "core.python_frame", "core.gpu"
MAX_FRAMES = 64  # of the crashing thread, counted from the innermost


def crash_events(core: Core, node: str) -> Iterator[Event]:
    """Yield the events of a core on `node`. They have no time, because a core states none.

    A core without a signal, which `gcore` took of a living process, has no crash events.
    """
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
    for signal, text, details in _crash_parts(core):
        captures = _as_captures(details) | shared
        yield event._replace(signal=signal, text=text[:2000], severity=Severity.INFO, captures=captures)


def crashing_frames(core: Core) -> list[Mapping[str, Any]]:
    """Return the frames of the thread that crashed, innermost first."""
    threads = core.get("threads") or ()
    crashed = next((thread for thread in threads if thread["tid"] == core.get("crashing_thread")), None)
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
    """Return the innermost native frame that has a name and belongs neither to a re-raising handler nor to abort."""
    named_frames = [frame for frame in frames if frame["kind"] == "native" and frame["function"]]
    first = next(iter(name_native_frames(frames)), None)
    return next(
        (frame for frame in named_frames if normalize_function(frame["function"]) == first),
        named_frames[0] if named_frames else {},
    )


def _format_frame(frame: Mapping[str, Any]) -> str:
    where = f" at {frame['file']}" + (f":{frame['line']}" if frame.get("line") else "") if frame.get("file") else ""
    return f"{frame['function']}{where}"


def _signal_captures(core: Core) -> dict[str, object]:
    """Captures of the signal that ended the process, and of the first one where a handler raised it again."""
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
    """Yield (signal, text, captures) of each part of the crash."""
    yield CORE_SIGNAL, f"{core['signal']} ({core.get('signal_code') or 'no siginfo'})", _signal_captures(core)
    if core.get("abort_message"):
        yield CORE_MESSAGE, str(core["abort_message"]), {"message": core["abort_message"]}
    for depth, frame in enumerate(crashing_frames(core)[:MAX_FRAMES]):
        position = {"path": frame.get("file"), "lineno": frame.get("line"), "depth": depth}
        if frame["kind"] == "python":
            yield (
                CORE_PYTHON_FRAME,
                f"{frame['function']} at {frame.get('file')}",
                {"python_frame": frame["function"], **position},
            )
        else:
            details = {
                "function": frame["function"],
                "module": _base_name(frame.get("module")),
                "how": frame.get("how"),
                **position,
            }
            yield CORE_FRAME, f"{frame['function'] or frame.get('address')}", details


def _gpu_events(core: Core, gpu: Mapping[str, Any], node: str) -> Iterator[Event]:
    """Yield one event for each kind of exception on each device, at the first place where it occurred."""
    devices = {device["id"]: device for device in gpu["devices"]}
    first = {
        (exception["device"], exception["exception"], exception["kernel"]): exception
        for exception in reversed(gpu["exceptions"])
    }
    for exception in reversed(first.values()):
        device = devices.get(exception["device"], {})
        details = {name: exception[name] for name in ("exception", "code", "kernel", "device", "sm", "warp")}
        details |= {"pci": device.get("pci"), "name": device.get("name"), "crash": core.get("signature")}
        text = f"{exception['exception']} in {exception['kernel'] or 'an unknown kernel'}"
        locus = Locus(str(core["file"]))
        yield Event(
            CORE_GPU, locus, text, severity=Severity.FATAL, kind=Kind.CORE, node=node, captures=_as_captures(details)
        )


def _base_name(path: str | None) -> str:
    return (path or "").removesuffix(" (deleted)").rpartition("/")[2]


def _as_captures(details: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in details.items() if value not in (None, "")}
