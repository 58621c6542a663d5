"""A thousand nodes are judged as well as four, and in time that grows with their number."""

from __future__ import annotations

import time

import pytest
from cascade import make_cascade

from analyzer.pipeline import IngestResult, diagnose, read_small_text
from analyzer.reading import ReadPlan
from analyzer.report.json import to_json
from analyzer.rules.types import Packs

STARTED = "2026-11-21 05:10:09.000000: I x.cc:1] Started server with target:"


@pytest.mark.parametrize("nodes", [4, 40])
@pytest.mark.parametrize("flapping", [False, True])
@pytest.mark.parametrize("skewed", [False, True])
def test_the_killed_node_is_named(nodes: int, flapping: bool, skewed: bool, packs: Packs, plan: ReadPlan) -> None:
    incident = diagnose(make_cascade(nodes, plan, flapping=flapping, skewed=skewed), packs)
    first = incident.root_causes[0].finding
    assert (first.node, first.cause) == ("node-0003", "resource.host-oom-killed")
    assert len(incident.nodes) == nodes
    assert len({accusation.accuser for accusation in incident.accusations}) == nodes - 1


def test_a_thousand_nodes_cost_about_four_times_what_a_quarter_costs(packs: Packs, plan: ReadPlan) -> None:
    """Each node has a cause of its own: whatever compares causes, nodes or clocks in pairs costs sixteen times."""

    def cost(nodes: int, tries: int) -> float:
        intake = make_cascade(nodes, plan, flapping=True, steps=20, skewed=True)
        spent = []
        for _ in range(tries):
            before = time.process_time()
            incident = diagnose(intake, packs)
            to_json(incident)
            spent.append(time.process_time() - before)
        assert incident.root_causes[0].finding.node == "node-0003"
        return min(spent)

    assert cost(1000, 1) < 9 * cost(250, 3)


def test_a_task_that_every_node_claims_is_not_told_with_all_nodes_each_time(packs: Packs, plan: ReadPlan) -> None:
    """As many findings as nodes, each with the names of all nodes, would take the square of their number."""

    def size(nodes: int) -> int:
        ingested = IngestResult()
        config = "{'cluster': {'worker': ['a:1', 'b:1']}, 'task': {'type': 'worker', 'index': 0}}"
        for node in range(nodes):
            started = f"{STARTED} grpc://10.0.{node // 250}.{node % 250}:2222"
            read_small_text(f"h{node}.log", f"{started}\nTF_CONFIG={config}\n".encode(), plan, ingested)
        incident = diagnose(ingested, packs)
        findings = [finding for finding in incident.findings if "nodes" in str(finding.evidence[0].captures)]
        assert len(findings) >= nodes - 1
        return sum(len(str(proof.captures)) for finding in findings for proof in finding.evidence)

    assert size(400) < 5 * size(100)
