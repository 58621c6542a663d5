"""An export that is one JSON document has all its records on line 1: each of them is a line of its own."""

from __future__ import annotations

import json

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs
from tests.diagnosis.test_whose_line import judge

TRACEBACK = """Traceback (most recent call last):
  File "/srv/fit.py", line 5, in <module>
    row["label"]
KeyError: 'label'"""
TOLD_BY_LEADER = (
    "E0000 00:00:1772359234.502070    4711 coordination_service_agent.cc:370] Polled an error from coordination service"
    " (this can be an error from this or another task)."
)


def export(*records: tuple[str, int, str]) -> str:
    """Return the answer of a search: host, second, message."""
    hits = [
        {"_source": {"@timestamp": f"2026-03-01T10:00:{second:02}.000Z", "message": message, "host": {"name": host}}}
        for host, second, text in records
        for message in text.splitlines()
    ]
    return json.dumps({"took": 5, "_shards": {"total": 1}, "hits": {"total": {"value": len(hits)}, "hits": hits}})


def test_a_finding_does_not_silence_another_record_of_its_line(packs: Packs, plan: ReadPlan) -> None:
    document = export(("gx1", 30, TRACEBACK), ("gx1", 34, TOLD_BY_LEADER), ("gx2", 34, TOLD_BY_LEADER))
    assert document.count("\n") == 0
    incident = judge({"search.json": document}, packs, plan)
    assert [(root.finding.cause, root.finding.node) for root in incident.root_causes] == [("user.code-error", "gx1")]
