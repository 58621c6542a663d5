"""Processes of a Procfile's runner: each is a node of its own in one log, and of its machine in the machine's log."""

from __future__ import annotations

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs
from tests.diagnosis.test_stories import analyze

LOG = """\
10:01:33 system    | ps0.1 started (pid=4264)
10:01:33 system    | worker0.1 started (pid=4272)
10:01:33 system    | worker1.1 started (pid=4273)
10:01:33 ps0.1     | serving
10:01:34 worker1.1 | step 2 loss 0.5
10:01:34 worker0.1 | step 2 loss 0.5
10:01:36 worker1.1 | MemoryError
10:01:36 system    | worker1.1 stopped (rc=1)
10:01:36 system    | sending SIGTERM to ps0.1 (pid 4264)
10:01:36 system    | sending SIGTERM to worker0.1 (pid 4272)
10:01:36 system    | ps0.1 stopped (rc=-15)
10:01:36 system    | worker0.1 stopped (rc=-15)
"""


def test_each_process_is_a_node_and_those_that_the_runner_ends_are_explained(packs: Packs, plan: ReadPlan) -> None:
    incident = analyze({"honcho.log": LOG}, packs, plan)
    assert incident.root_causes[0].finding.node == "worker1.1"
    ends = {
        fact.node: (fact.end and (fact.end.signal or fact.end.status), 0 in fact.explained_by)
        for fact in incident.hard_facts
    }
    assert ends == {"ps0.1": ("SIGTERM", True), "worker0.1": ("SIGTERM", True), "worker1.1": (1, True)}


def test_the_same_name_on_two_machines_is_that_of_no_node(packs: Packs, plan: ReadPlan) -> None:
    lines = "10:01:33 trainer.1 | step 2 loss 0.5\n10:01:36 trainer.1 | "
    incident = analyze({"n0/honcho.log": f"{lines}MemoryError\n", "n1/honcho.log": f"{lines}step 3\n"}, packs, plan)
    assert sorted(node.name for node in incident.nodes) == ["n0", "n1"]


def test_a_process_inside_of_a_container_is_no_node_of_its_own(packs: Packs, plan: ReadPlan) -> None:
    text = "".join(
        f"trainer-{name}-1 | 2026-01-02T10:01:3{second}.457545757Z 10:01:3{second} {name}-0 | step {second}/9\n"
        for second in range(1, 5)
        for name in ("chief", "worker")
    )
    incident = analyze({"compose.log": text}, packs, plan)
    assert sorted(node.name for node in incident.nodes) == ["trainer-chief-1", "trainer-worker-1"]
