"""Start the job's tasks on this machine, inject faults from outside, and wait for their end."""

from __future__ import annotations

import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import sys
import tempfile
import time

from job.configs import config_of
from job.kernel import read_kernel_log
from job.place import MemoryCgroup, Switch, choose_addresses, die_with_parent, enter_network, leave_network
from job.plan import HERE, LACKS, UNABLE, UnableError, stretch, tasks_of

SIGNALS = {"killed", "stopped"}  # once the step was seen, as are the next
CABLES = {"link-down": Switch.unplug, "packets-dropped": Switch.drop}
APART = {*CABLES, "localhost-cluster"}  # tasks are in networks of their own, also in the control run
BEFORE = {"memory-cgroup", "never-accepts", "never-started", "port-in-use"}  # the start
IN_PROGRAMS = {"version-skew"}  # another Python runs the task
SCRATCH = "tmp"  # a task's folder for temporary files
CORE = 64 * 2**20  # bytes; what the kernel writes of a crash is cut to facts and registers


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()  # what is still in the buffer at a fork is written twice


class Job:
    """One run: the processes of its tasks by pid, and the resources that the fault holds until the end."""

    def __init__(self, plan: dict, out: pathlib.Path, control: bool, other_python: str | None = None) -> None:
        self.plan, self.out, self.control, self.other_python = plan, out, control, other_python
        self.fault = "none" if control else plan["fault"]
        self.tasks = tasks_of(plan)
        self.running: dict = {}
        self.pids: dict = {}
        self.held: list = []
        self.switch: Switch | None = None
        self.addresses: dict = {}
        self.began = time.monotonic()

    def run(self) -> bool:
        """Inject the fault; return whether that was possible."""
        try:
            note = self.enter()
            absent = self.prepare() if self.plan["culprit"] in self.tasks else None
            started = [task for task in self.tasks if task != absent]
            say(f"{'control' if self.control else self.fault}: {', '.join(started)}{note}")
            self.load()
            for task in started:
                self.start(task)
            return self.wait()
        finally:
            self.end()

    def enter(self) -> str:
        """Enter a private network for the job if possible; return a note about it."""
        alone = enter_network()
        apart = self.plan["fault"] in APART
        if apart and not alone:
            raise UnableError("a private network")
        self.switch = Switch() if apart else None
        self.addresses = choose_addresses(self.plan["cluster"], Switch.network if apart else "127.0.0")
        return "" if alone else "; no private network"

    def load(self) -> None:
        """Import TensorFlow for all tasks; the time that it takes determines the timeouts."""
        self.plan = stretch(self.plan, load_tensorflow())

    def is_over(self) -> bool:
        """Return whether the job was ended from outside."""
        return False

    def prepare(self) -> str | None:
        """Prepare the fault before the start; return the task that is not started, if any."""
        culprit = self.plan["culprit"]
        if self.fault in IN_PROGRAMS and not self.other_python:
            raise UnableError("a second Python (--other-python)")
        if self.fault == "port-in-use":
            self.held.append(socket.create_server(("0.0.0.0", self.port(culprit))))
        if self.fault == "memory-cgroup":
            self.cgroup = MemoryCgroup(self.plan["cgroup_bytes"])
        if self.fault == "never-accepts":
            self.held += never_accept(self.port(culprit))
        return culprit if self.fault in ("never-started", "never-accepts") else None

    def address(self, task: str) -> str:
        job, index = task.split(":")
        return self.addresses[job][int(index)].rpartition(":")[0]

    def port(self, task: str) -> int:
        job, index = task.split(":")
        return int(self.addresses[job][int(index)].rpartition(":")[2])

    def config(self, task: str) -> str:
        """Return TF_CONFIG of the task; None if the strategy has one process."""
        return config_of(self.plan, self.addresses, task, self.control)

    def sign(self) -> tuple[str, str]:
        """Return (the task whose log triggers the fault, the pattern of the triggering line)."""
        return "chief:0" if "chief" in self.plan["cluster"] else self.plan["culprit"], rf" step {self.plan['step']} "

    def start(self, task: str) -> None:
        folder = self.out / task.replace(":", "-")
        folder.mkdir(parents=True)
        make_scratch(folder / SCRATCH)
        config = self.config(task)
        (folder / "worker.log").touch()
        if config:
            (folder / "tf_config.json").write_text(config + "\n")
        ready, go = os.pipe(), os.pipe()
        pid = self.spawn(task, config, folder, ready[1], go[0])
        self.running[pid] = self.pids[pid] = task
        os.close(ready[1])
        os.read(ready[0], 1)  # the task is in its network, or dead
        if self.switch:
            self.switch.plug(self.tasks.index(task), pid, self.address(task))
            self.plugged(task, pid)
        if self.fault == "memory-cgroup" and task == self.plan["culprit"]:
            self.cgroup.add(pid)
        os.write(go[1], b"!")
        for descriptor in (ready[0], *go):
            os.close(descriptor)

    def spawn(self, task: str, config: str, folder: pathlib.Path, ready: int, go: int) -> int:
        """Return the pid of a process that writes to `ready` once it is in its network, and starts after `go`."""
        pid = os.fork()
        if not pid:
            be_task(self, task, config, folder, ready, go)
        return pid

    def plugged(self, task: str, pid: int) -> None:
        """Tell the task that its network is ready."""

    def wait(self) -> bool:
        """Wait until all tasks have ended, or `patience` seconds after one failed or the chief ended."""
        pending, lacks = self.plan["culprit"] in self.tasks and self.fault in (*SIGNALS, *CABLES), []
        leader, says = self.sign()
        end = time.monotonic() + self.plan["limit"]
        while self.running and time.monotonic() < end and not self.is_over():
            if pending and re.search(says, self.read_log(leader)):
                pending = False
                self.strike()
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                time.sleep(0.02)
                continue
            task, code = self.running.pop(pid), os.waitstatus_to_exitcode(status)
            (self.out / task.replace(":", "-") / "exit_code").write_text(f"{code if code >= 0 else 128 - code}\n")
            say(f"{task} left with {code}")
            if code == UNABLE:
                lacks += [line for line in self.read_log(task).split("\n") if line.startswith(LACKS)] or [LACKS]
            if task.startswith("chief"):
                break
            if code:
                end = min(end, time.monotonic() + self.plan["patience"])
        for each in lacks[-1:]:
            say(each)  # at the end: the launcher's last words are its reason
        return not lacks

    def read_log(self, task: str) -> str:
        return (self.out / task.replace(":", "-") / "worker.log").read_text(errors="replace")

    def strike(self) -> None:
        culprit = self.plan["culprit"]
        if self.fault in CABLES:
            CABLES[self.fault](self.switch, self.tasks.index(culprit))
        else:
            os.kill(next(pid for pid, task in self.running.items() if task == culprit), self.plan["signal"])

    def end(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)  # a second one does not stop this
        for number in (signal.SIGSTOP, signal.SIGKILL):  # stopped first: none of them sees another die
            for pid in self.running:
                os.kill(pid, number)
        for pid in self.running:
            os.waitpid(pid, 0)
        for each in self.held:
            each.close()
        if hasattr(self, "cgroup"):
            self.cgroup.remove()
        for task in self.tasks:  # also of one whose start was interrupted, which `pids` lacks
            shutil.rmtree(self.out / task.replace(":", "-") / SCRATCH, ignore_errors=True)
        for pid, task in self.pids.items():
            if kernel_log := read_kernel_log(self.began, {pid}):
                (self.out / task.replace(":", "-") / "dmesg.txt").write_text(kernel_log)


def load_tensorflow() -> float:
    """Import TensorFlow once, before its runtime has threads. Return its wall-clock time divided by its CPU time."""
    wall, own = time.monotonic(), time.process_time()
    import tensorflow  # noqa: F401

    return (time.monotonic() - wall) / max(time.process_time() - own, 1e-3)


def never_accept(port: int) -> list:
    """Return a port whose connection queue is full: the kernel drops further connections, like a silent firewall."""
    sockets = [socket.create_server(("0.0.0.0", port), backlog=0)]
    for _ in range(4):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(("127.0.0.1", port))
        sockets.append(client)
    return sockets


def be_task(job: Job, task: str, config: str, folder: pathlib.Path, ready: int, go: int) -> None:
    """Run the task in the forked process; never returns."""
    code = 1
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # the launcher's way out is not the task's
        die_with_parent()
        output = os.open(folder / "worker.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.environ.pop("TF_CONFIG", None)
        if config:
            os.environ["TF_CONFIG"] = config
        os.chdir(folder)
        os.environ["TMPDIR"], tempfile.tempdir = str(folder / SCRATCH), None
        allow_small_core()
        if job.switch:
            leave_network()
        os.write(ready, b"!")
        os.read(go, 1)
        code = do_task(job, task)
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 1
    except UnableError as unable:
        sys.stderr.write(f"{LACKS} {unable}\n")
        code = UNABLE
    except BaseException:  # noqa: BLE001  as the interpreter does at the end of a program
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(code)  # a fork must not run the launcher's exit handlers


def do_task(job: Job, task: str) -> int:
    """Run the task in this interpreter, or in the other one."""
    if job.fault in IN_PROGRAMS and task == job.plan["culprit"]:
        command = [job.other_python, "-B", str(HERE / "worker.py"), "--bound", "--task", task]
        os.execvp(job.other_python, command)
    from job.training import run_task

    run_task(job.plan, task, job.control)
    return 0


def make_scratch(folder: pathlib.Path) -> None:
    """Make a task's folder for temporary files. A fork that ends without exit handlers leaves files there, such as
    AutoGraph's. The launcher makes it before the fork, so that no task can make it after the launcher's cleanup.
    """
    folder.mkdir()
    folder.chmod(0o1777)  # a task that becomes nobody writes there too


def allow_small_core() -> None:
    """Enable a core of about 100 KB (notes and registers), if the system writes cores into the working folder."""
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    limit = CORE if hard == resource.RLIM_INFINITY else min(CORE, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (limit, hard))
    try:
        pathlib.Path("/proc/self/coredump_filter").write_text("0x10")  # the first pages of ELF files: build ids
    except OSError:
        return
