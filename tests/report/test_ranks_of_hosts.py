"""Ranks that share a machine are written under its name."""

from __future__ import annotations

from pathlib import Path

from analyzer.pipeline import analyze
from analyzer.report.json import write_incident

MAP = """\
 ========================   JOB MAP   ========================

 Data for node: elm\tNum slots: 2\tMax slots: 0\tNum procs: 2
 \tProcess OMPI jobid: [4711,1] App: 0 Process rank: 0 Bound: N/A
 \tProcess OMPI jobid: [4711,1] App: 0 Process rank: 1 Bound: N/A

 Data for node: oak\tNum slots: 2\tMax slots: 0\tNum procs: 2
 \tProcess OMPI jobid: [4711,1] App: 0 Process rank: 2 Bound: N/A
 \tProcess OMPI jobid: [4711,1] App: 0 Process rank: 3 Bound: N/A

 =============================================================
"""
TRACE = ["Traceback (most recent call last):", '  File "/srv/fit.py", line 61, in parse', "KeyError: 'kind'"]


def test_the_place_is_the_host_and_the_task_the_rank(tmp_path: Path) -> None:
    steps = [f"[1,{rank}]<stdout>:step {step} loss 0.{step}" for step in range(10, 20) for rank in range(4)]
    trace = [f"[1,3]<stderr>:{line}" for line in TRACE]
    (tmp_path / "fit.log").write_text("\n".join([MAP, *steps, *trace]) + "\n")
    written = write_incident(analyze([tmp_path]))
    assert (written.root_causes[0].node, written.root_causes[0].task) == ("oak", "rank 3")
    assert {node.name: node.tasks for node in written.nodes} == {
        "elm": ["rank 0", "rank 1"],
        "oak": ["rank 2", "rank 3"],
    }
    names = {node.name for node in written.nodes}
    assert {finding.node for finding in written.findings} <= {None, *names}
    assert {fact.node for fact in written.hard_facts} <= {None, *names}
    assert {event.node for event in written.timeline.events} <= {None, "", *names}


def test_ranks_of_unknown_hosts_keep_their_names(tmp_path: Path) -> None:
    steps = [f"[1,{rank}]<stdout>:step {step} loss 0.{step}" for step in range(10, 20) for rank in range(4)]
    trace = [f"[1,3]<stderr>:{line}" for line in TRACE]
    (tmp_path / "fit.log").write_text("\n".join([*steps, *trace]) + "\n")
    written = write_incident(analyze([tmp_path]))
    assert written.root_causes[0].node == "rank 3"
