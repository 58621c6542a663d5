"""Run the job on several machines: each has a launcher for its tasks, started over ssh or a similar command.

Nothing is installed and nothing stays there: the folder travels over the connection into a temporary one, the results
travel back, and a launcher ends its tasks when the connection does.
"""

from __future__ import annotations

import io
import json
import pathlib
import re
import shlex
import signal
import subprocess
import tarfile
import threading
import time

from job.launch import CABLES, Job, say
from job.plan import HERE, SLOWEST, UNABLE, UnableError, tasks_of

PORT = 23450  # of the first task; the others count on
BOOT = """
import io, os, select, signal, subprocess, sys, tarfile, tempfile
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
stream = os.fdopen(0, "rb", 0, closefd=False)
size, data = int(stream.readline()), b""
while len(data) < size:
    data += stream.read(size - len(data)) or sys.exit("the connection ended")
with tempfile.TemporaryDirectory(prefix="replay.") as place:
    tarfile.open(fileobj=io.BytesIO(data)).extractall(place)
    command = [sys.executable, "-B", "worker.py", "--bound", "--out", "out", *sys.argv[1:]]
    launcher = subprocess.Popen(command, cwd=place, stdin=subprocess.DEVNULL, stdout=2)
    while launcher.poll() is None:
        if select.select([0], [], [], 0.1)[0] and not os.read(0, 1):
            launcher.terminate()
            try:
                launcher.wait(5)
            except subprocess.TimeoutExpired:
                launcher.kill()
    code = launcher.wait()
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as back:
        back.add(os.path.join(place, "out"), arcname="out")
sys.exit(code)
"""


def share_out(plan: dict, hosts: list[str]) -> tuple[dict, dict]:
    """Return (addresses by job, tasks by host). The leader's log triggers the fault, so the culprit runs on the same
    host.
    """
    tasks = tasks_of(plan)
    at = {task: hosts[number % len(hosts)] for number, task in enumerate(tasks)}
    if "chief:0" in at:
        at[plan["culprit"]] = at["chief:0"]
    addresses: dict = {job: [] for job in plan["cluster"]}
    shares: dict = {}
    for number, task in enumerate(tasks):
        addresses[task.partition(":")[0]].append(f"{at[task].rpartition('@')[2]}:{PORT + number}")
        shares.setdefault(at[task], []).append(task)
    return addresses, shares


class Share(Job):
    """Run the tasks of one machine; they end with the connection."""

    def __init__(self, plan: dict, out: pathlib.Path, control: bool, share: dict, other_python: str | None) -> None:
        super().__init__(plan, out, control, other_python)
        self.tasks, self.addresses, self.over = share["tasks"], share["addresses"], False

    def enter(self) -> str:
        signal.signal(signal.SIGTERM, self.leave)
        return ""  # the machine's own network

    def leave(self, *_: object) -> None:
        self.over = True

    def is_over(self) -> bool:
        return self.over


class Host(threading.Thread):
    """Serve one connection: send the folder, print the launcher's output, and store the files that come back."""

    def __init__(self, name: str, command: list[str], parcel: bytes, heard) -> None:
        super().__init__(daemon=True)
        self.host, self.heard, self.back = name, heard, b""
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        self.stdin = self.process.stdin
        threading.Thread(target=self._send, args=(b"%d\n" % len(parcel) + parcel,), daemon=True).start()

    def _send(self, data: bytes) -> None:
        try:
            view = memoryview(data)
            while view:
                view = view[self.stdin.write(view) :]
        except OSError:
            return  # what went wrong there is told on stderr

    def run(self) -> None:
        threading.Thread(target=self._listen, daemon=True).start()
        self.back = io.BufferedReader(self.process.stdout).read()
        self.process.wait()

    def _listen(self) -> None:
        for line in io.TextIOWrapper(self.process.stderr, errors="replace"):
            self.heard(self.host, line.rstrip("\n"))

    def hang_up(self) -> None:
        try:
            self.stdin.close()
        except OSError:
            return


def run_on_hosts(plan: dict, out: pathlib.Path, hosts: list[str], rsh: list[str], command: list[str]) -> bool:
    """Run the job; return whether the fault could be injected. On each host `command` runs, a Python and the options of
    its worker.py.
    """
    if plan["fault"] in CABLES:
        raise UnableError("links that it may take down: it does not touch links of real machines")
    addresses, shares = share_out(plan, hosts)
    parcel, left = pack(), []
    failed = threading.Event()

    def hear(host: str, line: str) -> None:
        say(f"{host}: {line}")
        if match := re.match(r"(\S+) left with (-?\d+)$", line):
            left.append(match[1])
            if match[2] != "0" or match[1].startswith("chief"):
                failed.set()

    started = []
    try:
        for host, tasks in shares.items():
            share = json.dumps({"tasks": tasks, "addresses": addresses})
            words = shlex.join([command[0], "-c", BOOT, "--share", share, *command[1:]])
            started.append(Host(host, [*rsh, host, words], parcel, hear))
            started[-1].start()
        wait_for(started, failed, plan)
    finally:
        for host in started:
            host.hang_up()
        for host in started:
            host.join(30)
            host.process.kill()
            host.process.wait()
    readable = [host for host in started if unpack(host.back, out)]
    broken = [host.host for host in started if host not in readable or host.process.returncode not in (0, UNABLE)]
    if broken:
        raise UnableError(f"a launcher that runs on {', '.join(broken)}")
    return all(host.process.returncode == 0 for host in started)


def wait_for(started: list, failed: threading.Event, plan: dict) -> None:
    end = time.monotonic() + SLOWEST * plan["limit"] + 30  # as each host's launcher may stretch it
    while any(host.is_alive() for host in started) and time.monotonic() < end:
        if failed.is_set():
            end, failed = min(end, time.monotonic() + SLOWEST * plan["patience"]), threading.Event()
        time.sleep(0.05)


def pack() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name in ("worker.py", "plan.yaml", *sorted(f"job/{path.name}" for path in (HERE / "job").glob("*.py"))):
            archive.add(HERE / name, arcname=name)
    return packed.getvalue()


def unpack(data: bytes, out: pathlib.Path) -> bool:
    """Files of out/<task>/<name> alone: what a machine sends names no other place. Whether it could be read."""
    if not data:
        return True  # how its launcher left tells
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                match = re.fullmatch(r"out/(\w+-\d+)/(\w[\w.-]*)", member.name)
                if match and member.isfile():
                    (out / match[1]).mkdir(parents=True, exist_ok=True)
                    (out / match[1] / match[2]).write_bytes(archive.extractfile(member).read())
    except tarfile.TarError:
        return False
    return True
