"""A core dump as an event: what rules may ask of a crash."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analyzer.model import Event, Kind, Locus, Severity

CRASH = "core.crash"


def crash_event(core: Mapping[str, Any], node: str) -> Event | None:
    """None for a core without a signal (one that `gcore` took of a living process). A core states no time."""
    if not core.get("signal"):
        return None
    crashed = next((t for t in core.get("threads") or () if t["tid"] == core.get("crashing_thread")), None)
    frames = crashed["frames"] if crashed else []
    native = next((frame for frame in frames if frame["kind"] == "native" and frame["function"]), None)
    python = next((frame for frame in frames if frame["kind"] == "python"), None)
    facts = core.get("facts") or {}
    said = {
        "signal": core["signal"],
        "signal_code": core.get("signal_code"),
        "pid": core.get("pid"),
        "executable": core.get("executable"),
        "fault_address": core.get("fault_address"),
        "sender_pid": core.get("sender_pid"),
        "message": core.get("abort_message"),
        "explanation": facts.get("explanation"),
        "function": native and native["function"],
        "module": native and (native["module"] or "").rpartition("/")[2],
        "python_frame": python and python["function"],
        "path": python and python["file"],
        "lineno": python and python["line"],
        "crash": core.get("signature"),
    }
    captures = {name: str(value) for name, value in said.items() if value not in (None, "")}
    text = f"{core['signal']} in {core.get('executable') or 'an unknown program'}" + (
        f": {core['abort_message']}" if core.get("abort_message") else ""
    )
    return Event(
        CRASH,
        Locus(str(core["file"])),
        text[:2000],
        severity=Severity.FATAL,
        kind=Kind.CORE,
        node=node,
        captures=captures,
    )
