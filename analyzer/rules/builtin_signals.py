"""Signals that no pack defines, with the captures that their events may have.

They come from files that state a fact by their mere content (`file.*`), from core dumps (`core.*`), and from what the
analyzer derives from several files (`derived.*`).
"""

from __future__ import annotations

from collections.abc import Mapping

_CORE_CAPTURES = "pid tid crash"
_CRASH_SIGNAL_CAPTURES = (
    "signal signal_code fault_address mapping sender_pid explanation first_signal first_explanation"
)
_CRASH_CAPTURES = "executable message instruction needs_cpu"
_FRAME_CAPTURES = "path lineno depth"
_INNERMOST_FRAME_CAPTURES = "function module python_frame python_line path lineno"
_SERIES_CAPTURES = "scope metric what pid value value_text limit limit_text share free free_text"
_PROOF_LINE_CAPTURES = "task peer address host how job index"  # what the line that proves the event may name
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
    "core.gpu": "exception code kernel device sm warp pci name crash",
    "derived.vanished": f"{_PROOF_LINE_CAPTURES} step code exit_signal log left",
    "derived.isolated": f"{_PROOF_LINE_CAPTURES} step code exit_signal log left",
    "derived.unreachable": f"{_PROOF_LINE_CAPTURES} step code exit_signal log left",
    "derived.stalled": f"{_PROOF_LINE_CAPTURES} step code exit_signal log left",
    "derived.finished_early": f"{_PROOF_LINE_CAPTURES} step code exit_signal log left",
    "derived.never_started": _PROOF_LINE_CAPTURES,
    "derived.never_connected": _PROOF_LINE_CAPTURES,
    "derived.duplicate_task": f"{_PROOF_LINE_CAPTURES} nodes",
    "derived.cluster_differs": f"{_PROOF_LINE_CAPTURES} key value",
    "derived.localhost_cluster": _PROOF_LINE_CAPTURES,
    "derived.address_mismatch": _PROOF_LINE_CAPTURES,
    "derived.trains_alone": _PROOF_LINE_CAPTURES,
    "derived.absent_peer": _PROOF_LINE_CAPTURES,
    "derived.late_member": f"{_PROOF_LINE_CAPTURES} what",
    "derived.repeated_address": f"{_PROOF_LINE_CAPTURES} other",
    "derived.version_differs": "key value common",
    "derived.setting_differs": "key value common",
    "derived.setting": "key value",
    "derived.exited": "task code signal",
    "derived.odd_stack": "task frame tasks",
    "derived.straggler": "task step own_ms others_ms how",
    "derived.loss_leapt": "before after step loss epoch",
    "derived.stood_still": "how where seconds tasks",
    "derived.stopped_first": "where others seconds within",
    "derived.slowed": "before after tasks",
    "derived.odd_member": f"{_PROOF_LINE_CAPTURES} value common quoted what",
    "derived.peak": _SERIES_CAPTURES,
    "derived.growth": f"{_SERIES_CAPTURES} rate rate_text seconds span from_text lasting left left_text would_end",
}
BUILTIN_CAPTURES: Mapping[str, frozenset[str]] = {
    name: frozenset(said.split()) for name, said in _CAPTURE_NAMES.items()
}
