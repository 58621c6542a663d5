"""Runs a repro folder twice, without its fault and with it, under hard limits, and asks the analyzer what it sees.

Whatever happens, no process stays: the launcher is told to leave (SIGTERM) at the end, on whatever signal, and by the
kernel (PR_SET_PDEATHSIG) if this process is killed itself; its tasks die with it, and their process group is killed.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from analyzer.errors import UsageError
from analyzer.replay.interpreters import check_interpreter
from analyzer.replay.result import Attempt, ReplayResult, Run
from analyzer.replay.shared import check_hosts, read_plan
from analyzer.replay.verdict import RunView, judge, unsound
from analyzer.replay.watch import GIB, watch

CONTROL = "control"
_CODE = re.compile(r"-?\d{1,9}", re.ASCII)
_LEFT = re.compile(r"\S+ left with -?\d+$")  # of a task: the codes tell
SLOWEST = 5.0  # times the plan's limit, as its launcher stretches it on a busy machine (job/plan.py)
SAID = 300  # characters of a launcher's last words
LEAVE = 5.0  # seconds that a launcher which is told to leave may take


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one run. Seconds come on top of the plan's own limit at its longest, which a sound launcher keeps."""

    spare_seconds: float = 60.0
    memory: int = 12 * GIB  # bytes resident in all its processes together
    file: int = GIB // 4  # bytes of a file that it writes
    core: int = GIB // 16  # bytes of a core: worker.py asks the kernel for facts and registers alone


@dataclass(frozen=True, slots=True)
class Where:
    """Where the job runs: under which Python, and on this machine or on the hosts of a file, called by `rsh`.

    On hosts the Pythons are theirs, and what starts them is ours. `other_python` runs the task at fault where versions
    are to differ.
    """

    python: str
    hosts: Path | None = None
    rsh: str | None = None
    other_python: str | None = None

    @property
    def launcher(self) -> str:
        return sys.executable if self.hosts else _from_anywhere(self.python)

    @property
    def other(self) -> str | None:
        return self.other_python if self.hosts or not self.other_python else _from_anywhere(self.other_python)

    def options(self) -> list[str]:
        """Of worker.py, each in one word with its value: none can be taken for another option."""
        other = [f"--other-python={self.other}"] if self.other else []
        if self.hosts is None:
            return other
        rsh = [f"--rsh={self.rsh}"] if self.rsh is not None else []
        return [f"--nodes={self.hosts.resolve()}", *rsh, f"--python={self.python}", *other]


def _from_anywhere(python: str) -> str:
    """The launcher works in the repro folder. A name without a slash is looked for in PATH."""
    return str(Path(python).absolute()) if os.sep in python else python


def run_repro(folder: Path, where: Where | str, limits: Limits | None = None, repeat: int = 1) -> ReplayResult:
    """Runs and judges; the Python must have TensorFlow. All runs stay in folder/runs/N. UsageError for bad input."""
    where = Where(where) if isinstance(where, str) else where
    limits = limits or Limits()
    plan = read_plan(folder)
    if where.hosts:
        check_hosts(where.hosts, where.rsh)
    else:
        check_interpreter(where.python)
    place = _next_place(folder)
    control = run_once(folder, where, place / CONTROL, plan, limits)
    seen = _view(control, _diagnose(control))
    attempts = _attempts(folder, where, place, plan, limits, seen, 1 if unsound(plan, seen) else repeat)
    hosts = tuple(where.options()) if where.hosts else ()
    return ReplayResult(
        folder, where.launcher, plan, control, seen.incident, tuple(attempts), repeat, hosts, where.other
    )


def run_again(folder: Path, before: ReplayResult, limits: Limits | None = None) -> ReplayResult:
    """The folder's plan as it is now, against the control run of `before`: only the fault may have been edited."""
    plan = read_plan(folder)
    control = _view(before.control, before.control_incident)
    place, where = _next_place(folder), Where(before.python, other_python=before.other_python)
    attempts = _attempts(folder, where, place, plan, limits or Limits(), control, 1)
    return replace(before, plan=plan, attempts=tuple(attempts), wanted=1)


def _attempts(
    folder: Path, where: Where, place: Path, plan: Mapping[str, Any], limits: Limits, control: RunView, repeat: int
) -> Iterator[Attempt]:
    for number in range(1, repeat + 1):
        name = "fault" if number == 1 else f"fault-{number}"
        run = run_once(folder, where, place / name, plan, limits)
        faulty = _view(run, _diagnose(run))
        verdict, reasons = judge(plan, control, faulty)
        yield Attempt(verdict, tuple(reasons), run, faulty.incident)


def run_once(folder: Path, where: Where | str, out: Path, plan: Mapping[str, Any], limits: Limits) -> Run:
    """One run into `out`; the one whose folder is named `control` has no fault."""
    name = out.name
    where = Where(where) if isinstance(where, str) else where
    command = [
        where.launcher,
        "-B",
        "worker.py",
        "--bound",
        "--out",
        str(out.resolve()),
        *where.options(),
        *(["--control"] if name == CONTROL else []),
    ]
    environment = {key: value for key, value in os.environ.items() if key != "TF_CONFIG"}
    began, since = time.time(), time.monotonic()
    log = out.parent / f"{name}.launcher.txt"
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        try:
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limits.file, limits.file))
            resource.prlimit(process.pid, resource.RLIMIT_CORE, (limits.core, limits.core))
            seconds = SLOWEST * float(plan["limit"]) + limits.spare_seconds
            curves, exceeded = watch(process, out.resolve(), seconds, limits.memory)
        finally:
            _end(process)
    text = log.read_text("utf-8", "replace")
    lasted = time.monotonic() - since
    return Run(name, out, began, lasted, _codes(out), exceeded, process.returncode, text[-4000:], curves)


def _end(process: subprocess.Popen[bytes]) -> None:
    """The launcher may take away what it made (a cgroup), and then nothing of its group lives on."""
    try:
        process.terminate()
        process.wait(LEAVE)
    except subprocess.TimeoutExpired:
        return
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _codes(out: Path) -> dict[str, int | None]:
    codes: dict[str, int | None] = {}
    for folder in sorted(out.glob("*-*")) if out.is_dir() else ():
        file = folder / "exit_code"
        code = _CODE.fullmatch(file.read_text("utf-8", "replace").strip()) if file.is_file() else None
        codes[folder.name.replace("-", ":")] = int(code[0]) if code else None
    return codes


def _next_place(folder: Path) -> Path:
    """runs/1, runs/2, …: an earlier run is never overwritten."""
    number = 1
    while (folder / "runs" / str(number)).exists():
        number += 1
    place = folder / "runs" / str(number)
    try:
        place.mkdir(parents=True)
    except OSError as error:
        raise UsageError(f"{place} cannot be made: {error}", "copy the folder to where you may write") from error
    return place


def _diagnose(run: Run) -> Mapping[str, Any]:
    """The analyzer's own answer for the run's files; nothing where it left none."""
    from analyzer.pipeline import analyze
    from analyzer.report.json import to_json

    return to_json(analyze([run.folder])) if any(run.folder.glob("*/worker.log")) else {}


def _view(run: Run, incident: Mapping[str, Any]) -> RunView:
    words = [line.strip() for line in run.output.splitlines() if line.strip()] if run.launcher_code else []
    said = [word for word in words[-2:] if not _LEFT.match(word)]
    return RunView(run.codes, run.exceeded, run.launcher_code, incident, "; ".join(said)[-SAID:])
