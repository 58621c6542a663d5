"""Signals that no pack defines: what the analyzer concludes from several files, what a core file holds, and what
files state by being there; each with what its events may capture.
"""

from __future__ import annotations

from collections.abc import Mapping

_CORE = "pid tid crash"
_SIGNAL = "signal signal_code fault_address mapping sender_pid explanation first_signal first_explanation"
_MORE = "executable message instruction needs_cpu"
_FRAME = "path lineno depth"
_SERIES = "scope metric what pid value value_text limit limit_text share free free_text"
_LINE = "task peer address host how job index"  # what the line that proves it may name
_CAPTURES = {
    "file.exit_code": "code signal pid oom_kills sender_pid sender",
    "file.exit_of": "code signal task host",
    "file.tf_config": "task tf_config host pid",
    "file.launch": "tf_config host pid",
    "file.host": "inet host",
    "file.pod": "host machine uid begin end",
    "file.clock": "ahead behind within daemon",
    "core.crash": f"{_CORE} {_SIGNAL} {_MORE} function module python_frame python_line path lineno",
    "core.signal": f"{_CORE} {_SIGNAL}",
    "core.message": f"{_CORE} message",
    "core.frame": f"{_CORE} {_FRAME} function module how",
    "core.python_frame": f"{_CORE} {_FRAME} python_frame",
    "core.gpu": "exception code kernel device sm warp pci name crash",
    "derived.vanished": f"{_LINE} step code exit_signal log left",
    "derived.isolated": f"{_LINE} step code exit_signal log left",
    "derived.unreachable": f"{_LINE} step code exit_signal log left",
    "derived.stalled": f"{_LINE} step code exit_signal log left",
    "derived.finished_early": f"{_LINE} step code exit_signal log left",
    "derived.never_started": _LINE,
    "derived.never_connected": _LINE,
    "derived.duplicate_task": f"{_LINE} nodes",
    "derived.cluster_differs": f"{_LINE} key value",
    "derived.localhost_cluster": _LINE,
    "derived.address_mismatch": _LINE,
    "derived.trains_alone": _LINE,
    "derived.absent_peer": _LINE,
    "derived.late_member": f"{_LINE} what",
    "derived.repeated_address": f"{_LINE} other",
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
    "derived.odd_member": f"{_LINE} value common quoted what",
    "derived.peak": _SERIES,
    "derived.growth": f"{_SERIES} rate rate_text seconds span from_text lasting left left_text would_end",
}
GIVEN: Mapping[str, frozenset[str]] = {name: frozenset(said.split()) for name, said in _CAPTURES.items()}
