"""The names by which each node is known: `/job:worker/task:2`, `10.0.0.13:2222` and `ip-10-0-0-13` may be one node."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from typing import Any

from analyzer.facts.claims import Claim, describe_conflicts
from analyzer.facts.cluster_spec import ClusterSpec, read_task, split_address
from analyzer.facts.host_series import HostSeries, learn_host_series, task_in_series
from analyzer.facts.path_labels import job_of_label, task_of_label
from analyzer.facts.stream_identities import StreamKey
from analyzer.formats.writer_pairs import split_pair
from analyzer.model import Event, Node
from analyzer.wording import natural_key

LOOPBACK = re.compile(r"^(?:localhost.*|127\.0\.0\.1|::1|0\.0\.0\.0|\*|)$", re.I)
NUMERIC_ADDRESS = re.compile(r"^\d+\.\d+\.\d+\.\d+$|:")
MAX_CONFLICTS = 100  # that are told
# A rank, a task, the short id of an allocation (Nomad), a cloud's number of a machine.
_is_opaque_name = re.compile(
    r"(?:rank|worker|ps|chief)[ :]\d|(?=(?:[a-f]*\d){2})[0-9a-f]{8}$|i-[0-9a-f]{8,17}$|instance-\d{8,20}$"
).match
_match_ec2_name = re.compile(r"ip-(\d{1,3}(?:-\d{1,3}){3})").fullmatch  # EC2's default name of 10.0.0.13: ip-10-0-0-13
_log = logging.getLogger("analyzer.facts")


@dataclass(slots=True)
class NodeDraft:
    """A node while its names are collected. `present` is False for a node of which the bundle holds no file."""

    name: str
    present: bool = True
    hosts: set[str] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)
    tasks: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Registry:
    """All nodes, and the name of the node for each stream, host, address, pid, rank and task.

    A task has several owners if several nodes claim it.
    """

    drafts: dict[str, NodeDraft] = field(default_factory=dict)
    by_stream: dict[StreamKey, str] = field(default_factory=dict)
    by_host: dict[str, str] = field(default_factory=dict)  # keys are lower case
    by_address: dict[str, str] = field(default_factory=dict)
    by_pid: dict[str, set[str]] = field(default_factory=dict)
    by_rank: dict[str, str] = field(default_factory=dict)  # number of a launcher's rank → the node of its lines
    by_array_index: dict[int, str] = field(default_factory=dict)  # of a task of a batch job → its node or ""
    task_owners: dict[str, list[str]] = field(default_factory=dict)
    shared_names: set[str] = field(default_factory=set)  # lower case; each machine's only container has the same
    multi_host_files: frozenset[str] = frozenset()  # files whose lines name several hosts
    cluster: ClusterSpec | None = None
    named_by: dict[str, Claim] = field(default_factory=dict)  # node → the claim by which it has its name
    conflicts: tuple[Claim, ...] = ()  # claims that contradict equal ones
    _series: HostSeries | None = None  # learned when a host without a node is first mentioned: all tasks are known then
    _short_domains: set[str] | None = None  # lower case; of nodes whose names lack it

    def node_of_stream(self, file: str, stream: str) -> str:
        """Return the node that wrote a stream of a file; "" if that is not known."""
        return self.by_stream.get((file, stream), "")

    def node_of_event(self, event: Event) -> str:
        """Return the node on which an event happened; "" if that is not known."""
        key = (event.locus.file, event.stream)
        if key in self.by_stream and split_pair(event.stream):
            return self.by_stream[key]  # a host within the lines is another name of the pair
        if event.host and (event.locus.file in self.multi_host_files or key not in self.by_stream):
            return self.node_of_host(event.host) or self.by_stream.get(key, "")
        return self.by_stream.get(key) or ""

    def node_of_pid(self, pid: str) -> str:
        """Return the only node one of whose programs states this pid, else ""."""
        owners = self.by_pid.get(pid, set())
        return next(iter(owners)) if len(owners) == 1 else ""

    def node_of_ec2_address(self, host: str) -> str | None:
        """Return the node whose host name is EC2's default for the address: `ip-10-0-0-13` for 10.0.0.13."""
        return self.by_host.get("ip-" + host.replace(".", "-")) if re.fullmatch(r"[\d.]+", host) else None

    def has_no_host_name(self, node: str) -> bool:
        """Return whether a node is known by an address, a rank, a task or an opaque id alone."""
        names = (node, *self.drafts[node].hosts)
        return all(NUMERIC_ADDRESS.search(name) or _is_opaque_name(name) for name in names)

    def node_of_exit(self, event: Event, node: str) -> str:
        """Return the node that ended: that of the task, host or supervised program which the event names.

        An event that names none is about `node`, whose log holds it. The result is "" if the name is unknown, or if
        `node` runs several tasks and the event names only a program.
        """
        task, host, program = (event.captures.get(name, "") for name in ("task", "host", "program"))
        if not (task or host or program):
            return node
        machine = event.captures.get("machine", "")  # on which a pod ran
        named_node = (
            self.node_of_task(task)
            or self._node_of_label(event, host)
            or self.node_of_host(host)
            or self.node_of_task(host)
            or self.node_of_host(machine)
            or self.node_of_task(task_of_label(program) or "")
        )
        is_only_program = program and node and len(self.drafts[node].tasks) <= 1
        return named_node or (node if is_only_program or host.lower() in self.shared_names else "")

    def _node_of_label(self, event: Event, name: str) -> str | None:
        """Return the node of the stream with this label: a supervisor names its programs as it labels their lines."""
        return self.by_stream.get((event.locus.file, name)) if name else None

    def ensure_node(self, name: str) -> str:
        """Return the node known by this host name, else `name` itself, for which a node is created if it is new."""
        node = self.by_host.get(name.lower()) or name
        self.drafts.setdefault(node, NodeDraft(node))
        return node

    def node_of_host(self, name: str) -> str | None:
        """Return the node of a host name or numeric address; the domain of a name need not match."""
        short = name.lower().partition(".")[0] if not NUMERIC_ADDRESS.search(name) else name
        ec2_address = match[1].replace("-", ".") if (match := _match_ec2_name(short)) else ""
        return self.by_host.get(name.lower()) or self.by_host.get(short) or self.by_host.get(ec2_address)

    def node_of_address(self, text: str) -> str | None:
        """Return the node that serves at `host:port`, else the node of that host; None for a loopback address."""
        host, port = split_address(text)
        if port and (node := self.by_address.get(f"{host}:{port}")):
            return node
        return None if LOOPBACK.match(host) else self.node_of_host(host)

    def node_of_task(self, text: str) -> str | None:
        """Return the one owner of a task; None if no node or several nodes own it."""
        owners = self.task_owners.get(read_task(text) or text, [])
        return owners[0] if len(owners) == 1 else None

    def describe_conflicts(self) -> list[str]:
        """Return a sentence for each contradiction about who is who, MAX_CONFLICTS at most."""
        of_tasks = [
            f"task {task} is claimed by {', '.join(sorted(owners, key=natural_key))}"
            for task, owners in sorted(self.task_owners.items())
            if len(owners) > 1
        ]
        return [*of_tasks, *describe_conflicts(self.conflicts, MAX_CONFLICTS)][:MAX_CONFLICTS]

    def build_nodes(self) -> list[Node]:
        """Return the nodes, sorted by name."""
        names: dict[str, set[str]] = {}
        for other, node in self.by_host.items():
            if not NUMERIC_ADDRESS.search(other) and other not in self.task_owners:
                names.setdefault(node, set()).add(other)
        return [
            Node(
                name=draft.name,
                hosts=tuple(sorted(draft.hosts)),
                addresses=tuple(sorted(draft.addresses)),
                tasks=tuple(sorted(draft.tasks, key=natural_key)),
                present=draft.present,
                names=tuple(sorted(_drop_other_case({draft.name, *draft.hosts}, names.get(draft.name, set())))),
                named_by=str(self.named_by.get(draft.name, "")),
            )
            for draft in sorted(self.drafts.values(), key=lambda draft: natural_key(draft.name))
        ]

    def ensure_draft(self, name: str) -> NodeDraft:
        """Return the draft of exactly this name, created if it is new."""
        return self.drafts.setdefault(name, NodeDraft(name))

    def assign_task(self, task: str, node: str, reason: str) -> None:
        """Make `node` the only owner of `task`. `reason` says, for the trace, what it was concluded from."""
        if rivals := [owner for owner in self.task_owners.get(task, ()) if owner != node]:
            _log.debug("Task %s is assigned to node %s and not to %s: %s", task, node, ", ".join(rivals), reason)
        else:
            _log.debug("Task %s is assigned to node %s: %s", task, node, reason)
        self.task_owners[task] = [node]
        self.drafts[node].tasks.add(task)

    def add_claim(self, task: str, node: str, reason: str) -> None:
        """Make `node` an owner of `task`, beside others that claim it."""
        owners = self.task_owners.setdefault(task, [])
        if node not in owners:
            owners.append(node)
            _log.debug("Task %s is claimed by node %s: %s", task, node, reason)
        self.drafts[node].tasks.add(task)

    def add_missing_task(self, task: str, reason: str) -> None:
        """Add a node, named after `task`, of which the bundle holds no file."""
        self.ensure_draft(task).present = False
        self.assign_task(task, task, reason)

    def rename_to_host(self, node: str, host: str, reason: str) -> None:
        """Give all that is known of `node` to the node of `host`, which other files may have named already."""
        target = self.ensure_draft(self.node_of_host(host) or host)
        target.hosts.add(host)
        self.join_nodes(node, target.name, f"it is host {host}: {reason}")
        self.by_host[host.lower()] = target.name

    def join_nodes(self, node: str, target: str, reason: str) -> None:
        """Give all that is known of `node` to `target`; its own name is lost unless it is that of a host."""
        _log.debug("Node %s is node %s: %s", node, target, reason)
        if claim := self.named_by.pop(node, None):
            self.named_by.setdefault(target, claim)
        self.ensure_draft(node)  # a name may be known without anything that it states
        old, new = self.drafts.pop(node), self.ensure_draft(target)
        new.present = True
        new.hosts |= old.hosts
        new.addresses |= old.addresses
        new.tasks |= old.tasks
        for index in (self.by_stream, self.by_host, self.by_address, self.by_rank, self.by_array_index):
            _replace_values(index, node, target)
        for owners in self.task_owners.values():
            owners[:] = dict.fromkeys(target if owner == node else owner for owner in owners)
        for pids in self.by_pid.values():
            if node in pids:
                pids.remove(node)
                pids.add(target)

    def node_of_pod(self, host: str) -> str | None:
        """Return the owner of the task that a pod is named for (`bert-worker-2`), unless it belongs to another job."""
        owner = self.node_of_task(task_of_label(host) or "")
        if owner is None:
            return None
        jobs = {job for name in (owner, *self.drafts[owner].hosts) if (job := job_of_label(name))}
        job = job_of_label(host)
        return owner if not job or not jobs or job in jobs else None

    def _absent_member(self, host: str) -> str | None:
        """Return the node without files whose task a host has by its number, as the members with files do."""
        if self._series is None:
            members = [draft for draft in self.drafts.values() if draft.present and len(draft.tasks) == 1]
            self._series = learn_host_series(
                (name, task) for draft in members for task in draft.tasks for name in (draft.name, *sorted(draft.hosts))
            )
        owner = self.node_of_task(task_in_series(host, self._series) or "")
        return owner if owner and not self.drafts[owner].present else None

    def add_mentioned_host(self, host: str) -> None:
        """Add a host that lines mention: as a name of the node whose pod it is, else as a node without files."""
        if not host or LOOPBACK.match(host) or NUMERIC_ADDRESS.search(host) or self.node_of_host(host) is not None:
            return
        if host.lower() in self.shared_names:
            return
        if owner := self.node_of_pod(host) or self._absent_member(host):
            self.by_host[host.lower()] = owner
        else:
            draft = self.ensure_draft(self.name_as_siblings(host))
            draft.present = False
            draft.hosts.add(host)
            self.by_host[host.lower()] = draft.name
            self.by_host.setdefault(host.lower().partition(".")[0], draft.name)

    def name_as_siblings(self, host: str) -> str:
        """Return the name of an absent host without its domain, if present nodes of that domain are called so."""
        short, dot, domain = host.partition(".")
        if not dot or NUMERIC_ADDRESS.search(host):
            return host
        if self._short_domains is None:
            present = {draft.name.lower() for draft in self.drafts.values() if draft.present}
            hosts = {name.lower() for draft in self.drafts.values() for name in draft.hosts}
            hosts |= {name.lower() for name in (self.cluster.host_names() if self.cluster else ())}
            self._short_domains = {name.partition(".")[2] for name in hosts if name.partition(".")[0] in present}
        return short if domain.lower() in self._short_domains - {""} else host


def _drop_other_case(written: set[str], lower_case: set[str]) -> set[str]:
    """Return all names, without the lower-case forms of those that are `written` otherwise."""
    return written | (lower_case - {name.lower() for name in written})


def _replace_values(index: dict[Any, str], old: str, new: str) -> None:
    for key in [key for key, name in index.items() if name == old]:
        index[key] = new
