"""Every name by which a node is known: "/job:worker/task:2", "10.0.0.13:2222" and "ip-10-0-0-13" are one node."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from analyzer.facts.cluster_spec import ClusterSpec, read_task, split_address
from analyzer.facts.path_labels import job_of_label, task_of_label
from analyzer.facts.stream_identities import StreamKey
from analyzer.model import Event, Node
from analyzer.wording import natural_key

LOOPBACK = re.compile(r"^(?:localhost.*|127\.0\.0\.1|::1|0\.0\.0\.0|\*|)$", re.I)
NUMERIC_ADDRESS = re.compile(r"^\d+\.\d+\.\d+\.\d+$|:")
_match_ec2_name = re.compile(r"ip-(\d{1,3}(?:-\d{1,3}){3})").fullmatch  # EC2's default name of 10.0.0.13: ip-10-0-0-13


@dataclass(slots=True)
class NodeDraft:
    """A node while its names are collected."""

    name: str
    present: bool = True
    hosts: set[str] = field(default_factory=set)
    addresses: set[str] = field(default_factory=set)
    tasks: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Registry:
    """Every name by which a node is known. `owners` of a task are several where two nodes claim it."""

    drafts: dict[str, NodeDraft] = field(default_factory=dict)
    by_stream: dict[StreamKey, str] = field(default_factory=dict)
    by_host: dict[str, str] = field(default_factory=dict)
    by_address: dict[str, str] = field(default_factory=dict)
    by_pid: dict[str, set[str]] = field(default_factory=dict)
    by_rank: dict[str, str] = field(default_factory=dict)  # number of a launcher's rank → who wrote behind it
    task_owners: dict[str, list[str]] = field(default_factory=dict)
    representatives: dict[str, str] = field(default_factory=dict)  # a quiet file → the one whose voice speaks for it
    multi_host_files: frozenset[str] = frozenset()
    cluster: ClusterSpec | None = None

    def node_of_stream(self, file: str, stream: str) -> str:
        """The node that wrote a stream of a file, "" where nothing tells."""
        return self.by_stream.get((self.representatives.get(file, file), stream), "")

    def node_of_event(self, event: Event) -> str:
        """The node that an event happened on, "" where nothing tells."""
        if event.host and (
            event.locus.file in self.multi_host_files or (event.locus.file, event.stream) not in self.by_stream
        ):
            return self.node_of_host(event.host) or self.by_stream.get((event.locus.file, event.stream), "")
        return self.by_stream.get((event.locus.file, event.stream)) or ""

    def node_of_exit(self, event: Event, node: str) -> str:
        """The node whose end the event states: that of the task, host or supervised program that it names.

        Without a name it is `node`, on which the event was said; "" where a name is known to nobody, and where the
        supervisor of several tasks names none of them.
        """
        task, host, program = (event.captures.get(name, "") for name in ("task", "host", "program"))
        if not (task or host or program):
            return node
        machine = event.captures.get("machine", "")  # on which a pod ran
        named = (
            self.node_of_task(task)
            or self.node_of_host(host)
            or self.node_of_host(machine)
            or self.node_of_task(task_of_label(program) or "")
        )
        lone = program and node and len(self.drafts[node].tasks) <= 1
        return named or (node if lone else "")

    def ensure_node(self, name: str) -> str:
        """The node's name as it is known; a new one where nobody has spoken for it."""
        known = self.by_host.get(name.lower()) or name
        self.drafts.setdefault(known, NodeDraft(known))
        return known

    def node_of_host(self, name: str) -> str | None:
        short = name.lower().partition(".")[0] if not NUMERIC_ADDRESS.search(name) else name
        dotted = found[1].replace("-", ".") if (found := _match_ec2_name(short)) else ""
        return self.by_host.get(name.lower()) or self.by_host.get(short) or self.by_host.get(dotted)

    def node_of_address(self, text: str) -> str | None:
        host, port = split_address(text)
        if port and (node := self.by_address.get(f"{host}:{port}")):
            return node
        return None if LOOPBACK.match(host) else self.node_of_host(host)

    def node_of_task(self, text: str) -> str | None:
        """The one owner of a task; None where nobody or several own it."""
        owners = self.task_owners.get(read_task(text) or text, [])
        return owners[0] if len(owners) == 1 else None

    def build_nodes(self) -> list[Node]:
        return [
            Node(
                d.name,
                tuple(sorted(d.hosts)),
                tuple(sorted(d.addresses)),
                tuple(sorted(d.tasks, key=natural_key)),
                present=d.present,
            )
            for d in sorted(self.drafts.values(), key=lambda draft: natural_key(draft.name))
        ]

    def ensure_draft(self, name: str) -> NodeDraft:
        return self.drafts.setdefault(name, NodeDraft(name))

    def assign_task(self, task: str, node: str) -> None:
        """The task is the node's alone."""
        self.task_owners[task] = [node]
        self.drafts[node].tasks.add(task)

    def rename_to_host(self, node: str, host: str) -> None:
        """What is known of the node is the machine's, of which other files may have spoken by its name."""
        old = self.drafts.pop(node)
        new = self.ensure_draft(self.node_of_host(host) or host)
        new.present = True
        new.hosts |= old.hosts | {host}
        new.addresses |= old.addresses
        new.tasks |= old.tasks
        for names in (self.by_stream, self.by_host, self.by_address, self.by_rank):
            _replace_values(names, node, new.name)
        self.by_host[host.lower()] = new.name
        for owners in self.task_owners.values():
            owners[:] = [new.name if owner == node else owner for owner in owners]
        for pids in self.by_pid.values():
            if node in pids:
                pids.remove(node)
                pids.add(new.name)

    def node_of_pod(self, host: str) -> str | None:
        """The node whose task a pod is named for, `bert-worker-2`; not where that node is called for another job."""
        owner = self.node_of_task(task_of_label(host) or "")
        if owner is None:
            return None
        jobs = {job for name in (owner, *self.drafts[owner].hosts) if (job := job_of_label(name))}
        job = job_of_label(host)
        return owner if not job or not jobs or job in jobs else None

    def add_mentioned_host(self, host: str) -> None:
        """A host that lines name and no file speaks for."""
        if not host or LOOPBACK.match(host) or NUMERIC_ADDRESS.search(host) or self.node_of_host(host) is not None:
            return
        if owner := self.node_of_pod(host):
            self.by_host[host.lower()] = owner
        else:
            draft = self.ensure_draft(host)
            draft.present = False
            draft.hosts.add(host)
            self.by_host[host.lower()] = host
            self.by_host.setdefault(host.lower().partition(".")[0], host)


def _replace_values(names: dict[Any, str], old: str, new: str) -> None:
    for key in [key for key, name in names.items() if name == old]:
        names[key] = new
