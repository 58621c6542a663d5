"""Runs one row: starts the tasks on their hosts, does to them what the row says, and keeps what happened."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from accuracy.record.code import build_module, write_code
from accuracy.record.configs import config_of, port_of
from accuracy.record.data import make_data
from accuracy.record.hosts import BrokenDisk, Cgroup, Hosts, kill, root_script
from accuracy.record.listen import Listener
from accuracy.record.reuse import Interpreter, listen_beside
from accuracy.record.rows import HERE, RunPlan
from accuracy.record.words import Words
from accuracy.runs import Sample

MIB = 2**20
MAX_SILENT_START_S = 50  # seconds after which a task that says nothing is taken to have loaded TensorFlow
KILL_GRACE_S = 4  # seconds between SIGTERM and SIGKILL
POLL_INTERVAL_S = 0.01


@dataclass(slots=True)
class Started:
    """A process of the run, as far as it went."""

    name: str
    host: str
    pid: int
    command: str
    began: int
    task: str = ""
    attempt: int = 1
    environment: dict[str, str] = field(default_factory=dict)
    ended: int | None = None
    code: int | None = None  # exit status, or -signal
    by_launcher: bool = False  # which ended it
    launcher_text: str = ""  # the launcher's words about its end


class Job:
    """What is running; `run` lets it happen."""

    def __init__(self, row: RunPlan, pythons: Mapping[str, Interpreter], scratch: Path) -> None:
        self.row, self.pythons, self.scratch = row, pythons, scratch
        self.place = yaml.safe_load((HERE / "places.yaml").read_text())[row.place]
        self.program = yaml.safe_load((HERE / "programs.yaml").read_text())[row.program]
        self.listener = Listener()
        self.words = Words(row.launcher, self.listener)
        self.started: list[Started] = []
        self.running: dict[int, Started] = {}
        self.samples: list[Sample] = []
        self.sockets: list[socket.socket] = []
        self.cgroup: Cgroup | None = None
        self.disk: BrokenDisk | None = None
        self.named: set[str] = set()  # what the kernel calls the culprit's cgroup and disk
        self.struck_ns = 0
        self.stopping = self.failed = self.expired = False
        self.sampled = self.ready = 0.0

    def run(self) -> None:
        row = self.row
        make_data(self.scratch / "data", row.data, row.name)
        (self.scratch / "root").mkdir()
        self.hosts = Hosts(row, self.scratch)
        self.began_ns = time.time_ns()
        try:
            self._prepare()
            if row.limit_is == "unschedulable":
                host = row.host_of(row.culprit)
                self.words.say(
                    "pending", task=row.culprit, host=host, granted=len(row.members) - 1, count=len(row.members)
                )
            for task in row.members:
                folder = self.scratch / "code" / task.replace(":", "-")
                write_code(row, task, folder)
                if row.build and task == row.culprit:
                    build_module(row, self.pythons[row.tf], self.pythons[row.build_for], folder)
            self.words.say("start", count=len(row.members))
            for task in row.members:
                if not (row.absent and task == row.culprit) and not row.delays.get(task):
                    self._start(task)
            self._wait()
        finally:
            self._end()
        self.lines = self.listener.finish()

    def _prepare(self) -> None:
        row = self.row
        limits: dict[str, dict[str, object]] = {}
        if row.memory:
            limits["memory"] = {"memory.limit_in_bytes": row.memory * MIB}
        if row.pids:
            limits["pids"] = {"pids.max": row.pids}
        if row.cpu:
            limits["cpu"] = {}
        if limits:
            self.cgroup = Cgroup(_cgroup_name(row, self.began_ns), limits)
            self.named.add(_cgroup_name(row, self.began_ns))
        if row.disk:
            self.disk = BrokenDisk(self.scratch, self.scratch / row.disk.removeprefix("/"))
            self.named.add(f"dev {self.disk.name},")
        if row.held:
            self.sockets.append(
                listen_beside(self.hosts.holders[row.host_of(row.culprit)].pid, port_of(row, row.culprit))
            )
        if row.watch:
            host = row.host_of(row.culprit)
            words = shlex.split(row.watch)
            shown = row.watch
            if words[0] == "serve":
                shown = f"python3 gateway.py {shlex.join(words[1:])}"
                words = [sys.executable, str(HERE / "serve.py"), *words[1:], str(self.scratch)]
            self._spawn(f"monitor@{host}", host, [*self.hosts.inside(host), *words], {}, shown)

    def _start(self, task: str, attempt: int = 1) -> None:
        row, culprit = self.row, task == self.row.culprit
        python = self.pythons[row.other if row.other and culprit else row.tf]
        host = row.host_of(task)
        given = {**row.env, **row.env_of.get("culprit" if culprit else task, {})}
        environment = {name: row.fill(value) for name, value in given.items() if value is not None}
        config = config_of(row, task)
        if config is not None:
            environment["TF_CONFIG"] = config
        arguments = f"{row.args} {row.args_of.get(task, '')} {row.args_of.get('culprit', '') if culprit else ''}"
        arguments += f" {row.args_of.get(task.partition(':')[0], '')}"
        arguments += f" --style {row.style}" if row.style else ""
        arguments = row.fill(arguments)
        version = "python" + ".".join(python.version.split()[1].split(".")[:2])
        program = [
            f"{self.place['python']}/bin/{version}",
            f"{self.place['code']}/{row.program}.py",
            *shlex.split(arguments),
        ]
        folders = self.cgroup.folders if self.cgroup and culprit else []
        script = list(root_script(row, task, self.place, python, self.scratch, folders))
        user = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups"] if row.nobody and culprit else []
        last = ["chroot", str(self.scratch / "root"), *user, "env", f"--chdir={self.place['code']}", *program]
        script.append("exec " + shlex.join(last))
        name = task.replace(":", "-") + (f".{attempt}" if attempt > 1 else "")
        packages = f"{self.place['python']}/{python.packages.relative_to(python.packages.parents[2])}"
        full_environment = {
            **self._usual(host, row),
            "PYTHONPATH": packages,
            "LD_LIBRARY_PATH": f"{self.place['python']}/lib",
            **environment,
        }
        command = [*self.hosts.inside(host), "unshare", "--mount", "sh", "-c", "\n".join(script)]
        process = self._spawn(name, host, command, full_environment, shlex.join(program))
        process.task, process.attempt = task, attempt
        shown = ("HOSTNAME", "PYTHONUNBUFFERED")
        process.environment = {
            **{key: full_environment[key] for key in shown if key in full_environment},
            **environment,
        }
        self.words.say("started", **self._facts(process))

    def _usual(self, host: str, row: RunPlan) -> dict[str, str]:
        return {
            "PATH": f"{self.place['python']}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": self.place.get("home", "/root"),
            "LANG": "C.UTF-8",
            "HOSTNAME": host,
            "TZ": row.zone,
            "CUDA_VISIBLE_DEVICES": "",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def _spawn(self, name: str, host: str, command: list[str], environment: dict[str, str], shown: str) -> Started:
        began = time.time_ns()
        process = subprocess.Popen(
            command,
            env=environment or None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdout is not None and process.stderr is not None
        self.listener.follow(name, "out", os.dup(process.stdout.fileno()))
        self.listener.follow(name, "err", os.dup(process.stderr.fileno()))
        process.stdout.close()
        process.stderr.close()
        process.returncode = 0  # this job waits for it by its number
        started = Started(name, host, process.pid, shown, began)
        self.started.append(started)
        self.running[process.pid] = started
        return started

    def _facts(self, process: Started) -> dict[str, Any]:
        return {
            "task": process.task,
            "rank": self.row.members.index(process.task) if process.task else "",
            "host": process.host,
            "pid": process.pid,
            "program": self.row.program,
        }

    def _wait(self) -> None:
        row, strikes = self.row, [dict(self.row.strike)] if self.row.strike else []
        strikes += [dict(more) for more in (row.strike.get("then", ()) if row.strike else ())]
        late = {task: time.monotonic() + seconds for task, seconds in row.delays.items()}
        end, speechless = float("inf"), time.monotonic() + MAX_SILENT_START_S
        attempt, patience = 1, float("inf")
        while any(process.task for process in self.running.values()) or late:
            now = time.monotonic()
            if end == float("inf") and (now >= speechless or self._all_spoke()):
                end, self.ready = now + row.limit, now
            if now >= min(end, patience):
                self.expired = now >= end
                break
            for task in [task for task, when in late.items() if when <= now]:
                del late[task]
                self._start(task)
            if strikes and self._is_due(strikes[0]):
                self._strike(strikes.pop(0))
            self._sample()
            ended = self._reap()
            if ended is None:
                time.sleep(POLL_INTERVAL_S)
            elif ended.task == row.leader:
                break
            elif ended.code and ended.task:
                if row.restart and attempt <= row.restarts:
                    attempt += 1
                    self._restart(ended, attempt)
                else:
                    patience = min(patience, time.monotonic() + row.patience)
        self.failed = any(process.code for process in self._last_attempts()) or self.expired

    def _all_spoke(self) -> bool:
        """Whether each task has loaded TensorFlow, as far as its lines tell: a busy machine takes its time for that."""
        spoke = {line.process for line in list(self.listener.lines)}
        return all(process.name in spoke for process in self.running.values() if process.task)

    def _last_attempts(self) -> Iterable[Started]:
        return {process.task: process for process in self.started if process.task}.values()

    def _is_due(self, strike: dict[str, Any]) -> bool:
        """Once the line was seen (or at once, without one), after a delay."""
        if "seen" not in strike:
            if not self._is_seen(strike):
                return False
            strike["seen"] = time.monotonic()
        return time.monotonic() >= float(strike["seen"]) + float(strike.get("delay", 0))

    def _is_seen(self, strike: dict[str, Any]) -> bool:
        """`at` names one of the program's moments in programs.yaml; `line` is a pattern of its own."""
        row = self.row
        line = strike.get("line") or self.program.get(strike.get("at", ""), "")
        if not line:
            return self.ready > 0
        process = row.fill(strike.get("in") or self.program.get("teller", "{culprit}")).replace(":", "-")
        wanted = re.compile(row.fill(line).encode())
        if wanted.search(self.listener.partial.get(process, b"")):
            return True
        return any(line.process == process and wanted.search(line.text) for line in list(self.listener.lines))

    def _strike(self, strike: dict[str, Any]) -> None:
        row, does = self.row, strike["do"]
        victims = [row.fill(victim) for victim in strike.get("who", [row.culprit])]
        self.struck_ns = time.time_ns()
        for process in [process for process in self.running.values() if process.task in victims]:
            if does == "kill":
                kill(process.pid, strike["signal"])
            elif does in ("unplug", "drop"):
                getattr(self.hosts.switch, does)(self.hosts.number(process.host))
        if does == "cpu":
            assert self.cgroup
            self.cgroup.set("cpu", "cpu.cfs_quota_us", int(100_000 * row.cpu))
        elif does == "shell":
            subprocess.run(["sh", "-c", strike["command"]], cwd=self.scratch / "data", check=True)

    def _restart(self, ended: Started, attempt: int) -> None:
        if self.row.restart == "all":
            self._terminate([process for process in self.running.values() if process.task])
        names = self.row.members if self.row.restart == "all" else [ended.task]
        self.words.say("restart", names=", ".join(names), attempt=attempt)
        time.sleep(0.5)
        for task in names:
            self._start(task, attempt)

    def _reap(self) -> Started | None:
        for pid in list(self.running):
            reaped, status = os.waitpid(pid, os.WNOHANG)
            if reaped:
                process = self.running.pop(pid)
                process.ended, process.code = time.time_ns(), os.waitstatus_to_exitcode(status)
                self._tell_end(process)
                return process
        return None

    def _tell_end(self, process: Started) -> None:
        if not process.task or process.code is None:
            return
        facts, code = self._facts(process), process.code
        before = len(self.listener.lines)
        if code < 0:
            self.words.say("signal", number=-code, shell=128 - code, **facts)
        else:
            self.words.say("code" if code else "ok", code=code, shell=code, **facts)
        launcher_lines = [line for line in self.listener.lines[before:] if line.process == "launcher"]
        process.launcher_text = launcher_lines[0].text.decode() if launcher_lines else ""

    def _sample(self) -> None:
        if time.monotonic() < self.sampled + 2:
            return
        self.sampled = time.monotonic()
        for process in self.running.values():
            try:
                pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
                stat = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            ticks = os.sysconf("SC_CLK_TCK")
            used = (int(stat[11]) + int(stat[12])) / ticks
            self.samples.append(Sample(time.time_ns(), process.name, pages * 4096, used, int(stat[17])))

    def _terminate(self, processes: list[Started]) -> None:
        for process in processes:
            process.by_launcher = True
            kill(process.pid, signal.SIGTERM)
        end = time.monotonic() + KILL_GRACE_S
        while time.monotonic() < end and any(other.pid in self.running for other in processes):
            if self._reap() is None:
                time.sleep(POLL_INTERVAL_S)
        for process in processes:
            if process.pid in self.running:
                kill(process.pid, signal.SIGKILL)
                while process.pid in self.running:
                    self._reap()

    def _end(self) -> None:
        try:
            self._say_the_last()
        finally:
            for number in (signal.SIGSTOP, signal.SIGKILL):  # stopped first: none of them sees another die
                for pid in self.running:
                    kill(pid, number)
                if number == signal.SIGSTOP:
                    self.listener.closed.set()
            for pid in self.running:
                os.waitpid(pid, 0)
            self.hosts.end()
            for reserved in self.sockets:
                reserved.close()
            if self.cgroup:
                self.cgroup.remove()
            if self.disk:
                self.disk.remove()
        self.ended_ns = time.time_ns()

    def _elapsed(self) -> int:
        return round((time.time_ns() - self.began_ns) / 1e9)

    def _say_the_last(self) -> None:
        row = self.row
        left = [process for process in self.running.values() if process.task]
        if self.expired and row.limit_is:
            event = row.limit_is if row.limit_is in ("preempted", "unschedulable") else "limit"
            self.words.say(event, limit=self._elapsed(), task=row.culprit)
        if left and row.after == "terminate":
            self.words.say("stop", names=", ".join(process.task for process in left))
            self._terminate(left)
        if row.after == "terminate" or not left:
            self.words.say("failed" if self.failed else "done")
        self.status = int(self.failed) if row.after == "terminate" or not left else None
        for process in [process for process in self.running.values() if not process.task]:
            kill(process.pid, signal.SIGTERM)
            time.sleep(0.2)
        time.sleep(0.1)


def _cgroup_name(row: RunPlan, now: int) -> str:
    number = now // 10**9 % 10**6
    if row.place in ("cluster", "home"):
        return f"slurm/uid_1000/job_{number}/step_0/task_{row.members.index(row.culprit)}"
    return f"kubepods/burstable/pod{now:x}-{number}/{now * 7919 % 16**16:016x}"


def find_core(scratch: Path, task: str) -> Path | None:
    path = scratch / "code" / task.replace(":", "-") / "core"
    return path if path.exists() else None


def clean(scratch: Path) -> None:
    shutil.rmtree(scratch, ignore_errors=True)
