"""Signals that no pack defines, with the captures that their events may have.

They come from files that state a fact by their mere content (`file.*`), from core dumps (`core.*`), and from what the
analyzer derives from several files (`derived.*`, declared in `analyzer/signals/derived.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.signals.derived import DERIVED_SIGNALS

_CORE_CAPTURES = "pid tid crash"
_CRASH_SIGNAL_CAPTURES = (
    "signal signal_code fault_address mapping sender_pid explanation first_signal first_explanation"
)
_CRASH_CAPTURES = "executable message instruction needs_cpu operation"
_FRAME_CAPTURES = "path lineno depth"
_INNERMOST_FRAME_CAPTURES = "function module where caller python_frame python_line path lineno"
_CAPTURE_NAMES = {
    "file.exit_code": "code signal pid oom_kills sender_pid sender",
    "file.exit_of": "code signal task host",
    "file.tf_config": "task tf_config host pid",
    "file.launch": "tf_config host pid",
    "file.host": "inet host",
    "file.pod": "host machine uid begin end",
    "file.clock": "ahead behind within daemon",
    "core.crash": f"{_CORE_CAPTURES} {_CRASH_SIGNAL_CAPTURES} {_CRASH_CAPTURES} {_INNERMOST_FRAME_CAPTURES}",
    "core.signal": f"{_CORE_CAPTURES} {_CRASH_SIGNAL_CAPTURES}",
    "core.message": f"{_CORE_CAPTURES} message",
    "core.frame": f"{_CORE_CAPTURES} {_FRAME_CAPTURES} function module how",
    "core.python_frame": f"{_CORE_CAPTURES} {_FRAME_CAPTURES} python_frame",
    "core.hang": "pid where waits more_waits deadlock other_waits",
    "core.gpu": "exception exception_code kernel where pid device sm warp pci name crash",
}
BUILTIN_CAPTURES: Mapping[str, frozenset[str]] = {
    **{name: frozenset(captures.split()) for name, captures in _CAPTURE_NAMES.items()},
    **{name: signal.all_captures for name, signal in DERIVED_SIGNALS.items()},
}
