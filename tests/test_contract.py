"""incident.json of every fixture has each key of the contract, of the promised type."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from analyzer.pipeline import analyze
from analyzer.report.json import to_json
from analyzer.report.schema import incident_schema

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures").glob("*/bundle.tar.gz"))
SCHEMA = incident_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


@cache
def incident_of(bundle: Path) -> dict[str, Any]:
    return json.loads(json.dumps(to_json(analyze([bundle]))))  # type: ignore[no-any-return]


@pytest.mark.parametrize("bundle", FIXTURES, ids=lambda path: path.parent.name)
def test_every_key_is_there_and_of_its_type(bundle: Path) -> None:
    incident = incident_of(bundle)
    assert not [f"{fault.json_path}: {fault.message}" for fault in VALIDATOR.iter_errors(incident)]
    assert (incident["verdict"] == "diagnosed") == bool(incident["root_causes"])


@pytest.mark.parametrize("bundle", FIXTURES, ids=lambda path: path.parent.name)
def test_what_refers_leads_somewhere(bundle: Path) -> None:
    incident = incident_of(bundle)
    ids = {finding["id"] for finding in incident["findings"]}
    names = {node["name"] for node in incident["nodes"]} | {None}
    lines = {source["file"]: source["lines"] for source in incident["sources"]}
    assert len(ids) == len(incident["findings"])
    for item in (*incident["findings"], *incident["root_causes"]):
        assert item["node"] in names
        assert item["evidence"]
        assert set(item.get("explained_by", item.get("explains"))) <= ids
        for proof in item["evidence"]:
            assert proof["node"] in names
            assert proof["line"] is None or 1 <= proof["line"] <= lines[proof["file"]]


def test_the_schema_itself_can_fail() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    wrong = {
        **incident_of(FIXTURES[0]),
        "verdict": "perhaps",
        "notes": [1],
        "nodes": [{}],
        "sources": [{"first_time": "x"}],
    }
    assert len(list(VALIDATOR.iter_errors(wrong))) >= 10
