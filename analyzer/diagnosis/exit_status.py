"""Decode how a process ended: exit codes and signals, as launchers, shells and schedulers write them."""

from __future__ import annotations

import signal

from analyzer.model import Event
from analyzer.untrusted.numbers import read_whole

SIGNAL_STATUS = 128  # after signal n, shells and container runtimes report the status 128 + n


def decode_signal(text: str | None) -> str | None:
    """Return the name of a signal that is given as its number or name, with or without SIG; None for anything else."""
    if not text:
        return None
    number = read_whole(text)
    if number is not None:
        return signal.Signals(number).name if number in signal.valid_signals() and number < signal.SIGRTMIN else None
    name = text.upper() if text.upper().startswith("SIG") else f"SIG{text.upper()}"
    return name if name in signal.Signals.__members__ else None


def decode_status(code: int | None) -> tuple[int | None, str | None]:
    """Return (status, signal) of an exit code: 137 and -9 give (None, SIGKILL), 1 gives (1, None)."""
    if code is None:
        return None, None
    number = code - SIGNAL_STATUS if code > SIGNAL_STATUS else -code if code < 0 else 0
    name = decode_signal(str(number)) if number else None
    return (None, name) if name else (code % 256, None)


def is_teardown(event: Event) -> bool:
    """Return whether the only failure is that a task was asked to end. Servers are: they never end by themselves."""
    _, name = decode_status(read_whole(event.captures.get("code")))
    return "SIGTERM" in (name, decode_signal(event.captures.get("signal")))
