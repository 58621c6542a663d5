"""Formats of launchers, batch systems, CI and terminals, byte for byte as their documentation or source shows them."""

from __future__ import annotations

import dataclasses
import random
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from accuracy.collectors import (
    Collector,
    Files,
    by_hand,
    circus,
    find_losses,
    github_actions,
    gitlab_ci,
    grid_engine,
    honcho,
    htcondor,
    hydra,
    jenkins,
    lsf,
    open_mpi,
    parallel_shells,
    pbs,
    plain_files,
    pm2,
    slurm,
    sosreport,
    supervisord,
    systemd_units,
    terminals,
)
from accuracy.collectors._processes import fold_hosts, shell_notice
from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run

from tests.accuracy.tiny import START, tiny_run

MODULES = (
    by_hand,
    circus,
    github_actions,
    gitlab_ci,
    grid_engine,
    honcho,
    htcondor,
    hydra,
    jenkins,
    lsf,
    open_mpi,
    parallel_shells,
    pbs,
    plain_files,
    pm2,
    slurm,
    sosreport,
    supervisord,
    systemd_units,
    terminals,
)
OURS: dict[str, Collector] = {collector.name: collector for module in MODULES for collector in module.COLLECTORS}
SECOND = 10**9


def render(name: str, run: Run) -> Files:
    return OURS[name].render(run, Identities(run), random.Random(run.name))


def short_run(**ends: object) -> Run:
    """Two lines of each task; worker 1 is killed, or ends as `ends` says."""
    run = tiny_run()
    lines = [
        ReceivedLine(START, "worker-0", "out", b"step 1"),
        ReceivedLine(START + 2 * SECOND, "worker-1", "err", b"W: slow"),
    ]
    return with_end(run.replace(lines=tuple(lines)), "worker-1", **ends)


def with_end(run: Run, name: str, **changes: object) -> Run:
    changed = [
        dataclasses.replace(process, **changes) if process.name == name else process for process in run.processes
    ]  # type: ignore[arg-type]
    return run.replace(processes=tuple(changed))


def text_of(files: Files, name: str) -> str:
    return next(content for path, content in files.items() if re.search(name, path)).decode()


def test_srun_labels_lines_and_names_the_ends() -> None:
    """--label in https://slurm.schedmd.com/srun.html; task_exit words in srun's source and in its FAQ."""
    assert text_of(render("slurm-label", short_run()), "slurm-") == (
        "0: step 1\n1: W: slow\n"
        "srun: error: gpu-b: task 1: Killed\nsrun: error: gpu-a: task 0: Exited with exit code 1\n"
    )


def test_slurm_tells_of_the_oom_killer_where_the_kernel_did() -> None:
    run = short_run()
    kernel_line = ReceivedLine(
        START + 3 * SECOND, "kernel@gpu-b", "out", b"Memory cgroup out of memory: Killed process 112 (python3)"
    )
    words = text_of(render("slurm-one-file", run.replace(lines=(*run.lines, kernel_line))), "slurm-")
    step = f"StepId={Identities(run).job_number}.0"
    assert (
        f"slurmstepd: error: Detected 1 oom_kill event in {step}. Some of the step tasks have been OOM Killed." in words
    )
    assert "srun: error: gpu-b: task 1: Out Of Memory\n" in words
    assert "oom" not in text_of(render("slurm-one-file", run), "slurm-")


def test_slurm_tells_of_preemption_where_the_launcher_did() -> None:
    run = short_run(signal=15)
    launcher_line = ReceivedLine(
        START + 3 * SECOND, "launcher", "err", b"received a preemption notice, ending all tasks"
    )
    files = render("slurm-per-task", run.replace(lines=(*run.lines, launcher_line)))
    assert "CANCELLED AT 2025-10-09T08:53:23 DUE TO PREEMPTION ***\n" in text_of(files, "slurm-.*[0-9].out")
    assert " PREEMPTED " in text_of(files, "sacct")


def test_slurm_tells_of_the_time_limit_where_the_launcher_did() -> None:
    run = short_run(signal=15)
    launcher_line = ReceivedLine(START + 3 * SECOND, "launcher", "err", b"time limit of 3 s reached")
    words = text_of(render("slurm-one-file", run.replace(lines=(*run.lines, launcher_line))), "slurm-")
    step = f"STEP {Identities(run).job_number}.0 ON gpu-a CANCELLED AT 2025-10-09T08:53:23 DUE TO TIME LIMIT"
    assert f"slurmstepd: error: *** {step} ***\n" in words
    assert "TIME LIMIT" not in text_of(render("slurm-one-file", run), "slurm-")


def test_sacct_has_the_columns_of_its_manual() -> None:
    """https://slurm.schedmd.com/sacct.html: JobID to the left, all others to the right, + where text is cut."""
    rows = text_of(render("slurm-per-task", short_run()), "sacct").splitlines()
    assert rows[0] == (
        "JobID           JobName        NodeList      State ExitCode               Start                 End "
    )
    assert rows[5].split()[3:5] == ["FAILED", "0:9"]


def test_mpirun_tags_lines() -> None:
    """--tag-output in https://www.open-mpi.org/doc/v4.1/man1/mpirun.1.php: [jobid, MCW_rank]<stdxxx>."""
    assert text_of(render("open-mpi-tags", short_run()), "mpirun").splitlines()[:2] == [
        "[1,0]<stdout>:step 1",
        "[1,1]<stderr>:W: slow",
    ]


def test_mpirun_stamps_lines() -> None:
    """orte_iof_base_write_output: ctime(3) without its line feed, and the stream."""
    assert text_of(render("open-mpi-times", short_run()), "mpirun").splitlines()[:2] == [
        "Thu Oct  9 08:53:20 2025<stdout>:step 1",
        "Thu Oct  9 08:53:22 2025<stderr>:W: slow",
    ]


def test_mpirun_names_the_first_process_that_a_signal_ended() -> None:
    """orterun:proc-aborted-strsignal in orte/tools/orterun/help-orterun.txt."""
    rule = "-" * 74
    assert text_of(render("open-mpi-folders", short_run()), "mpirun") == (
        f"{rule}\nPrimary job  terminated normally, but 1 process returned\n"
        f"a non-zero exit code. Per user-direction, the job has been aborted.\n{rule}\n"
        f"{rule}\nmpirun noticed that process rank 1 with PID 112 on node gpu-b exited on signal 9 (Killed).\n{rule}\n"
    )


def test_mpirun_names_the_first_process_that_left_with_a_code() -> None:
    """orterun:proc-exit-no-sync and the like: name and exit code below two sentences."""
    words = text_of(render("open-mpi-folders", short_run(signal=None, status=3)), "mpirun")
    assert re.search(
        r"first process to do so was:\n\n  Process name: \[\[\d+,1\],1\]\n  Exit code:    3\n-{74}\n$", words
    )


def test_hydra_draws_its_box() -> None:
    """control_cb in src/pm/hydra/mpiexec/pmiserv_cb.c: a wait status as the exit code of what a signal ended."""
    rule = "=" * 83
    assert text_of(render("mpich-ranks", short_run(signal=11, core=True)), "mpiexec") == (
        f"[0] step 1\n[1] W: slow\n\n{rule}\n=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n"
        "=   PID 112 RUNNING AT gpu-b\n=   EXIT CODE: 139\n=   CLEANING UP REMAINING PROCESSES\n"
        f"=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES\n{rule}\n"
        "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault (signal 11)\n"
        "This typically refers to a problem with your application.\n"
        "Please see the FAQ page for debugging suggestions\n"
    )


def test_htcondor_logs_the_end_of_a_job() -> None:
    """TerminatedEvent::formatBody in src/condor_utils/condor_event.cpp; the example of 005 in the manual."""
    number = Identities(short_run()).job_number
    log = text_of(render("htcondor", short_run()), r"\.log$")
    event = next(event for event in log.split("...\n") if event.startswith(f"005 ({number}.001.000)"))
    assert event.startswith(
        f"005 ({number}.001.000) 2025-10-09 08:53:24 Job terminated.\n"
        "\t(0) Abnormal termination (signal 9)\n"
        "\t(0) No core file\n"
        "\t\tUsr 0 00:00:06, Sys 0 00:00:00  -  Run Remote Usage\n"
    )
    assert "\t(1) Normal termination (return value 1)\n" in log
    assert log.endswith("\n...\n")


def test_lsf_reports_below_the_output() -> None:
    """Sample reports in https://www.ibm.com/docs/en/spectrum-lsf/10.1.0 for LSB_STDOUT_DIRECT=Y."""
    out = text_of(render("lsf-array", short_run()), r"^out\.\d+\.2$")
    assert re.search(r"\n-{60}\nSender: LSF System <lsfadmin@gpu-b>\nSubject: Job \d+\[2\]: <\S+> in cluster", out)
    assert "\nExited with exit code 137.\n\nResource usage summary:\n" in out


def test_gitlab_marks_sections() -> None:
    """The raw log in https://docs.gitlab.com/ci/jobs/job_logs/#custom-collapsible-sections."""
    trace = text_of(render("gitlab-ci", short_run()), "train")
    assert 'section_start:1760000000:step_script\r\x1b[0K\x1b[0K\x1b[36;1mExecuting "step_script" stage' in trace
    assert "\nstep 1\nW: slow\nsection_end:1760000007:step_script\r\x1b[0K" in trace
    assert trace.endswith("\x1b[31;1mERROR: Job failed: exit status 1\n\x1b[0;m")


def test_github_stamps_each_line() -> None:
    """Raw logs of https://github.com/actions/runner: ticks of 100 ns, groups, and the error at the end."""
    raw = render("github-actions", short_run())["0_train.txt"]
    assert raw.startswith(b"\xef\xbb\xbf2025-10-09T08:53:1")
    lines = raw.decode().splitlines()
    assert "2025-10-09T08:53:20.1234567Z step 1" in lines
    assert lines[-2].endswith("Z ##[error]Process completed with exit code 1.")


def test_jenkins_stamps_each_line() -> None:
    """https://plugins.jenkins.io/timestamper/: [yyyy-MM-dd'T'HH:mm:ss.SSS'Z'] in pipelines."""
    console = render("jenkins", short_run())["consoleText.txt"].decode()
    assert "\n[2025-10-09T08:53:20.123Z] step 1\n[2025-10-09T08:53:22.123Z] W: slow\n[Pipeline] }\n" in console
    assert console.endswith("ERROR: script returned exit code 1\nFinished: FAILURE\n")


def test_supervisord_tells_of_ends() -> None:
    """The sample of supervisord.log in https://supervisord.org/logging.html, and Subprocess.finish."""
    log = text_of(render("supervisord", short_run()), "gpu-b/.*/supervisord.log")
    assert log.splitlines()[-3:] == [
        "2025-10-09 08:53:20,123 INFO spawned: 'worker-1' with pid 112",
        "2025-10-09 08:53:21,127 INFO success: worker-1 entered RUNNING state, process has stayed up for > than 1 "
        "seconds (startsecs)",
        "2025-10-09 08:53:24,123 WARN exited: worker-1 (terminated by SIGKILL; not expected)",
    ]


def test_circus_takes_what_it_reads_at_once_for_lines() -> None:
    """write_data in circus/stream/file_stream.py, and the buffer of 1,024 bytes in redirector.py."""
    run = short_run()
    long = run.lines[0]._replace(text=b"x" * 1500)
    log = text_of(render("circus", run.replace(lines=(long, *run.lines))), "worker-0.log")
    prefix = "2025-10-09 08:53:20 [111] | "
    assert log == f"{prefix}{'x' * 1024}\n{prefix}{'x' * 476}\n{prefix}step 1\n"


def test_honcho_paints_its_prefix() -> None:
    """_colour_string in honcho/printer.py; the first two colours of honcho/colour.py are cyan and yellow."""
    log = render("honcho-colours", short_run())["honcho.log"].decode()
    assert "\x1b[0m\x1b[36m08:53:20 worker.1 | \x1b[0mstep 1\r\n" in log
    assert "\x1b[0m\x1b[33m08:53:22 worker.2 | \x1b[0mW: slow\r\n" in log
    assert "08:53:24 system   | worker.2 stopped (rc=-9)\r\n" in log


def test_systemd_states_result_and_code() -> None:
    """systemd.exec(5), $SERVICE_RESULT, and the example in systemctl(1)."""
    status = text_of(render("systemd-units", short_run()), "gpu-b/systemctl-status")
    assert "     Active: failed (Result: signal) since Thu 2025-10-09 08:53:24 UTC; " in status
    assert "   Main PID: 112 (code=killed, signal=KILL)\n" in status
    assert "Main process exited, code=killed, status=9/KILL\n" in status


def test_clush_gathers_below_a_header() -> None:
    """https://clustershell.readthedocs.io/en/latest/tools/clush.html#gathering-output."""
    run = short_run()
    log = render("clush-gathered", run.replace(lines=(run.lines[0], run.lines[0]._replace(process="worker-1"))))
    rule = "-" * 15
    assert log["clush.log"].decode() == (
        f"{rule}\ngpu-a,gpu-b (2)\n{rule}\nstep 1\n"
        "clush: gpu-b: exited with exit code 137\nclush: gpu-a: exited with exit code 1\n"
    )


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        (["n1"], "n1"),
        (["node01", "node03", "node02"], "node[01-03]"),
        (["n1", "n3", "login"], "login,n[1,3]"),
        (["gpu-b", "gpu-a"], "gpu-a,gpu-b"),
    ],
)
def test_hosts_are_folded(names: list[str], folded: str) -> None:
    """https://clustershell.readthedocs.io/en/latest/tools/nodeset.html#folding-nodes; so does Slurm."""
    assert fold_hosts(names) == folded


def test_the_shell_says_what_bash_says(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    script = tmp_path / "job.sh"
    script.write_text("sh -c 'echo $$; kill -9 $$'\nexit 0\n")
    result = subprocess.run(
        [bash, str(script)], capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/bin:/usr/bin"}
    )
    killed = Process("worker-1", "task", "gpu-b", int(result.stdout), "worker:1", signal=signal.SIGKILL)
    notice = shell_notice(str(script), 1, dataclasses.replace(killed, command="sh -c 'echo $$; kill -9 $$'"))
    assert result.stderr == notice.decode()


@pytest.mark.parametrize("name", [name for name, collector in OURS.items() if "exit" in collector.carries])
def test_no_end_is_stated_of_what_still_runs(name: str) -> None:
    run = with_end(
        with_end(short_run(), "worker-1", ended_ns=None, signal=None), "launcher", ended_ns=None, status=None
    )
    same = with_end(run, "worker-1", status=7)
    assert render(name, run) == render(name, same)
    assert find_losses(OURS[name], run, render(name, run)) == []


@pytest.mark.parametrize("name", OURS)
def test_a_bundle_states_the_ends_that_its_collector_says(name: str) -> None:
    """Another end makes another bundle where, and only where, the end is carried."""
    collector, run = OURS[name], tiny_run()
    for task in run.tasks:
        other = with_end(run, task.name, signal=None, status=3)
        stated = "exit" in collector.carries and collector.ends(run, task)
        assert (render(name, run) != render(name, other)) == stated


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize(("role", "carried"), [("launcher", "launcher"), ("kernel", "kernel"), ("task", "lines")])
def test_a_bundle_holds_the_lines_that_its_collector_says(name: str, role: str, carried: str) -> None:
    run = tiny_run()
    lines = [
        line._replace(text=line.text.replace(b"e", b"a")) if run.by_name[line.process].role == role else line
        for line in run.lines
    ]
    changed = render(name, run) != render(name, run.replace(lines=tuple(lines)))
    assert changed == (carried in OURS[name].carries)


@pytest.mark.parametrize("name", OURS)
def test_a_bundle_holds_environment_and_cores_where_its_collector_says(name: str) -> None:
    run = tiny_run()
    assert (render(name, run) != render(name, run.replace(environment={"A": "1"}))) == (
        "environment" in OURS[name].carries
    )
    assert (render(name, run) != render(name, run.replace(cores={"worker-1": b"\x7fELF"}))) == (
        "core" in OURS[name].carries
    )


@pytest.mark.parametrize("name", OURS)
def test_tasks_that_share_a_host_are_handed_over_whole(name: str) -> None:
    run = tiny_run()
    processes = tuple(
        dataclasses.replace(process, host="gpu-a") for process in run.processes if process.name != "kernel@gpu-b"
    )
    lines = tuple(line for line in run.lines if line.process != "kernel@gpu-b")
    shared = run.replace(hosts=run.hosts[:1], processes=processes, lines=lines)
    assert find_losses(OURS[name], shared, render(name, shared)) == []


@pytest.mark.parametrize("name", OURS)
def test_a_bundle_is_made_of_whatever_processes_are_left(name: str) -> None:
    """Each process alone is missing, then alone there; the places of the others stay as they were."""
    run = tiny_run()
    names = frozenset(run.by_name)
    for missing in [
        *({process_name} for process_name in names),
        *(names - {process_name} for process_name in names),
        names,
    ]:
        left = run.replace(
            processes=tuple(process for process in run.processes if process.name not in missing),
            lines=tuple(line for line in run.lines if line.process not in missing),
        )
        files = OURS[name].render(left, Identities(run), random.Random(run.name))
        if "worker-0" in missing and "worker-1" not in missing and "rank" in OURS[name].group.__name__:
            assert {group for group, _ in OURS[name].read_back(files)} == {"1"}


def test_mpirun_is_silent_about_a_process_that_is_not_handed_in() -> None:
    run = short_run()
    left = run.replace(processes=tuple(process for process in run.processes if process.name != "worker-1"))
    left = left.replace(lines=left.lines[:1])
    files = OURS["open-mpi-folders"].render(left, Identities(run), random.Random(1))
    assert files["mpirun.log"] == b""
