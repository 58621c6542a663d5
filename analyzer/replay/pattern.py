"""Read the pattern of a failure from an incident: what happened to the culprit and to its peers, without their names.

Two runs of one failure differ in names, times, numbers of tasks and launchers. The pattern leaves these out. It comes
from the hard facts and the symptoms, which do not depend on the diagnosed cause.

Two things are not part of it, because the failure does not cause them: the end of a log without a stated end, and the
signals with which a launcher ends the remaining tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from analyzer.diagnosis.exit_status import decode_signal, decode_status
from analyzer.replay.evidence import Json
from analyzer.replay.parameters import to_exception, to_signature, to_text
from analyzer.report.decode import decode_incident
from analyzer.report.document import WrittenFinding, WrittenHardFact, WrittenIncident, WrittenRootCause
from analyzer.report.formatting import parse_time

CULPRIT, PEER = "the culprit", "a peer"  # who is accused
FAILED, FINISHED, RUNNING = "an error", "a regular end", "still running"  # how a task ended, if not by a signal
OWN_ERROR = "an error of its own"  # of a peer that fails without any symptom of another's failure
LAUNCHER_SIGNALS = frozenset({"SIGTERM", "SIGKILL", "SIGINT", "SIGHUP", "SIGQUIT"})  # how launchers end a job
REPORTS_OF_LOSS = frozenset({"lost", "refused"})  # `how` of an accusation: the process is gone, and not only silent
FIRST_WINDOW_S = 1.0  # others within so many seconds of the first count as first too: clocks differ
MAX_RULE_CHARS = 80  # of a rule's id in a stranger's report
_TRACEBACK: Final = "Traceback (most recent call last)"  # traceback.py of CPython
_BAD_SEVERITIES = ("fatal", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailurePattern:
    """What an incident shows of a failure, by roles. None and empty mean "not shown"."""

    accused: str | None  # CULPRIT or PEER: the first that a task reports as lost, silent or late
    culprit_ending: str | None  # FAILED, FINISHED, RUNNING, or a signal as `SIGSEGV`
    symptoms: frozenset[str]  # the rules of the symptoms of the peers that are affected first
    peer_endings: frozenset[str]  # FAILED, FINISHED
    signature: str
    repeated: Mapping[str, str]  # what a replay copies from the root cause: the type of its exception and its signal


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a replay is compared with. `confidence` is that of the diagnosis; None if unknown."""

    pattern: FailurePattern
    confidence: float | None


@dataclass(frozen=True, slots=True)
class CulpritRef:
    """The culprit: the name of its node, and its task. Both are None if the incident does not name it."""

    node: str | None
    task: str | None


def read_diagnosis(incident: Json, cause: int = 0) -> Diagnosis:
    """Return the diagnosis of root cause number `cause`, counted from 0. Its pattern is relative to that culprit.

    The signature of an incident is that of its first root cause; other root causes have none.
    """
    written, _ = decode_incident(incident)
    root = written.root_causes[cause] if cause < len(written.root_causes) else None
    culprits = _find_nodes(written, CulpritRef(root.node, root.task) if root else CulpritRef(None, None))
    is_stated = root is not None and "confidence" in incident["root_causes"][cause]
    confidence = float(root.confidence) if root and is_stated else None
    pattern = _read_pattern(written, root, culprits, None)
    return Diagnosis(pattern if cause == 0 else replace(pattern, signature=""), confidence)


def read_replay_pattern(incident: Json, culprit: str, codes: Mapping[str, int | None]) -> FailurePattern:
    """Return the pattern of a replay.

    Args:
        incident: the analysis of the run.
        culprit: the task with the fault. It is found by the folder of its files, since it may state a wrong task.
        codes: exit codes by task; None if the task still ran when the launcher ended it.
    """
    written, _ = decode_incident(incident)
    nodes = _find_nodes(written, CulpritRef(culprit.replace(":", "-"), culprit))
    ending = _decode_ending(codes[culprit]) if culprit in codes else None
    return _read_pattern(written, next(iter(written.root_causes), None), nodes, ending)


def _decode_ending(code: int | None) -> str:
    if code is None:
        return RUNNING
    status, signal = decode_status(code)
    return signal or (FAILED if status else FINISHED)


def _find_nodes(written: WrittenIncident, culprit: CulpritRef) -> frozenset[str]:
    """Return the name of the culprit's node, or else the names of the nodes with its task."""
    if any(node.name == culprit.node for node in written.nodes):
        return frozenset({culprit.node or ""})
    return frozenset(node.name for node in written.nodes if culprit.task in node.tasks)


def _read_pattern(
    written: WrittenIncident, root: WrittenRootCause | None, culprits: frozenset[str], ending: str | None
) -> FailurePattern:
    """Return the pattern relative to `culprits`. `ending` is how the culprit ended by its launcher; None if unknown."""
    facts = [fact for fact in written.hard_facts if fact.node]
    own = [fact for fact in facts if fact.node in culprits]
    peers = [fact for fact in facts if fact.node not in culprits]
    troubles = [
        finding
        for finding in written.findings
        if finding.node and finding.node not in culprits
        if finding.severity in _BAD_SEVERITIES and finding.role != "context"
    ]
    return FailurePattern(
        accused=_find_accused(facts, troubles, culprits) if culprits else None,
        culprit_ending=_culprit_ending(written, own, peers, ending),
        symptoms=frozenset(_first_symptoms(troubles)),
        peer_endings=frozenset(filter(None, map(_peer_ending, peers))),
        signature=to_signature(written.signature),
        repeated=_read_repeated(root.captures) if root else {},
    )


def _read_repeated(captures: Mapping[str, str]) -> dict[str, str]:
    words = {"exception": to_exception(captures.get("exception")), "signal": decode_signal(captures.get("signal"))}
    return {name: word for name, word in words.items() if word and captures.get(name)}


def _find_accused(
    facts: Sequence[WrittenHardFact], troubles: Sequence[WrittenFinding], culprits: frozenset[str]
) -> str | None:
    """Return the first accused: CULPRIT or PEER. None if no task is, or if the first and the most accused differ.

    A launcher's accusations do not count: which task a launcher reports depends on the launcher. Neither does a peer
    that had a symptom before it was accused: it failed as a consequence.
    """
    symptom_times = _first_times([finding for finding in troubles if finding.role == "symptom"])
    accusations = [
        (parse_time(accuser.time), fact.node)
        for fact in facts
        for accuser in fact.accused_by
        if accuser.node
        and not (fact.node in symptom_times and _is_not_after(symptom_times[fact.node], parse_time(accuser.time)))
    ]
    if not accusations:
        return None
    last_early = _last_early([time for time, _ in accusations])
    if any(node in culprits for time, node in accusations if _is_early(time, last_early)):
        return CULPRIT
    counts = Counter(node for _, node in accusations)
    culprit_count = max((counts[node] for node in culprits), default=0)
    return PEER if culprit_count <= max(counts[node] for node in counts.keys() - culprits) else None


def _is_not_after(time: float | None, other: float | None) -> bool:
    """Return whether a time is not known to be after another."""
    return time is None or other is None or time <= other


def _last_early(times: Iterable[float | None]) -> float | None:
    """Return the end of the window of the first times; None if no time is known."""
    known_times = [time for time in times if time is not None]
    return min(known_times) + FIRST_WINDOW_S if known_times else None


def _is_early(time: float | None, last_early: float | None) -> bool:
    """Return whether a time is one of the first ones. True if no time is known."""
    return last_early is None or (time is not None and time <= last_early)


def _culprit_ending(
    written: WrittenIncident, own: Sequence[WrittenHardFact], peers: Sequence[WrittenHardFact], ending: str | None
) -> str | None:
    """Return how the culprit ended.

    An exception that ends its log comes first: a process may hang or crash while it shuts down after it.
    """
    if not own:
        return ending
    if any(_has_traceback(written, fact) for fact in own):
        return FAILED
    return ending or next(filter(None, (_stated_ending(fact, peers) for fact in own)), None)


def _has_traceback(written: WrittenIncident, fact: WrittenHardFact) -> bool:
    """Return whether a Python exception comes after the last step in the node's log."""
    times = [
        parse_time(event.corrected)
        for event in written.timeline.events
        if event.node == fact.node and event.severity in _BAD_SEVERITIES and _TRACEBACK in event.text
    ]
    last_step = parse_time(fact.last_step_time)
    return any(last_step is None or time is None or time >= last_step for time in times)


def _stated_ending(fact: WrittenHardFact, peers: Sequence[WrittenHardFact]) -> str | None:
    end = fact.ended
    if end is None:
        return None
    if end.signal is None:
        return FAILED if end.status else FINISHED
    return end.signal if end.signal not in LAUNCHER_SIGNALS or _ended_first(fact, peers) else None


def _ended_first(fact: WrittenHardFact, peers: Sequence[WrittenHardFact]) -> bool:
    """Return whether a process ended before its peers, so that no launcher ended it.

    Either a peer that ended by itself reports it as gone, or its end is the earliest of all. A job of one process has
    no peers.
    """
    if not peers:
        return True
    ended_by_launcher = {peer.node for peer in peers if peer.ended and peer.ended.signal in LAUNCHER_SIGNALS}
    if any(
        accuser.how in REPORTS_OF_LOSS and accuser.node and accuser.node not in ended_by_launcher
        for accuser in fact.accused_by
    ):
        return True
    own_time = parse_time(fact.ended.time) if fact.ended else None
    peer_times = [parse_time(peer.ended.time) for peer in peers if peer.ended]
    known_times = [time for time in peer_times if time is not None]
    return own_time is not None and bool(known_times) and own_time < min(known_times)


def _peer_ending(fact: WrittenHardFact) -> str | None:
    end = fact.ended
    if end is None or end.signal in LAUNCHER_SIGNALS:
        return None
    return FAILED if end.status or end.signal else FINISHED


def _first_symptoms(troubles: Sequence[WrittenFinding]) -> Iterator[str]:
    """Yield the rules of the symptoms of the first affected peers; OWN_ERROR for a peer with only errors of its own.

    Later symptoms depend on the number of peers and on which of them leads.
    """
    affected: dict[str, list[WrittenFinding]] = {}
    for finding in troubles:
        affected.setdefault(finding.node or "", []).append(finding)
    first_times = _first_times(troubles)
    last_early = _last_early(first_times.values())
    for node, findings in affected.items():
        if _is_early(first_times[node], last_early):
            symptoms = {to_text(finding.rule, MAX_RULE_CHARS) for finding in findings if finding.role == "symptom"}
            yield from symptoms or {OWN_ERROR}


def _first_times(findings: Iterable[WrittenFinding]) -> dict[str, float | None]:
    """Return node → the time of its first finding; None if no finding of the node has a time."""
    times: dict[str, float | None] = {}
    for finding in findings:
        known_times = [time for time in (times.get(finding.node or ""), parse_time(finding.time)) if time is not None]
        times[finding.node or ""] = min(known_times, default=None)
    return times
