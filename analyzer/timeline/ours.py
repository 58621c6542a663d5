"""Which lines are of this job, and which are of others that used the same machines or share its namespace.

A node's log and a scheduler's listing tell of every job: `job_48102` in a cgroup's path is Slurm's number of one
(src/plugins/cgroup), `kubepods-burstable-pod1b9e0c77_21d4.slice` holds the uid of a pod, `embed-worker-1` is a pod of
the job `embed`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from analyzer.feeds import Feeds
from analyzer.model import Event, Kind, Node

REPORT = 5.0  # seconds that the kernel's report of one kill takes at most
# The name of a job before the role of one of its pods; behind the role stand an index and what a controller adds.
_ROLE = re.compile(
    r"(?:^|[-_.])(?:chief|master|coordinator|worker|ps|evaluator|launcher|trainer|driver|dispatcher|replica)"
)
_BEHIND_ROLE = re.compile(r"(?:[-.]?+\w)*+$")
# `slurm-7001.out` (sbatch), `train.o88120` (PBS, Torque, Grid Engine): the job's own output; an array's not.
_OUTPUT = re.compile(r"(?:^|/)(?:slurm-(\d{1,18})\.(?:out|err)|[^/]+\.(?:o|e|po|pe)(\d{2,18}))(?:\.gz)?$")
# `pod/name`, `Pod namespace/name`; or a row of `kubectl get pods`: a namespace perhaps, the name, `1/1`
_NAMED = re.compile(r"(?:\bpods?/|\b[Pp]od )(?:[\w.-]+/)?([\w.-]+)|^\s*(?:[a-z0-9-]+\s+)?(\S+)\s+\d+/\d+\s")


@dataclass(frozen=True, slots=True)
class Ours:
    """`job` is the scheduler's number of the job, "" where nothing tells, `uids` are those of its pods, `strangers`
    are pods of other jobs, `killed` the processes of others that the kernel killed, by node: (time, pid).
    """

    job: str = ""
    uids: frozenset[str] = frozenset()
    strangers: frozenset[str] = frozenset()
    killed: Mapping[str, tuple[tuple[float, str], ...]] = field(default_factory=dict)

    def disown(self, event: Event) -> str:
        """Whose the event is instead, in words; "" where it may be this job's."""
        said = event.captures
        if self.job and (job := said.get("job", "")) != self.job and job.isdecimal():
            return f"it is of job {job}, and this is job {self.job}"
        if self.strangers and (pod := _pod_of(event)) in self.strangers:
            return f"{pod} is a pod of another job"
        if self.uids and (uid := _uid(said.get("pod_uid", ""))) and uid not in self.uids:
            return f"it is of the pod with the uid {uid}, which is none of this job's"
        if (
            self.killed
            and event.kind is Kind.KERNEL
            and any(_is_of(event, one) for one in self.killed.get(event.node, ()))
        ):
            return "the same report says that the process was another job's"
        return ""


def find_ours(events: Iterable[Event], feeds: Feeds, nodes: Iterable[Node], kinds: Mapping[str, Kind]) -> Ours:
    """`feeds` tells which signals state the numbers of jobs and the uids of pods; `kinds` are those of the files."""
    records = feeds.signals("job")
    stated: dict[bool, set[str]] = {True: set(), False: set()}  # by the job itself?
    uids: dict[str, str] = {}
    pods: set[str] = set()
    kills: list[Event] = []
    stated[True].update(
        number for file in kinds if (found := _OUTPUT.search(file)) for number in filter(None, found.groups())
    )
    for event in events:
        said = event.captures
        if event.signal in records and (job := said.get("job")):
            stated["own" in said or kinds.get(event.locus.file) is Kind.WORKER].add(job)
        if event.signal in records and said.get("uid"):
            uids[_pod_of(event)] = _uid(said["uid"])
        if event.kind is Kind.KERNEL and ("job" in said or "pod_uid" in said):
            kills.append(event)
        if event.kind is not Kind.WORKER:
            pods.update(_pods(event))
    numbers = stated[True] or stated[False]
    seen = [node for node in nodes if node.present and node.tasks]
    own = {name for node in seen for name in (node.name, *node.hosts)}
    strangers = frozenset(_strangers(pods, own))
    known = frozenset(uid for pod, uid in uids.items() if pod not in strangers)
    whole = all(uids.keys() & {node.name, *node.hosts} for node in seen)
    ours = Ours(next(iter(numbers)) if len(numbers) == 1 else "", known if whole else frozenset(), strangers)
    return replace(ours, killed=_killed(kills, ours))


def _killed(kills: Iterable[Event], ours: Ours) -> dict[str, tuple[tuple[float, str], ...]]:
    found: dict[str, tuple[tuple[float, str], ...]] = {}
    for event in kills:
        if ours.disown(event) and event.time is not None:
            found[event.node] = (*found.get(event.node, ()), (event.time, event.captures.get("pid", "")))
    return found


def _is_of(event: Event, kill: tuple[float, str]) -> bool:
    """A line of the same report: of the same process, or the one that called for it."""
    time, pid = kill
    near = event.time is not None and abs(event.time - time) <= REPORT
    return near and "job" not in event.captures and event.captures.get("pid", "") in ("", pid)


def _uid(text: str) -> str:
    return text.replace("_", "-").lower()


def _pod_of(event: Event) -> str:
    return event.captures.get("host", "").rpartition("/")[2]


def _pods(event: Event) -> Iterator[str]:
    """The pod that a line of a listing or of the cluster's events speaks of; the same words speak of machines."""
    if not (name := _pod_of(event)):
        return
    listed = "uid" in event.captures or any(line.startswith("Namespace:") for line in event.block[:3])
    if listed or name in (found.strip(".") for pair in _NAMED.findall(event.text) for found in pair):
        yield name


def _job_of(pod: str) -> str | None:
    """`embed` of `embed-worker-1`, "" of `worker-1`; None for a name without a role."""
    role = _ROLE.search(pod)
    return pod[: role.start()] if role and _BEHIND_ROLE.match(pod, role.end()) else None


def _strangers(pods: Iterable[str], own: set[str]) -> Iterator[str]:
    """Pods whose names say that they are of other jobs than those which left logs."""
    jobs = {job for name in own if (job := _job_of(name)) is not None}
    for pod in sorted(pods) if jobs else ():
        name = _job_of(pod)
        kin = any(job and pod.startswith(f"{job}-") for job in jobs)
        if pod not in own and not kin and (pod if name is None else name) not in jobs:
            yield pod
