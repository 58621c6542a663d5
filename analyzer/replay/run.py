"""Runs a repro folder twice, without its fault and with it, under hard limits, and asks the analyzer what it sees.

Whatever happens, no process stays: the launcher and its tasks share a process group that is killed at the end,
and each dies with its parent (PR_SET_PDEATHSIG) if this process is killed itself.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from analyzer.errors import UsageError
from analyzer.replay.verdict import RunView, judge
from analyzer.replay.write import read_plan

GIB = 2**30
INTERVAL = 0.25  # seconds between samples
_SWITCHES: Mapping[str, tuple[str, ...]] = {"control": ("--control",), "fault": ()}
_HINT = "name a Python that has TensorFlow with --python, or pip install tensorflow-cpu"


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one run. Seconds come on top of the plan's own limit, which a sound launcher keeps."""

    spare_seconds: float = 60.0
    memory: int = 12 * GIB  # bytes resident in all its processes together
    file: int = GIB // 4  # bytes of a file that it writes


@dataclass(frozen=True, slots=True)
class Sample:
    """All processes of the run together; `time` in seconds since its start."""

    time: float
    rss: int
    cpu_seconds: float
    threads: int
    fds: int


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the job. `codes` has None for a task that was still there at the end."""

    name: str
    folder: Path
    seconds: float
    codes: Mapping[str, int | None]
    exceeded: str | None
    launcher_code: int | None
    output: str
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class ReplayResult:
    verdict: str  # reproduced | different-failure | not-reproduced | inconclusive
    reasons: tuple[str, ...]
    plan: Mapping[str, Any]
    control: Run
    faulty: Run
    incident: Mapping[str, Any]  # what the analyzer says of the faulty run

    def to_json(self) -> dict[str, object]:
        """The section `replay` of an incident."""
        runs = {run.name: {**asdict(run), "folder": str(run.folder)} for run in (self.control, self.faulty)}
        return {
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "plan": dict(self.plan),
            "runs": runs,
            "command": f"cd {self.control.folder.parents[2]} && ./run.sh",
            "root_causes": self.incident.get("root_causes", []),
        }


def run_repro(folder: Path, python: str, limits: Limits | None = None) -> ReplayResult:
    """Runs and judges; `python` must have TensorFlow. Both runs stay in folder/runs/N. UsageError for bad input."""
    limits = limits or Limits()
    plan = read_plan(folder)
    check_interpreter(python)
    place = _next_place(folder)
    control = run_once(folder, python, place / "control", plan, limits)
    faulty = run_once(folder, python, place / "fault", plan, limits)
    seen = _diagnose(faulty)
    verdict, reasons = judge(plan, _view(control, _diagnose(control)), _view(faulty, seen))
    return ReplayResult(verdict, tuple(reasons), plan, control, faulty, seen)


def check_interpreter(python: str) -> None:
    """Raises UsageError if it cannot find TensorFlow; does not import it, which takes seconds."""
    probe = "import importlib.util as u, sys; sys.exit(u.find_spec('tensorflow') is None)"
    try:
        done = subprocess.run([python, "-c", probe], capture_output=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{python} cannot be run: {error}", _HINT) from error
    if done.returncode:
        raise UsageError(f"{python} has no TensorFlow", _HINT)


def run_once(folder: Path, python: str, out: Path, plan: Mapping[str, Any], limits: Limits) -> Run:
    """One run into `out`, whose last name says which: control or fault."""
    name = out.name
    command = [python, "-B", "worker.py", "--bound", "--out", str(out.resolve()), *_SWITCHES[name]]
    environment = {key: value for key, value in os.environ.items() if key != "TF_CONFIG"}
    began = time.monotonic()
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
            resource.prlimit(process.pid, resource.RLIMIT_CORE, (0, 0))
            samples, exceeded = _watch(process, began, float(plan["limit"]) + limits.spare_seconds, limits.memory)
        finally:
            _kill_group(process)
    text = log.read_text("utf-8", "replace")
    seconds = time.monotonic() - began
    return Run(name, out, seconds, _codes(out), exceeded, process.returncode, text[-4000:], tuple(samples))


def _watch(
    process: subprocess.Popen[bytes], began: float, seconds: float, memory: int
) -> tuple[list[Sample], str | None]:
    samples: list[Sample] = []
    while True:
        try:
            process.wait(INTERVAL)
            return samples, None
        except subprocess.TimeoutExpired:
            now = time.monotonic() - began
        samples.append(_sample(process.pid, now))
        if now > seconds:
            return samples, f"it ran longer than {seconds:.0f} s"
        if samples[-1].rss > memory:
            return samples, f"its processes held more than {memory / GIB:.1f} GiB"


def _sample(pid: int, now: float) -> Sample:
    rss, cpu, threads, fds = 0, 0.0, 0, 0
    try:
        launcher = psutil.Process(pid)
        family = [launcher, *launcher.children(recursive=True)]
    except psutil.Error:
        family = []
    for each in family:
        try:
            with each.oneshot():
                # What children share with the launcher since the fork is counted once: USS would cost a walk of smaps.
                rss += max(0, each.memory_info().rss - (each.memory_info().shared if each.pid != pid else 0))
                cpu += sum(each.cpu_times()[:2])
                threads += each.num_threads()
                fds += each.num_fds()
        except psutil.Error:
            continue  # it left while we looked
    return Sample(round(now, 3), rss, round(cpu, 3), threads, fds)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _codes(out: Path) -> dict[str, int | None]:
    codes: dict[str, int | None] = {}
    for folder in sorted(out.glob("*-*")) if out.is_dir() else ():
        file = folder / "exit_code"
        codes[folder.name.replace("-", ":")] = int(file.read_text()) if file.exists() else None
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
    return RunView(run.codes, run.exceeded, run.launcher_code, incident)
