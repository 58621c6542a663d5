# ruff: noqa: E501
"""Lines about something else than the job (a program, service, pod or machine of others, a list of names) blame nobody."""

from __future__ import annotations

import json

import pytest
from test_stories import analyze

from analyzer.incident import Incident
from analyzer.model import Role
from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

AT = "2026-03-01T10:05:00,000000+00:00"
SEGFAULT = "segfault at 8 ip 000055d0c0ffee00 sp 00007ffd4a1b2c30 error 4 in"


def step(seconds: int) -> str:
    return f"2026-03-01 10:{seconds // 60:02}:{seconds % 60:02}.000000"


def worker(index: int, last: int, hosts: tuple[str, ...]) -> str:
    config = {"cluster": {"worker": [f"{host}:2222" for host in hosts]}, "task": {"type": "worker", "index": index}}
    lines = [
        f"{step(0)}: I starting worker:{index} pid 4242 on host {hosts[index]}",
        f"{step(0)}: I TF_CONFIG={json.dumps(config)}",
    ]
    lines += [f"{step(second)}: I step {second // 10} loss 0.5" for second in range(10, last, 10)]
    return "\n".join(lines) + "\n"


def analyze_with_line(
    plan: ReadPlan, packs: Packs, file: str, line: str, hosts: tuple[str, ...] = ("n-1", "n-2")
) -> Incident:
    """The second worker's log stops without a word just after the line; the first misses its heartbeat."""
    lost = (
        f"{step(365)}: E tensorflow/core/distributed_runtime/coordination/coordination_service.cc:700] "
        "Task /job:worker/replica:0/task:1 heartbeat timeout. This indicates that the remote task has failed.\n"
    )
    texts = {f"{hosts[0]}/worker.log": worker(0, 360, hosts) + lost, f"{hosts[1]}/worker.log": worker(1, 305, hosts)}
    texts[file] = texts.get(file, "") + line + "\n"
    return analyze(texts, packs, plan)


EVENTS = "LAST SEEN   TYPE      REASON             OBJECT        MESSAGE\n"
BYSTANDERS = {
    "another program crashes": ("n-2/dmesg.txt", f"{AT} snapd[812]: {SEGFAULT} snapd[55d0c0000000+900000]"),
    "another program traps": (
        "n-2/dmesg.txt",
        f"{AT} traps: chrome[3312] trap int3 ip:5581 sp:7ffe error:0 in chrome[5580000+900]",
    ),
    "another program's cgroup is full": (
        "n-2/dmesg.txt",
        f"{AT} Memory cgroup out of memory: Killed process 3312 (apt-check) total-vm:9kB, anon-rss:8kB",
    ),
    "another service ends": (
        "n-2/syslog",
        "2026-03-01T10:05:00+00:00 n-2 systemd[1]: tensorboard.service: Main process exited, code=killed, status=15/TERM",
    ),
    "a machine of others is silent": ("slurmctld.log", "[2026-03-01T10:05:00.000] error: Nodes n-77 not responding"),
    "a pod of others has no room": (
        "events.txt",
        f"{EVENTS}2m   Warning   FailedScheduling   pod/batch-1   0/12 nodes are available: 12 Insufficient nvidia.com/gpu.",
    ),
    "a GPU repairs its memory": (
        "n-2/dmesg.txt",
        f"{AT} NVRM: Xid (PCI:0000:3b:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row marked for remapping, reset gpu to activate.",
    ),
    "labels": ("n-2/worker.log", f"{step(304)}: I classes ['Loss is NaN', 'Segmentation fault (core dumped)']"),
    "labels behind a severity": (
        "n-2/worker.log",
        "2026-03-01 10:05:04,000 INFO data: errors by class ['Loss is NaN', 'Segmentation fault (core dumped)']",
    ),
    "words that a watcher looks for": (
        "n-2/worker.log",
        f'{step(304)}: I watching for ["CUDA out of memory", "No space left on device"]',
    ),
}


@pytest.mark.parametrize(("file", "line"), BYSTANDERS.values(), ids=BYSTANDERS)
def test_a_bystander_is_no_cause(file: str, line: str, plan: ReadPlan, packs: Packs) -> None:
    incident = analyze_with_line(plan, packs, file, line)
    assert incident.root_causes
    for cause in incident.root_causes:
        assert cause.finding.node == "n-2"
        assert cause.finding.evidence[0].signal.startswith("derived."), cause.finding


def test_the_kill_of_another_program_does_not_explain_how_the_job_ended(plan: ReadPlan, packs: Packs) -> None:
    line = f"{AT} Out of memory: Killed process 3312 (blender) total-vm:9kB, anon-rss:8kB"
    files = {
        "n-1/worker.log": worker(0, 360, ("n-1", "n-2")),
        "n-2/worker.log": worker(1, 305, ("n-1", "n-2")),
        "n-2/dmesg.txt": line + "\n",
        "n-2/run.out": "./run.sh: line 8:  4242 Killed                  python3 train.py\n",
    }
    incident = analyze(files, packs, plan)
    kill, end = (
        next(finding for finding in incident.findings if finding.rule == rule)
        for rule in ("host-oom-kill", "process-exit-killed")
    )
    assert kill.id not in end.explained_by


OWN = {
    "the job's own process crashes": (
        "n-2/dmesg.txt",
        f"{AT} python3[4242]: {SEGFAULT} libops.so[55d0c0000000+900000]",
    ),
    "its own cgroup is full": (
        "n-2/dmesg.txt",
        f"{AT} Memory cgroup out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB",
    ),
    "its own service ends": (
        "n-2/syslog",
        "2026-03-01T10:05:00+00:00 n-2 systemd[1]: trainer.service: Main process exited, code=killed, status=9/KILL",
    ),
    "its own machine is silent": ("slurmctld.log", "[2026-03-01T10:05:00.000] error: Nodes n-2 not responding"),
    "an error quotes two texts": ("n-2/worker.log", f"{step(304)}: E failed with ['Loss is NaN', 'step 30']"),
}


@pytest.mark.parametrize(("file", "line"), OWN.values(), ids=OWN)
def test_the_jobs_own_is_a_cause(file: str, line: str, plan: ReadPlan, packs: Packs) -> None:
    incident = analyze_with_line(plan, packs, file, line)
    text = line.rpartition("\n")[2]
    assert any(event.text.strip() in text for event in incident.root_causes[0].finding.evidence)


def test_a_machine_named_in_another_way_may_be_a_member(plan: ReadPlan, packs: Packs) -> None:
    incident = analyze_with_line(
        plan, packs, "slurmctld.log", "[2026-03-01T10:05:00.000] error: Nodes gpu-rack4 not responding"
    )
    finding = next(finding for finding in incident.findings if finding.node == "gpu-rack4")
    assert finding.role is Role.CAUSE


def test_while_a_member_left_no_log_any_machine_may_be_it(plan: ReadPlan, packs: Packs) -> None:
    hosts = ("n-1", "n-2", "n-3")
    incident = analyze_with_line(
        plan, packs, "slurmctld.log", "[2026-03-01T10:05:00.000] error: Nodes n-77 not responding", hosts
    )
    assert any(finding.node == "n-77" and finding.role is Role.CAUSE for finding in incident.findings)
