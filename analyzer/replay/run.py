"""Run a repro folder twice, without its fault and with it, under hard limits, and analyze both runs.

No process outlives a run. The launcher gets SIGTERM at the end and on any signal, and from the kernel
(PR_SET_PDEATHSIG) if this process is killed. Its tasks end with it, and their process group is killed.
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
from analyzer.replay.job_modules import check_hosts, read_plan
from analyzer.replay.pattern import Diagnosis
from analyzer.replay.process_monitor import GIB, watch_processes
from analyzer.replay.result import ReplayAttempt, ReplayResult, ReplayRun
from analyzer.replay.verdict import RunView, judge_replay, why_control_failed

CONTROL = "control"
_EXIT_CODE = re.compile(r"-?\d{1,9}", re.ASCII)
_TASK_EXIT_LINE = re.compile(r"\S+ left with -?\d+$")  # repeats what the exit codes show
MAX_SLOWDOWN = 5.0  # factor by which the launcher may extend the plan's limit on a busy machine (job/plan.py)
MAX_LAUNCHER_CHARS = 300  # characters of a launcher's last output
LAUNCHER_EXIT_TIMEOUT_S = 5.0  # seconds after SIGTERM in which a launcher must end


@dataclass(frozen=True, slots=True)
class RunLimits:
    """Limits of one run. `spare_seconds` come on top of the plan's longest limit, which the launcher
    itself enforces.
    """

    spare_seconds: float = 60.0
    memory: int = 12 * GIB  # resident bytes of all its processes together
    file: int = GIB // 4  # bytes of any file that it writes
    core: int = GIB // 16  # bytes of a core: worker.py asks the kernel for notes and registers only


@dataclass(frozen=True, slots=True)
class RunTarget:
    """Where the job runs: under which Python, on this machine or on the hosts in a file, which `rsh` connects to.

    On hosts, the interpreters are paths on the hosts; the command that starts them runs here. `other_python` runs
    the faulty task if the fault is version skew.
    """

    python: str
    hosts: Path | None = None
    rsh: str | None = None
    other_python: str | None = None

    @property
    def launcher(self) -> str:
        return sys.executable if self.hosts else _resolve_python(self.python)

    @property
    def second_python(self) -> str | None:
        return self.other_python if self.hosts or not self.other_python else _resolve_python(self.other_python)

    def options(self) -> list[str]:
        """Return the options of worker.py, each as one word with its value, so that no value is parsed as an option."""
        other = [f"--other-python={self.second_python}"] if self.second_python else []
        if self.hosts is None:
            return other
        rsh = [f"--rsh={self.rsh}"] if self.rsh is not None else []
        return [f"--nodes={self.hosts.resolve()}", *rsh, f"--python={self.python}", *other]


def _resolve_python(python: str) -> str:
    """Return the absolute path of an interpreter, because the launcher runs in the repro folder.

    A name without a slash is searched in PATH.
    """
    return str(Path(python).absolute()) if os.sep in python else python


def run_repro(
    folder: Path,
    target: RunTarget | str,
    limits: RunLimits | None = None,
    repeat: int = 1,
    diagnosis: Diagnosis | None = None,
) -> ReplayResult:
    """Run the job and compare the result with `diagnosis`, that of the incident. All runs stay in folder/runs/N.

    Raises UsageError if the interpreter has no TensorFlow.
    """
    target = RunTarget(target) if isinstance(target, str) else target
    limits = limits or RunLimits()
    plan = read_plan(folder)
    if target.hosts:
        check_hosts(target.hosts, target.rsh)
    else:
        check_interpreter(target.python)
    run_folder = _make_run_folder(folder)
    control = run_once(folder, target, run_folder / CONTROL, plan, limits)
    control_view = _to_view(control, _diagnose(control))
    attempts = _run_attempts(
        folder=folder,
        target=target,
        run_folder=run_folder,
        plan=plan,
        limits=limits,
        control=control_view,
        repeat=1 if why_control_failed(plan, control_view) else repeat,
        diagnosis=diagnosis,
    )
    hosts = tuple(target.options()) if target.hosts else ()
    return ReplayResult(
        folder=folder,
        python=target.launcher,
        plan=plan,
        control=control,
        control_incident=control_view.incident,
        attempts=tuple(attempts),
        runs_wanted=repeat,
        hosts=hosts,
        other_python=target.second_python,
        diagnosis=diagnosis,
    )


def run_again(folder: Path, before: ReplayResult, limits: RunLimits | None = None) -> ReplayResult:
    """Run the folder's current plan and compare it with the control run of `before`.

    Since `before`, only the fault may have been edited.
    """
    plan = read_plan(folder)
    control = _to_view(before.control, before.control_incident)
    run_folder, target = _make_run_folder(folder), RunTarget(before.python, other_python=before.other_python)
    attempts = _run_attempts(
        folder=folder,
        target=target,
        run_folder=run_folder,
        plan=plan,
        limits=limits or RunLimits(),
        control=control,
        repeat=1,
        diagnosis=before.diagnosis,
    )
    return replace(before, plan=plan, attempts=tuple(attempts), runs_wanted=1)


def _run_attempts(
    *,
    folder: Path,
    target: RunTarget,
    run_folder: Path,
    plan: Mapping[str, Any],
    limits: RunLimits,
    control: RunView,
    repeat: int,
    diagnosis: Diagnosis | None,
) -> Iterator[ReplayAttempt]:
    for number in range(1, repeat + 1):
        name = "fault" if number == 1 else f"fault-{number}"
        run = run_once(folder, target, run_folder / name, plan, limits)
        faulty = _to_view(run, _diagnose(run))
        judgement = judge_replay(plan, control, faulty, diagnosis.pattern if diagnosis else None)
        yield ReplayAttempt(judgement, run, faulty.incident)


def run_once(folder: Path, target: RunTarget | str, out: Path, plan: Mapping[str, Any], limits: RunLimits) -> ReplayRun:
    """Run the job once, with its files in `out`. If `out` is named `control`, the run has no fault."""
    name = out.name
    target = RunTarget(target) if isinstance(target, str) else target
    command = [
        target.launcher,
        "-B",
        "worker.py",
        "--bound",
        "--out",
        str(out.resolve()),
        *target.options(),
        *(["--control"] if name == CONTROL else []),
    ]
    environment = {key: value for key, value in os.environ.items() if key != "TF_CONFIG"}
    began, started_monotonic = time.time(), time.monotonic()
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
            seconds = MAX_SLOWDOWN * float(plan["limit"]) + limits.spare_seconds
            curves, exceeded = watch_processes(process, out.resolve(), seconds, limits.memory)
        finally:
            _end_launcher(process)
    text = log.read_text("utf-8", "replace")
    elapsed_s = time.monotonic() - started_monotonic
    return ReplayRun(
        name=name,
        folder=out,
        began=began,
        seconds=elapsed_s,
        codes=_read_exit_codes(out),
        exceeded=exceeded,
        launcher_code=process.returncode,
        output=text[-4000:],
        curves=curves,
    )


def _end_launcher(process: subprocess.Popen[bytes]) -> None:
    """End the launcher, which first removes what it created (a cgroup), and then its whole process group."""
    try:
        process.terminate()
        process.wait(LAUNCHER_EXIT_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _read_exit_codes(out: Path) -> dict[str, int | None]:
    codes: dict[str, int | None] = {}
    for folder in sorted(out.glob("*-*")) if out.is_dir() else ():
        file = folder / "exit_code"
        code = _EXIT_CODE.fullmatch(file.read_text("utf-8", "replace").strip()) if file.is_file() else None
        codes[folder.name.replace("-", ":")] = int(code[0]) if code else None
    return codes


def _make_run_folder(folder: Path) -> Path:
    """Create and return the next folder of runs/1, runs/2, …; an earlier run is never overwritten."""
    number = 1
    while (folder / "runs" / str(number)).exists():
        number += 1
    run_folder = folder / "runs" / str(number)
    try:
        run_folder.mkdir(parents=True)
    except OSError as error:
        raise UsageError(
            f"{run_folder} cannot be made: {error}", "copy the folder to a place where you may write"
        ) from error
    return run_folder


def _diagnose(run: ReplayRun) -> Mapping[str, Any]:
    """Return the analysis of the run's files; empty if the run left none."""
    from analyzer.pipeline import analyze
    from analyzer.report.json import to_json

    return to_json(analyze([run.folder])) if any(run.folder.glob("*/worker.log")) else {}


def _to_view(run: ReplayRun, incident: Mapping[str, Any]) -> RunView:
    lines = [line.strip() for line in run.output.splitlines() if line.strip()] if run.launcher_code else []
    last_words = [line_text for line_text in lines[-2:] if not _TASK_EXIT_LINE.match(line_text)]
    return RunView(
        codes=run.codes,
        exceeded=run.exceeded,
        launcher_code=run.launcher_code,
        incident=incident,
        launcher_message="; ".join(last_words)[-MAX_LAUNCHER_CHARS:],
    )
