"""Events of a core dump, which rules match like any other.

`core.crash` sums the crash up. The other events are its parts, one for each signal, message and frame, so that a rule
can match a frame that is not the innermost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analyzer.core_dump import CoreDump, CoreFrame, CoreThread, CrashPlaces, GpuCore
from analyzer.cores.function_names import normalize_function
from analyzer.cores.gpu_places import describe_exception, format_gpu_place
from analyzer.cores.lead_frames import choose_lead_frames, format_place, module_name
from analyzer.model import Event, Kind, Locus, Severity

CORE_CRASH, CORE_SIGNAL, CORE_MESSAGE = "core.crash", "core.signal", "core.message"
CORE_FRAME, CORE_PYTHON_FRAME, CORE_GPU, CORE_HANG = "core.frame", "core.python_frame", "core.gpu", "core.hang"
MAX_FRAMES = 64  # of the crashing thread, from the innermost on
MAX_TEXT_CHARS = 2000  # of an event


def crash_events(core: CoreDump, node: str, other_waits: str | None = None) -> Iterator[Event]:
    """Yield the events of one core: of its crash, and of who waits for whom if it lived when its core was asked for.

    `other_waits` says what the processes of other nodes wait for, if this one does not.

    A core states no time: its events have one only if systemd-coredump noted it in the file's name. A minidump does.
    """
    if core.facts.gpu is not None:
        yield from _gpu_events(core, core.facts.gpu, node)
    if core.facts.waits:
        yield _hang_event(core, node, other_waits)
    if not core.signal:
        return
    message = f": {core.abort_message}" if core.abort_message else ""
    shared = _as_captures({"pid": core.pid, "tid": core.crashing_thread, "crash": core.signature})
    event = Event(
        CORE_CRASH,
        Locus(core.file),
        f"{_describe_crash(core)}{message}"[:MAX_TEXT_CHARS],
        time=_read_time_of_name(core.file) or core.facts.written,
        severity=Severity.FATAL,
        kind=Kind.CORE,
        node=node,
        captures=_crash_captures(core) | shared,
    )
    yield event
    for signal, text, values in _crash_parts(core):
        captures = _as_captures(values) | shared
        yield event._replace(signal=signal, text=text[:MAX_TEXT_CHARS], severity=Severity.INFO, captures=captures)


def _read_time_of_name(file: str) -> float | None:
    """Return the time of a crash, in seconds since the epoch, as systemd-coredump writes it in a core's name.

    `core.COMM.UID.BOOT-ID.PID.MICROSECONDS`, perhaps compressed (systemd: src/coredump/coredump.c).
    """
    parts = file.rpartition("/")[2].split(".")
    for boot, pid, stamp in zip(parts, parts[1:], parts[2:], strict=False):
        if len(boot) == 32 and pid.isdecimal() and len(stamp) == 16 and (stamp + pid).isascii() and stamp.isdecimal():
            return int(stamp) / 1e6
    return None


def _describe_crash(core: CoreDump) -> str:
    """Return `SIGSEGV in read_cell (op.cc:18), called from load_batch (train.py:13), in /usr/bin/python3.11`."""
    places = [format_place(frame) for frame in choose_lead_frames(crashing_frames(core)) if frame is not None]
    where = ", called from ".join(places)
    return f"{core.signal} in {f'{where}, in ' if where else ''}{core.executable or 'an unknown program'}"


def crashing_frames(core: CoreDump) -> list[CoreFrame]:
    """Return the frames of the thread that crashed, innermost first."""
    crashed = core.crashed_thread
    return crashed.frames if crashed else []


def _crash_captures(core: CoreDump) -> dict[str, str]:
    frames = crashing_frames(core)
    native, python = choose_lead_frames(frames)
    shown = native or (None if python else next((frame for frame in frames if frame.kind == "native"), None))
    values: dict[str, object] = {
        **_signal_captures(core),
        "executable": core.executable,
        "message": core.abort_message,
        "instruction": core.facts.instruction,
        "needs_cpu": core.facts.needs_cpu,
        "operation": _describe_operation(core.facts.places),
    }
    if shown is not None:
        values |= {"function": shown.function, "module": module_name(shown.module), "where": format_place(shown)}
    if python is not None:
        values |= {"python_frame": python.function, "path": python.file, "lineno": python.line}
        values["python_line"] = f"In Python: {_format_frame(python)}."
        values["caller" if shown else "where"] = format_place(python)
    return _as_captures(values)


def _describe_operation(places: CrashPlaces | None) -> str | None:
    """Return `GatherV2 (node model/rows) on float32[4,3], int32[2]`."""
    if places is None or not places.operation:
        return None
    node = f" (node {places.node})" if places.node and places.node != places.operation else ""
    return f"{places.operation}{node}{f' on {places.inputs}' if places.inputs else ''}"


def _format_frame(frame: CoreFrame) -> str:
    line = f":{frame.line}" if frame.line else ""
    return f"{frame.function} at {frame.file}{line}" if frame.file else f"{frame.function}"


def _signal_captures(core: CoreDump) -> dict[str, object]:
    """Return the signal, and the one that struck first if the process died in that one's handler."""
    facts = core.facts
    return {
        "signal": core.signal,
        "signal_code": core.signal_code,
        "fault_address": core.fault_address,
        "sender_pid": core.sender_pid,
        "explanation": facts.explanation,
        "mapping": facts.fault_mapping,
        "first_signal": facts.interrupted.signal if facts.interrupted else None,
        "first_explanation": facts.interrupted.explanation if facts.interrupted else None,
    }


def _crash_parts(core: CoreDump) -> Iterator[tuple[str, str, dict[str, object]]]:
    """Yield (signal id, text, values to capture) of each part of a crash."""
    yield CORE_SIGNAL, f"{core.signal} ({core.signal_code or 'no siginfo'})", _signal_captures(core)
    if core.abort_message:
        yield CORE_MESSAGE, core.abort_message, {"message": core.abort_message}
    for depth, frame in enumerate(crashing_frames(core)[:MAX_FRAMES]):
        location: dict[str, object] = {"path": frame.file, "lineno": frame.line, "depth": depth}
        if frame.kind == "python":
            text = f"{frame.function} at {frame.file}"
            yield CORE_PYTHON_FRAME, text, {"python_frame": frame.function, **location}
        else:
            values = {"function": frame.function, "module": module_name(frame.module), "how": frame.how, **location}
            yield CORE_FRAME, f"{frame.function or frame.address}", values


def _gpu_events(core: CoreDump, gpu: GpuCore, node: str) -> Iterator[Event]:
    """Yield one event for each kind of exception on each device, with the first place where it struck."""
    devices = {device.id: device for device in gpu.devices}
    first = {(item.device, item.exception, item.kernel): item for item in reversed(gpu.exceptions)}
    for exception in reversed(first.values()):
        device = devices.get(exception.device) if exception.device is not None else None
        values = {name: getattr(exception, name) for name in ("exception", "device", "sm", "warp")}
        values |= {
            "exception_code": exception.code,
            "kernel": normalize_function(exception.kernel) if exception.kernel else None,
            "where": format_gpu_place(exception.frames, exception.kernel),
            "pid": core.pid,
        }
        if device is not None:
            values |= {"pci": device.pci, "name": device.name}
        values["crash"] = core.signature
        yield Event(
            CORE_GPU,
            Locus(core.file),
            describe_exception(exception),
            time=gpu.written,
            severity=Severity.FATAL,
            kind=Kind.CORE,
            node=node,
            captures=_as_captures(values),
        )


def _hang_event(core: CoreDump, node: str, other_waits: str | None) -> Event:
    waits = core.facts.waits
    native, python = choose_lead_frames(main.frames) if (main := _main_thread(core)) else (None, None)
    values = {
        "pid": core.pid,
        "waits": waits[0].removeprefix("deadlock: "),
        "more_waits": "; ".join(waits[1:]),
        "deadlock": waits[0].removeprefix("deadlock: ") if core.facts.deadlock else None,
        "other_waits": other_waits,
        "where": format_place(shown) if (shown := native or python) else None,
    }
    return Event(
        CORE_HANG,
        Locus(core.file),
        "; ".join(waits)[:MAX_TEXT_CHARS],
        time=core.facts.gpu.written if core.facts.gpu else _read_time_of_name(core.file) or core.facts.written,
        severity=Severity.ERROR,
        kind=Kind.CORE,
        node=node,
        captures=_as_captures(values),
    )


def _main_thread(core: CoreDump) -> CoreThread | None:
    return next((thread for thread in core.threads if thread.tid == core.pid), None)


def _as_captures(facts: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in facts.items() if value not in (None, "")}
