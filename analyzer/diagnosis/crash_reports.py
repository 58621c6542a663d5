"""Find the findings that report the same crash: its core, the last lines of its log, and the launcher's report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from analyzer.incident import Finding
from analyzer.model import Kind, Role

CRASH_CAPTURE = "crash"  # the capture that is equal for equal crashes
PID_CAPTURES = ("pid", "tid")
SIGNAL_CAPTURES = ("signal", "signame", "first_signal")
# How faulthandler, shells and launchers write a signal.
SIGNAL_WORDS = {
    "segmentation fault": "SIGSEGV",
    "bus error": "SIGBUS",
    "floating point exception": "SIGFPE",
    "illegal instruction": "SIGILL",
    "aborted": "SIGABRT",
    "11": "SIGSEGV",
    "7": "SIGBUS",
    "8": "SIGFPE",
    "4": "SIGILL",
    "6": "SIGABRT",
    "5": "SIGTRAP",
}


def find_crashes(findings: Sequence[Finding]) -> dict[str, str]:
    """Return {id of a finding: its crash} for findings that name their crash, and for reports of a core's crash.

    A report that does not name its crash belongs to a core if it has the same cause on the same node, its pid and its
    signal do not contradict the core, and no other core fits as well.
    """
    crashes = {
        finding.id: finding.captures[CRASH_CAPTURE] for finding in findings if finding.captures.get(CRASH_CAPTURE)
    }
    cores = [finding for finding in findings if finding.id in crashes and has_core(finding)]
    for finding in findings:
        if finding.id in crashes or finding.role is not Role.CAUSE or finding.node is None:
            continue
        fitting = {crashes[core.id]: _fit(finding, core) for core in cores if _fit(finding, core)}
        best = [crash for crash, fit in fitting.items() if fit == max(fitting.values())]
        if len(best) == 1:
            crashes[finding.id] = best[0]
    return crashes


def has_core(finding: Finding) -> bool:
    """Return whether a core is among the evidence."""
    return any(event.kind is Kind.CORE for event in finding.evidence)


def _fit(report: Finding, core: Finding) -> int:
    """Return 0 if a report is about another crash than this core, 1 if it may be about this one, and 2 if both state
    the same process or the same Python function.
    """
    if (report.cause, report.role, report.node) != (core.cause, core.role, core.node):
        return 0
    signals, core_signals = set(_signals_of(report)), set(_signals_of(core))
    if signals and core_signals and not signals & core_signals:
        return 0
    pids, core_pids = set(_pids_of(report)), set(_pids_of(core))
    if pids and core_pids:
        return 2 if pids & core_pids else 0
    frame = report.captures.get("frame")
    return 2 if frame and frame == core.captures.get("python_frame") else 1


def _signals_of(finding: Finding) -> Iterator[str]:
    for name in SIGNAL_CAPTURES:
        if text := finding.captures.get(name):
            yield SIGNAL_WORDS.get(text.lower(), text.upper())


def _pids_of(finding: Finding) -> Iterator[str]:
    yield from (value for name in PID_CAPTURES if (value := finding.captures.get(name)))
    yield from (str(pid) for pid in chain.from_iterable((event.pid, event.tid) for event in finding.evidence) if pid)
