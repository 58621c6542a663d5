"""A symptom's title names the peer that is lost, never the node that says so; and no sentence has a hole for a task."""

from __future__ import annotations

import pytest
from fixture_incidents import bundle_of, incident_of

from analyzer.model import Role
from analyzer.rules.evaluation.templates import fill_sentence


@pytest.mark.parametrize("name", ["killed-worker", "packets-dropped", "ps-killed"])
def test_no_symptom_names_its_own_nodes_task(name: str) -> None:
    incident = incident_of(bundle_of(name))
    tasks = {node.name: node.tasks for node in incident.nodes}
    symptoms = [finding for finding in incident.findings if finding.role is Role.SYMPTOM]
    assert any(" lost " in finding.title or "heartbeats" in finding.title for finding in symptoms)
    for finding in symptoms:
        title = finding.title.replace(finding.node or "-", "")
        assert not any(task in title for task in tasks.get(finding.node or "", ())), finding.title


@pytest.mark.parametrize(
    ("template", "task", "sentence"),
    [
        ("{task?} on {node} died", "", "A process on n1 died"),
        ("{task} on {node} died", "worker:1", "worker:1 on n1 died"),
        ("{task} on {node} died", "n1", "n1 died"),
        ("lost {node} ({task?})", "n1", "Lost n1"),
    ],
)
def test_a_task_without_a_name_of_its_own_leaves_no_hole(template: str, task: str, sentence: str) -> None:
    assert fill_sentence(template, {"task": task, "node": "n1"}, "n1") == sentence
