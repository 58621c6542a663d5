"""Evidence shows the clock of the node that wrote the line, also where the finding is about another node."""

from __future__ import annotations

from datetime import datetime

import pytest
from fixture_incidents import BUNDLES, incident_of

from analyzer.report.json import to_json

[SKEWED] = [bundle for bundle in BUNDLES if bundle.parent.name == "skewed-clocks"]


def test_the_time_of_a_line_is_that_of_its_writer() -> None:
    incident = to_json(incident_of(SKEWED))
    offsets = {node["name"]: node["clock"]["offset_s"] for node in incident["nodes"] if node["clock"]}
    seen = set()
    for finding in incident["findings"]:
        for line in finding["evidence"]:
            if line["time"] and line["node"] in offsets:
                ahead = datetime.fromisoformat(line["time"]) - datetime.fromisoformat(line["corrected"])
                assert ahead.total_seconds() == pytest.approx(offsets[line["node"]], abs=1.0), line
                seen.add(finding["node"] != line["node"])
    assert seen == {True, False}, "lines of the node itself, and of another one"
