"""Cluster specs and task names in all the forms that TensorFlow and its users write."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from analyzer.untrusted.documents import MalformedError
from analyzer.untrusted.literals import read_literal
from analyzer.untrusted.numbers import read_whole

_TASK = re.compile(
    r"(?<![\w.])(?:/job:)?(?!replica:)(?P<job>[A-Za-z_]\w*?)(?:/replica:\d+)?(?:/task:|[:/-])(?P<index>\d{1,9})(?:$|[/,\s\]\)'\"])"
)
_ARROW = re.compile(r"\b(\d{1,9})\s*->\s*([^\s,}]+)")
MAX_INDEX = 100_000
MAX_CACHED_ADDRESSES = 4096  # the same few addresses occur in ten thousand events
ASYNCHRONOUS_TASK_PREFIXES = ("ps:", "evaluator:")  # of tasks that do not train in step with the others
LOCALHOST = re.compile(r"^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\]|0\.0\.0\.0)$", re.I)


@dataclass(frozen=True, slots=True)
class ClusterSpec:
    """The addresses of each job by task index; None for an index that the spec omits."""

    jobs: Mapping[str, tuple[str | None, ...]]

    def address_of(self, task: str) -> str | None:
        """Return the address of a task such as `worker:2`; None if the spec does not have it."""
        job, _, index = task.partition(":")
        members = self.jobs.get(job, ())
        position = read_whole(index)
        return members[position] if position is not None and 0 <= position < len(members) else None

    @property
    def leader_address(self) -> str | None:
        """The address of the first task, which runs the coordination service."""
        first = next((job for job in ("chief", "master", "worker") if self.jobs.get(job)), "")
        return self.address_of(f"{first}:0")

    def task_addresses(self) -> dict[str, str]:
        """Return task name → address for every task that has one."""
        return {
            f"{job}:{i}": address for job, members in self.jobs.items() for i, address in enumerate(members) if address
        }

    def host_names(self) -> frozenset[str]:
        """Return the hosts of all tasks; nothing if one has an IP address, no address, or that of its own machine."""
        addresses = [address for members in self.jobs.values() for address in members]
        hosts = [split_address(address)[0] if address else "" for address in addresses]
        is_named = all(
            host and not host[0].isdigit() and ":" not in host and not LOCALHOST.match(host) for host in hosts
        )
        return frozenset(hosts) if is_named else frozenset()

    def with_jobs(self, other: ClusterSpec) -> ClusterSpec | None:
        """Return the cluster with the jobs that it lacks; None if it has one of them with other addresses.

        TensorFlow 1 logs job by job, and a member's own address as localhost.
        """
        for job, members in other.jobs.items():
            own_members = self.jobs.get(job, members)
            is_same = len(own_members) == len(members) and all(map(_is_alike, own_members, members))
            if not is_same:
                return None
        return ClusterSpec({**other.jobs, **self.jobs})

    @property
    def task_count(self) -> int:
        """The number of tasks, including those without an address."""
        return sum(map(len, self.jobs.values()))


def _is_alike(own: str | None, stated: str | None) -> bool:
    return own == stated or (stated is not None and LOCALHOST.match(split_address(stated)[0]) is not None)


@dataclass(frozen=True, slots=True)
class TfConfig:
    """The cluster and the own task of a TF_CONFIG variable."""

    cluster: ClusterSpec
    task: str | None


def read_task(text: str | None) -> str | None:
    """Return `worker:2` for a text that names it as `/job:worker/replica:0/task:2`, `worker/2` or `worker:2`."""
    match = _TASK.search(text + " ") if text else None
    return f"{match['job']}:{int(match['index'])}" if match else None


def read_tasks(task_text: str | None, block: Iterable[str]) -> Iterator[str]:
    """Yield the task that a line captured and those that its block names. A number alone, as JAX has it, is a worker's.

    In the block only names with `/job:` count: a block may reach into other lines, and `ckpt-1` is no task, nor is
    `fit/811` in the prefix of a launcher.
    """
    if task_text and task_text.isascii() and task_text.isdecimal():
        yield f"worker:{int(task_text[:6])}"
    for text in (task_text, *(line[line.index("/job:") :] for line in block if "/job:" in line)):
        if text and len(text) < 100 and (task := read_task(text)):
            yield task


def read_cluster_spec(text: str, job: str | None = None) -> ClusterSpec | None:
    """Return the cluster spec in a text; None if it holds none.

    It may be JSON, Python's repr, `ClusterSpec({...})`, or TensorFlow 1's `{0 -> a:2222, 1 -> b:2222}` for one job,
    which is then `job`.
    """
    if "->" in text:
        members = {int(index): address for index, address in _ARROW.findall(text)}
        if not members or max(members) > _highest_index(members):
            return None
        return ClusterSpec({job or "worker": tuple(members.get(i) for i in range(max(members) + 1))})
    return _spec_from_value(_read_braced_literal(text))


def read_member_list(text: str) -> ClusterSpec | None:
    """Return the cluster whose workers have these addresses, separated by commas and in quotation marks."""
    try:
        value = read_literal(f"[{text}]")
    except MalformedError:
        return None
    return _spec_from_value({"worker": value})


def read_tf_config(text: str) -> TfConfig | None:
    """Return the content of a TF_CONFIG variable; None if the text is none."""
    value = _read_braced_literal(text)
    if not isinstance(value, dict) or not ("cluster" in value or "task" in value):
        return None
    cluster = _spec_from_value(value.get("cluster")) or ClusterSpec({})
    task = value.get("task")
    name = None
    if isinstance(task, dict) and "type" in task and "index" in task:
        index = read_whole(task["index"])
        name = None if index is None else f"{task['type']}:{index}"
    return TfConfig(cluster, name)


def _read_braced_literal(text: str) -> object:
    """Return the value in braces; scripts escape its quotation marks (`"{\\"worker\\": …"`). None if it has none."""
    body = text[text.find("{") : text.rfind("}") + 1].replace('\\"', '"')
    try:
        return read_literal(body) if body else None
    except MalformedError:
        return None


def _highest_index(members: Mapping[Any, object]) -> int:
    """Return the highest index that a job with so many members may have: a tuple is made of those that are missing."""
    return min(MAX_INDEX, 100 + 10 * len(members))


def _spec_from_value(value: object) -> ClusterSpec | None:
    if not isinstance(value, dict) or not value:
        return None
    jobs: dict[str, tuple[str | None, ...]] = {}
    for job, members in value.items():
        if isinstance(members, dict):
            pairs = {
                position: str(address)
                for key, address in members.items()
                if (position := read_whole(key)) is not None and 0 <= position <= _highest_index(members)
            }
            jobs[str(job)] = tuple(pairs.get(i) for i in range(max(pairs, default=-1) + 1))
        elif isinstance(members, list | tuple):
            jobs[str(job)] = tuple(map(str, members))
        elif isinstance(members, str):
            jobs[str(job)] = (members,)
        else:
            return None
    return ClusterSpec(jobs)


@functools.lru_cache(MAX_CACHED_ADDRESSES)
def split_address(address: str) -> tuple[str, str | None]:
    """Return (host, port or None) of `grpc://host:2222`, `ipv4:10.0.0.1:2222`, `[::1]:80`, or `host`."""
    stripped = re.sub(r"^(?:grpc|https?|tcp|dns)(?:\+\w+)?:/{2,3}|^ipv[46]:", "", address.strip().strip("'\""))
    stripped = re.sub(r"%5B", "[", re.sub(r"%5D", "]", stripped, flags=re.I), flags=re.I)
    if stripped.startswith("["):
        host, _, after_bracket = stripped[1:].partition("]")
        return host, after_bracket.lstrip(":") or None
    host, colon, port = stripped.rpartition(":")
    if colon and port.isdecimal() and ":" not in host:
        return host, port
    return stripped, None
