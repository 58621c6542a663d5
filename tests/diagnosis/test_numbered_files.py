"""Tasks and names of writers whose files differ by a number, or lie in a folder that names the whole job."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest

from analyzer.incident import Incident
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

CPU = "I0000 00:00:1767323040.1   4711 cpu_feature_guard.cc:227] This TensorFlow binary is optimized\n"
BROKEN = CPU + (
    "Traceback (most recent call last):\n"
    '  File "/app/train.py", line 12, in <module>\n'
    "    table[key]\n"
    "KeyError: 'user_id'\n"
)


def introduces(task: str, host: str = "") -> str:
    name = task.replace(":", "-")
    return (
        CPU
        + f"2026-01-02 03:04:01,000 [INFO] {name} train: TensorFlow 2.21.0{f', host {host}, pid 77' if host else ''}\n"
    )


def analyze(files: Mapping[str, str], packs: Packs, plan: ReadPlan) -> Incident:
    intake = IngestResult()
    intake.results.extend(read_source(path, io.BytesIO(text.encode()), plan) for path, text in files.items())
    return diagnose(intake, packs)


def culprit(incident: Incident) -> tuple[str | None, str | None]:
    finding = incident.root_causes[0].finding
    return finding.node, finding.task


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("mnist.4711.{}.err", 0),
        ("out/1/rank.{}/stderr", 0),
        ("bert.e4711.{}", 1),
        ("out.4711.{}", 1),
        ("lucid_pear_9f5a2e81ab/user_logs/std_log_process_{}.txt", 0),
    ],
)
def test_a_silent_writer_has_the_task_of_its_number(path: str, first: int, packs: Packs, plan: ReadPlan) -> None:
    files = {path.format(first + at): introduces(f"worker:{at}", f"cn1{at}") for at in (0, 2)}
    files[path.format(first + 1)] = BROKEN
    assert culprit(analyze(files, packs, plan))[1] == "worker:1"


def test_numbers_follow_the_launch_order_of_a_cluster_with_servers(packs: Packs, plan: ReadPlan) -> None:
    jobs = '{"chief": ["a:1"], "ps": ["b:1"], "worker": ["c:1", "d:1"]}'
    cluster = f'{{"cluster": {jobs}, "task": {{"type": "chief", "index": 0}}}}'
    files = {
        "job.1.0.err": CPU + f"TF_CONFIG={cluster}\n",
        "job.1.1.err": introduces("worker:0"),
        "job.1.2.err": introduces("worker:1"),
        "job.1.3.err": BROKEN,
    }
    assert culprit(analyze(files, packs, plan))[1] == "ps:0"


@pytest.mark.parametrize(
    "files",
    [
        {"run-1/w.log": introduces("worker:0"), "run-2/w.log": introduces("worker:0"), "run-3/w.log": BROKEN},
        {"job-8801.log": introduces("worker:0"), "job-8802.log": BROKEN},
        {"w.0.log": introduces("worker:1"), "w.1.log": introduces("worker:0"), "w.2.log": BROKEN},
        {"w.log.1": introduces("worker:0"), "w.log": BROKEN},
        {"w-0.log": introduces("worker:0"), "w-1.log": BROKEN, "other/x.log": introduces("worker:1")},
    ],
    ids=["attempts", "two jobs", "another order", "rotation", "stated elsewhere"],
)
def test_numbers_that_are_no_ranks_give_no_task(files: dict[str, str], packs: Packs, plan: ReadPlan) -> None:
    incident = analyze(files, packs, plan)
    assert culprit(incident)[1] != "worker:1" or "w.log" in files


def test_a_folder_that_holds_tasks_of_several_hosts_is_no_node(packs: Packs, plan: ReadPlan) -> None:
    folder = "exports/08c38f8f-70b4-772b-fef1-1cf3d849aafc"
    files = {
        f"{folder}/train-default-aaaa1111bbbb2222/0": introduces("worker:0", "cn1"),
        f"{folder}/train-default-cccc3333dddd4444/0": introduces("worker:1", "cn2") + BROKEN,
    }
    incident = analyze(files, packs, plan)
    assert culprit(incident) == ("cn2", "worker:1")
    assert {node.name for node in incident.nodes} == {"cn1", "cn2"}


def test_a_machine_that_runs_two_tasks_stays_one_node(packs: Packs, plan: ReadPlan) -> None:
    files = {
        "devbox/worker0.log": introduces("worker:0"),
        "devbox/worker1.log": introduces("worker:1") + BROKEN,
        "devbox/dmesg.txt": "[   12.000000] usb 1-1: new device\n",
        "storage/ps0.log": introduces("ps:0"),
    }
    incident = analyze(files, packs, plan)
    assert {node.name: node.tasks for node in incident.nodes} == {
        "devbox": ("worker:0", "worker:1"),
        "storage": ("ps:0",),
    }
    assert culprit(incident) == ("devbox", "worker:1")


def test_a_program_that_logs_of_its_peers_does_not_name_itself_so(packs: Packs, plan: ReadPlan) -> None:
    log = "2026-01-02 03:04:0{},000 [WARNING] {}\n"
    lines = [log.format(1, "step 1 done"), log.format(2, "worker-1: heartbeat late"), log.format(3, "step 2 done")]
    incident = analyze({"cn1/chief.log": "".join(lines) + BROKEN, "cn2/w.log": CPU}, packs, plan)
    assert culprit(incident) == ("cn1", "chief:0") or culprit(incident)[1] is None


def test_an_id_is_the_name_only_where_nothing_else_names_the_writer(packs: Packs, plan: ReadPlan) -> None:
    files = {"afd41c9923b0aa00/log.txt": introduces("ps:0", "ps1"), "bb0c11d2993f4411/log.txt": BROKEN}
    incident = analyze(files, packs, plan)
    assert culprit(incident)[0] == "bb0c11d2993f4411"
    assert {node.name for node in incident.nodes} == {"ps1", "bb0c11d2993f4411"}
