"""The names and numbers that platforms give to a run and its processes. The same run has the same ones for ever."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from functools import lru_cache

from accuracy.runs import Process, Run

_USERS = ("mwagner", "lchen", "u10482", "priya", "svc-train", "jkowalski", "ml-batch", "dnguyen")
_SPACES = ("training", "ml-research", "team-vision", "kubeflow", "recsys", "nlp-prod")


@lru_cache(4096)
def _digest(of: str) -> str:
    return hashlib.sha256(of.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Identities:
    """Of one run. Host names are as they were recorded, so that logs and platform agree; pods are named like hosts."""

    run: Run

    def digest(self, *of: str, length: int = 64) -> str:
        """Hexadecimal digits, `length` of at most 64."""
        return _digest("\0".join((self.run.name, *of)))[:length]

    def number(self, low: int, high: int, *of: str) -> int:
        """low ≤ number < high."""
        return low + int(self.digest(*of), 16) % (high - low)

    def chance(self, *of: str) -> random.Random:
        return random.Random(self.digest(*of))

    @property
    def job(self) -> str:
        """The job's name, a DNS label."""
        return (
            self.run.environment.get("JOB_NAME")
            or f"{self.run.program.replace('_', '-')}-{self.digest('job', length=4)}"
        )

    @property
    def job_number(self) -> int:
        return self.number(10_000, 9_000_000, "job number")

    @property
    def user(self) -> str:
        return _USERS[self.number(0, len(_USERS), "user")]

    @property
    def namespace(self) -> str:
        return _SPACES[self.number(0, len(_SPACES), "namespace")]

    def pod(self, process: Process) -> str:
        return process.host

    def pod_uid(self, process: Process) -> str:
        digits = self.digest("pod", process.host, length=32)
        return "-".join((digits[:8], digits[8:12], f"4{digits[13:16]}", f"a{digits[17:20]}", digits[20:]))

    def container(self, process: Process) -> str:
        """A container's 64 digits: a new one for each attempt."""
        return self.digest("container", process.host, process.task, str(process.attempt))

    def machine(self, process: Process) -> str:
        """The node of a Kubernetes cluster or of Nomad that the process' container runs on."""
        third, fourth = self.number(0, 250, "machine", process.host), self.number(4, 250, "machine b", process.host)
        return f"ip-10-{self.number(2, 250, 'net')}-{third}-{fourth}"

    def boot_id(self, host: str) -> str:
        return self.digest("boot", host, length=32)

    def booted_ns(self, host: str) -> int:
        """When the host was started: 1 to 90 days before the run's first line."""
        first = min(process.started_ns for process in self.run.processes if process.started_ns)
        return first - self.number(86_400, 90 * 86_400, "uptime", host) * 10**9 - self.number(0, 10**9, "ns", host)

    def rank(self, process: Process) -> int:
        """The number of a task among all tasks of its cluster, as launchers count them."""
        return list(dict.fromkeys(attempt.task for attempt in self.run.tasks)).index(process.task)
