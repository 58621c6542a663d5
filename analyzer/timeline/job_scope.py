"""Decide which lines belong to this job, and which to other jobs on the same machines or in the same namespace.

The log of a machine and the listing of a scheduler mention every job: `job_48102` in the path of a cgroup is a job
number of Slurm (src/plugins/cgroup), `kubepods-burstable-pod1b9e0c77_21d4.slice` has the uid of a pod, and
`embed-worker-1` is a pod of the job `embed`.
"""

from __future__ import annotations

import bisect
import logging
import re
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analyzer.model import Event, Kind, Node
from analyzer.signal_semantics import SignalSemantics
from analyzer.timeline.parallel_runs import find_runs_aside

_log = logging.getLogger("analyzer.timeline")

KILL_REPORT_S = 5.0  # the kernel's report of one kill takes at most this many seconds
# The role in the name of a pod: the name of the job precedes it, an index and a suffix of the controller follow it.
_POD_ROLE = re.compile(
    r"(?:^|[-_.])(?:chief|master|coordinator|worker|ps|evaluator|launcher|trainer|driver|dispatcher|replica)"
)
_POD_SUFFIX = re.compile(r"(?:[-.]?+\w)*+$")
# `slurm-7001.out` (sbatch), `train.o88120` (PBS, Torque, Grid Engine): the job's own output, but not an array's.
_JOB_OUTPUT_FILE = re.compile(r"(?:^|/)(?:slurm-(\d{1,18})\.(?:out|err)|[^/]+\.(?:o|e|po|pe)(\d{2,18}))(?:\.gz)?$")
# The same with the name of the job, which all of its runs share; also `OAR.train.88120.stderr` of OAR. The tasks of a
# Slurm array count as runs of one job if they follow each other on the same machines.
_NAMED_OUTPUT_FILE = re.compile(
    r"(?P<name>(?:.*/)?[^/]+?)\.(?:(?:o|e|po|pe)(?P<number>\d{2,18})|(?P<oar>\d{2,18})\.std(?:out|err))(?:\.gz)?"
    r"|(?:.*/)?(?P<array>slurm-\d{1,18})_(?P<index>\d{1,9})\.(?:out|err)(?:\.gz)?"
    r"|(?P<slurm>(?:.*/)?slurm)-(?P<job>\d{1,18})\.(?:out|err)(?:\.gz)?"
).fullmatch
_match_array_row = re.compile(r"\s*(\d{1,18}_\d{1,9})[\s|.]").match
# The program that wrote a line of the system's log: `postfix/smtp[604]: `, `filebeat[605]: ` (RFC 3164, 4.1.3)
SYSLOG_TAG = re.compile(r"(?:^|\s)([\w.-]{1,40})(?:/[\w.-]{1,40})?\[\d{1,10}\]: ")
_NUMBER = re.compile(r"(?<!\d)\d{2,18}(?!\d)")
MAX_TAG_OFFSET = 200  # characters of a line in which its tag is searched
# `pod/name`, `Pod namespace/name`, or a row of `kubectl get pods`: perhaps a namespace, the name, `1/1`
_NAMED_POD = re.compile(r"(?:\bpods?/|\b[Pp]od )(?:[\w.-]+/)?([\w.-]+)|^\s*(?:[a-z0-9-]+\s+)?(\S+)\s+\d+/\d+\s")
# Ages before the moment of a listing: a row of `kubectl get events` (LAST SEEN), and one of `kubectl get pods` (AGE).
_AGE = r"(?P<age>(?:\d{1,4}[dhms]){1,3})"
_match_event_age = re.compile(
    rf"\s*(?:[a-z0-9-]{{1,63}}\s{{1,60}})?{_AGE}\s{{1,60}}(?:\(x.{{1,40}}?\)\s{{1,60}})?(?:Normal|Warning)\s"
).match
_match_pod_age = re.compile(
    rf"\s*(?:[a-z0-9-]{{1,63}}\s{{1,60}})?(?P<pod>[\w.-]{{1,253}})\s{{1,60}}\d{{1,3}}/\d{{1,3}}\s{{1,60}}\S{{1,60}}\s{{1,60}}\d{{1,9}}"
    rf"(?:\s\([^()]{{1,30}}\))?\s{{1,60}}{_AGE}(?:\s|$)"
).match
# A row about the beginning of a pod's life.
_match_pod_start = re.compile(
    r".{1,200}?\s(?:Scheduled|FailedScheduling|Pulling|Pulled|Created|Started|SuccessfulCreate)\s{1,60}pod/(?P<pod>[\w.-]{1,253})\s"
).match
_AGE_UNITS_S = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
AGE_SLACK = 1.1  # ages are rounded down, and the two listings were made one after the other
MIN_AGE_GAP_S = 120.0


# Common names of folders for the files of an earlier run.
_find_aside_folder = re.compile(
    r"(?:^|/)(?P<name>(?:[^/]{1,40}[-_. ])?"
    r"(?:old|older|previous|prev|earlier|outdated|obsolete|superseded|alt|vorherig\w{1,2}|ancien(?:ne)?|précédente?"
    r"|precedente?|anterior(?:es)?|viejo|vecchio|vorige?|oude?|stare|poprzedni\w{0,2}|předchozí|edellinen|antig[ou]s?|antigu[oa]s?"
    r"|velh[oa]s?|gamle|gammel|gammalt?|gamla|eldri|vanha|régi|előző|eski|önceki|стар\w{2}|прошл\w{2}|предыдущ\w{2}|旧|前回|以前|이전)"
    r"(?:[-_. ][^/]{1,40})?)/",
    re.I,
).search


@dataclass(frozen=True, slots=True)
class JobScope:
    """The identifiers of this job, and those that are known to belong to other jobs."""

    job: str = ""  # the scheduler's number of the job; "" if it is unknown
    pod_uids: frozenset[str] = frozenset()  # of this job's pods; empty if not all of them are known
    foreign_pods: frozenset[str] = frozenset()  # pods of other jobs
    foreign_hosts: frozenset[str] = frozenset()  # machines that are not members of this job, as lines name them
    system_programs: Mapping[str, str] = field(default_factory=dict)  # program or service → what it is
    machine_reporters: Collection[str] = ()  # the system programs whose own lines are about the machine
    age: float | None = None  # seconds from the creation of the job's oldest pod to the listing of the pods
    earlier_runs: Mapping[str, str] = field(default_factory=dict)  # file → number of an earlier run of the job
    put_aside: Mapping[str, str] = field(default_factory=dict)  # file → its folder for earlier runs
    ended_jobs: Mapping[str, str] = field(default_factory=dict)  # file → folder of a simultaneous job that ended well
    # (file, stream) → first and last lines of the reports of exceptions that ended nothing, in order
    ignored_exceptions: Mapping[tuple[str, str], Sequence[tuple[int, int]]] = field(default_factory=dict)
    # node → (own time of the node's clock in seconds, pid) of other jobs' processes that the kernel killed
    foreign_kills: Mapping[str, tuple[tuple[float, str], ...]] = field(default_factory=dict)

    def why_foreign(self, event: Event) -> str:
        """Return a sentence that says what else the event belongs to; "" if it may belong to this job."""
        captures = event.captures
        if number := self.earlier_runs.get(event.locus.file) or self._earlier_task_of(event):
            return f"it belongs to job {number}, an earlier run of the same name"
        if folder := self.put_aside.get(event.locus.file):
            return f"it is in the folder {folder}, beside the files of this run"
        if folder := self.ended_jobs.get(event.locus.file):
            return f"it belongs to the job in the folder {folder}, which ran on the same machines and ended well"
        if self.ignored_exceptions and self._is_ignored_exception(event):
            return "Python reported this exception and went on: it ended nothing"
        if self.job and (job := captures.get("job", "")) != self.job and job.isdecimal():
            return f"it belongs to job {job}, and this is job {self.job}"
        if self.foreign_pods and (pod := _pod_of(event)) in self.foreign_pods:
            return f"{pod} is a pod of another job"
        if self.foreign_hosts and (host := captures.get("host")) in self.foreign_hosts:
            return f"{host} is not a member of this job's cluster, whose members all left logs"
        if self.age is not None and (age := _age_of_event(event.text)) > AGE_SLACK * self.age + MIN_AGE_GAP_S:
            return (
                f"it happened {age / 60:,.0f} min before the listing; this job's pods are {self.age / 60:,.0f} min old"
            )
        if program := self._system_program_of(event):
            return f"{program} is {self.system_programs[program]}, not a process of this job"
        if self.pod_uids and (uid := _normalize_uid(captures.get("pod_uid", ""))) and uid not in self.pod_uids:
            return f"it belongs to the pod with the uid {uid}, which does not belong to this job"
        if (
            self.foreign_kills
            and event.kind is Kind.KERNEL
            and any(_is_in_report_of(event, kill) for kill in self.foreign_kills.get(event.node, ()))
        ):
            return "the same report says that the process belonged to another job"
        return ""

    def _is_ignored_exception(self, event: Event) -> bool:
        reports = self.ignored_exceptions.get((event.locus.file, event.stream), ())
        line = event.locus.line or 0
        index = bisect.bisect_right(reports, (line, sys.maxsize)) - 1
        return index >= 0 and line <= reports[index][1]

    def _earlier_task_of(self, event: Event) -> str:
        """Return the array task, an earlier run, if the event is a scheduler's row about it; else ""."""
        row = _match_array_row(event.text) if self.earlier_runs else None
        return row[1] if row and row[1] in self.earlier_runs.values() else ""

    def _system_program_of(self, event: Event) -> str:
        """Return the name of the program or service that the event is about, if no job runs it; else ""."""
        if not self.system_programs:
            return ""
        comm, unit = event.captures.get("comm", ""), event.captures.get("unit", "").removesuffix(".service")
        # A date that the program itself writes behind the tag makes its line look like one of the job's.
        tag = SYSLOG_TAG.search(event.text, 0, MAX_TAG_OFFSET) if event.kind is not Kind.KERNEL else None
        writer = tag[1] if tag and tag[1] not in self.machine_reporters else ""
        return next((name for name in (comm, unit, writer) if name in self.system_programs), "")


def find_job_scope(
    events: Sequence[Event],
    semantics: SignalSemantics,
    nodes: Iterable[Node],
    file_kinds: Mapping[str, Kind],
    member_hosts: Collection[str] = (),
    system_programs: Mapping[str, str] | None = None,
    machine_reporters: Collection[str] = (),
) -> JobScope:
    """Return the scope of the job of the nodes that left logs.

    A job number counts only if all sources that state one agree. The job's own output has priority over a scheduler's
    listing, which may have several jobs.

    Args:
        events: all events, of all nodes.
        semantics: which signals state numbers of jobs and uids of pods (`feeds: job`).
        nodes: all nodes; the present ones with tasks are the job's own.
        file_kinds: file → kind of its source.
        member_hosts: host names of the members, as the stated cluster writes them; empty if no cluster is stated, or
            if it has addresses instead of names.
        system_programs: program or service that is not part of a job → its description.
        machine_reporters: the system programs whose own lines in the system log are about the machine.
    """
    record_signals = semantics.signals_with("job")
    stated_jobs: dict[bool, set[str]] = {True: set(), False: set()}  # whether the job itself states it → numbers
    uid_by_pod: dict[str, str] = {}
    named_pods: set[str] = set()
    named_hosts: set[str] = set()
    kill_events: list[Event] = []
    earlier_runs = _find_earlier_runs(file_kinds, events)
    ended_jobs, earlier_folders = find_runs_aside(events, semantics, file_kinds)
    stated_jobs[True].update(
        number
        for file in file_kinds.keys() - earlier_runs.keys()
        if (match := _JOB_OUTPUT_FILE.search(file))
        for number in filter(None, match.groups())
    )
    for event in events:
        captures = event.captures
        if event.signal in record_signals and (job := captures.get("job")):
            stated_jobs["own" in captures or file_kinds.get(event.locus.file) is Kind.WORKER].add(job)
        if event.signal in record_signals and captures.get("uid"):
            uid_by_pod[_pod_of(event)] = _normalize_uid(captures["uid"])
        if event.kind is Kind.KERNEL and ("job" in captures or "pod_uid" in captures):
            kill_events.append(event)
        if event.kind is not Kind.WORKER:
            named_pods.update(_named_pods(event))
            named_hosts.add(captures.get("host", ""))
    numbers = stated_jobs[True] or _numbers_in_paths(stated_jobs[False], file_kinds) or stated_jobs[False]
    job_nodes = [node for node in nodes if node.present and node.tasks]
    own_names = {name for node in job_nodes for name in (node.name, *node.hosts)}
    is_complete = bool(member_hosts) and all(node.present for node in nodes if node.tasks)
    members = own_names.union(member_hosts) if is_complete else set[str]()
    foreign_pods = frozenset(
        (*_find_foreign_pods(named_pods, own_names), *_find_unrelated_pods(named_pods - own_names, members))
    )
    own_uids = frozenset(uid for pod, uid in uid_by_pod.items() if pod not in foreign_pods)
    all_uids_known = all(uid_by_pod.keys() & {node.name, *node.hosts} for node in job_nodes)
    scope = JobScope(
        job=next(iter(numbers)) if len(numbers) == 1 else "",
        pod_uids=own_uids if all_uids_known else frozenset(),
        foreign_pods=foreign_pods,
        foreign_hosts=frozenset(_find_foreign_hosts(named_hosts, members, member_hosts)),
        system_programs=system_programs or {},
        machine_reporters=machine_reporters,
        age=_age_of_pods(events, own_names),
        earlier_runs=earlier_runs,
        put_aside=earlier_folders | _find_files_put_aside(file_kinds),
        ended_jobs=ended_jobs,
        ignored_exceptions=_find_ignored_exceptions(events, semantics),
    )
    _log_scope(scope, numbers)
    return replace(scope, foreign_kills=_find_foreign_kills(kill_events, scope))


def _age_of_pods(events: Iterable[Event], own_names: Collection[str]) -> float | None:
    """Return the age in seconds of the oldest of the job's pods that a listing shows; None if it shows none.

    Without a listing of pods, the events about their start are used.
    """
    texts = [event.text for event in events if event.kind is not Kind.WORKER]
    rows = filter(None, map(_match_pod_age, texts))
    ages = [_read_age(row["age"]) for row in rows if row["pod"] in own_names]
    starts = (text for text in texts if (start := _match_pod_start(text)) and start["pod"] in own_names)
    return max(ages or map(_age_of_event, starts), default=None) or None


def _find_ignored_exceptions(
    events: Iterable[Event], semantics: SignalSemantics
) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """Return (file, stream) → first and last lines of each report of an exception that Python ignores."""
    reports: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for event in events:
        if semantics.has_meaning("ignored", event) and event.locus.line:
            lines = (event.locus.line, event.locus.line + len(event.block))
            bisect.insort(reports.setdefault((event.locus.file, event.stream), []), lines)
    return reports


def _find_files_put_aside(file_kinds: Mapping[str, Kind]) -> dict[str, str]:
    """Return file → its folder for earlier runs, if programs of the job also left files elsewhere."""
    aside = {file: match["name"] for file in file_kinds if (match := _find_aside_folder(file))}
    has_others = any(kind is Kind.WORKER and file not in aside for file, kind in file_kinds.items())
    return aside if has_others else {}


def _find_earlier_runs(files: Iterable[str], events: Iterable[Event]) -> dict[str, str]:
    """Return file → number of its job, for the files of runs of a batch job before its last one.

    Runs share the job's name. Batch jobs with one name may also be the tasks of one job: then their times overlap, and
    each has the output of only one task. Batch jobs on different machines are not runs of one job.
    """
    runs: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for file in files:
        if match := _NAMED_OUTPUT_FILE(file):
            number = match["number"] or match["oar"] or match["index"] or match["job"]
            runs[match["name"] or match["array"] or match["slurm"]][int(number)].append(file)
    several = [by_number for by_number in runs.values() if len(by_number) > 1]
    if len(several) != 1:
        return {}
    (by_number,) = several
    run_of_file = {file: number for number, of_run in by_number.items() for file in of_run}
    last = max(by_number)
    times: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))  # run → node → by its clock
    writers: dict[int, set[str]] = defaultdict(set)
    for event in events:
        if (run := run_of_file.get(event.locus.file)) is None:
            continue
        if event.node:
            writers[run].add(event.node)
        if event.time is not None:
            times[run][event.node].append(event.time)
    earlier = [number for number in by_number if number != last]
    if any(_is_overlapping(times[number], times[last]) for number in earlier):
        return {}
    if any(writers[number] and writers[number].isdisjoint(writers[last]) for number in earlier):
        return {}
    if len(writers[last]) < 2 and not (times[last] and all(times[number] for number in earlier)):
        return {}
    return {file: _name_of_run(file, number) for file, number in run_of_file.items() if number != last}


def _name_of_run(file: str, number: int) -> str:
    """Return the number of the job, `7001_3` for the task of an array."""
    match = _NAMED_OUTPUT_FILE(file)
    return f"{match['array'].removeprefix('slurm-')}_{number}" if match and match["array"] else str(number)


def _is_overlapping(earlier: Mapping[str, Sequence[float]], last: Mapping[str, Sequence[float]]) -> bool:
    """Return whether a node wrote in the earlier run after it had begun to write in the last one.

    If no node wrote in both, the times of all nodes are compared. Both arguments map node → times by its own clock.
    """
    nodes = (earlier.keys() & last.keys()) - {""}
    if nodes:
        return any(max(earlier[node]) > min(last[node]) for node in nodes)
    before, after = (
        [time for times in earlier.values() for time in times],
        [t for times in last.values() for t in times],
    )
    return bool(before and after) and max(before) > min(after)


def _age_of_event(text: str) -> float:
    """Return the age in seconds of a row of `kubectl get events` at the time of the listing; 0 for other texts."""
    row = _match_event_age(text)
    return _read_age(row["age"]) if row else 0.0


def _read_age(text: str) -> float:
    return float(sum(int(number) * _AGE_UNITS_S[unit] for number, unit in re.findall(r"(\d{1,4})([dhms])", text)))


def _numbers_in_paths(numbers: Collection[str], files: Iterable[str]) -> set[str]:
    """Return the job numbers of a scheduler's listing that occur in names of files, as in `surrogate-51902_3.log`."""
    in_paths = {number for file in files for number in _NUMBER.findall(file)}
    return in_paths.intersection(numbers)


def _log_scope(scope: JobScope, numbers: Collection[str]) -> None:
    if len(numbers) > 1:
        _log.info("the sources state %d job numbers, so none is taken as the number of this job", len(numbers))
        _log.debug("stated job numbers: %s", ", ".join(sorted(numbers)))
    elif scope.job:
        _log.info("this is job %s; lines that name another job are context", scope.job)
    if scope.foreign_hosts:
        _log.info("%d machines that lines name are not members of the cluster", len(scope.foreign_hosts))
        _log.debug("machines of others: %s", ", ".join(sorted(scope.foreign_hosts)))
    if scope.foreign_pods:
        _log.info("%d pods belong to other jobs, judged by their names", len(scope.foreign_pods))
        _log.debug("pods of other jobs: %s", ", ".join(sorted(scope.foreign_pods)))


def _find_foreign_kills(kills: Iterable[Event], scope: JobScope) -> dict[str, tuple[tuple[float, str], ...]]:
    """Return the kills of other jobs' processes: node → (own time, pid)."""
    kills_by_node: dict[str, tuple[tuple[float, str], ...]] = {}
    for event in kills:
        if scope.why_foreign(event) and event.time is not None:
            kills_by_node[event.node] = (
                *kills_by_node.get(event.node, ()),
                (event.time, event.captures.get("pid", "")),
            )
    return kills_by_node


def _is_in_report_of(event: Event, kill: tuple[float, str]) -> bool:
    """Return whether the event is part of the kernel's report of the kill: about the process, or about its cause."""
    time, pid = kill
    is_near = event.time is not None and abs(event.time - time) <= KILL_REPORT_S
    return is_near and "job" not in event.captures and event.captures.get("pid", "") in ("", pid)


def _normalize_uid(text: str) -> str:
    return text.replace("_", "-").lower()


def _pod_of(event: Event) -> str:
    return event.captures.get("host", "").rpartition("/")[2]


def _named_pods(event: Event) -> Iterator[str]:
    """Yield the pod that a line of a listing or of the cluster's events names; the same capture may name a machine."""
    if not (name := _pod_of(event)):
        return
    is_listed = "uid" in event.captures or any(line.startswith("Namespace:") for line in event.block[:3])
    if is_listed or name in (
        name_match.strip(".") for name_matches in _NAMED_POD.findall(event.text) for name_match in name_matches
    ):
        yield name


def _job_prefix(pod: str) -> str | None:
    """Return `embed` for `embed-worker-1`, "" for `worker-1`, and None for a name without a role."""
    role = _POD_ROLE.search(pod)
    return pod[: role.start()] if role and _POD_SUFFIX.match(pod, role.end()) else None


def _find_foreign_pods(pods: Iterable[str], own_names: set[str]) -> Iterator[str]:
    """Yield the pods whose names show that they belong to other jobs than the nodes that left logs (`own_names`)."""
    jobs = {job for name in own_names if (job := _job_prefix(name)) is not None}
    for pod in sorted(pods) if jobs else ():
        name = _job_prefix(pod)
        is_of_own_job = any(job and pod.startswith(f"{job}-") for job in jobs)
        if pod not in own_names and not is_of_own_job and (pod if name is None else name) not in jobs:
            yield pod


def _find_unrelated_pods(pods: Iterable[str], members: Collection[str]) -> Iterator[str]:
    """Yield the pods that cannot be members: their names contain neither a role nor a part of a member's name.

    `members` are all names of all members; empty if not all of them are known.
    """
    labels = {_first_label(name) for name in members}
    for pod in sorted(pods) if labels else ():
        is_related = any(label in pod or pod in label for label in labels)
        if not is_related and _job_prefix(pod) is None:
            yield pod


def _find_foreign_hosts(hosts: Iterable[str], members: Collection[str], member_hosts: Collection[str]) -> Iterator[str]:
    """Yield the hosts that are numbered like the members' hosts (`gpu-17` beside `gpu-3`) and are not among them.

    A host with another form of name is left out, because it may be a second name of a member.
    """
    labels = {_first_label(name) for name in members}
    families = {_family(name) for name in member_hosts}
    for host in sorted(hosts) if len(families) == 1 and labels else ():
        if _family(host) in families and _first_label(host) not in labels:
            yield host


def _first_label(name: str) -> str:
    return name.partition(".")[0].lower()


def _family(host: str) -> str:
    """Return the name without its numbers: `gpu-#` for `gpu-17.cluster.local`."""
    return re.sub(r"\d+", "#", _first_label(host))
