"""incident.json of every fixture has each key of the contract, of the promised type."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from analyzer.pipeline import analyze
from analyzer.report.json import to_json

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures").glob("*/bundle.tar.gz"))
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


class Time:
    """An RFC 3339 time in UTC with microseconds, or null."""


class Share:
    """A number from 0 to 1."""


NULL = type(None)
TEXT = (str, NULL)
EVIDENCE = {"node": TEXT, "file": str, "line": (int, NULL), "time": Time, "text": str}
SHAPE: dict[str, Any] = {
    "schema_version": str,
    "tool": {"name": str, "version": str, "rule_packs": [{"name": str, "version": str, "rules": int}]},
    "verdict": {"diagnosed", "undiagnosed", "no-failure"},
    "root_causes": [
        {
            "cause": str,
            "rule": str,
            "node": TEXT,
            "task": TEXT,
            "time": Time,
            "confidence": Share,
            "status": {"established", "supported", "hypothesis"},
            "title": str,
            "summary": str,
            "why": [str],
            "remediation": [str],
            "evidence": [EVIDENCE],
            "explains": [str],
        }
    ],
    "findings": [
        {
            "id": str,
            "rule": str,
            "cause": TEXT,
            "role": {"cause", "symptom", "context"},
            "severity": {"fatal", "error", "warning", "info"},
            "node": TEXT,
            "task": TEXT,
            "time": Time,
            "count": int,
            "captures": {...: str},
            "evidence": [EVIDENCE],
            "explained_by": [str],
        }
    ],
    "nodes": [
        {
            "name": str,
            "hosts": [str],
            "addresses": [str],
            "tasks": [str],
            "first_time": Time,
            "last_time": Time,
            "silent_since": Time,
            "clock": {"offset_s": (int, float), "error_s": (int, float, NULL), "method": str},
        }
    ],
    "sources": [
        {
            "file": str,
            "node": TEXT,
            "kind": str,
            "bytes": int,
            "lines": int,
            "timed_lines": int,
            "first_time": Time,
            "last_time": Time,
            "problem": TEXT,
            "status": {"read", "partly-read", "not-understood", "skipped", "failed"},
        }
    ],
    "cores": [
        {
            "file": str,
            "node": TEXT,
            "pid": (int, NULL),
            "executable": TEXT,
            "command_line": (str, list, NULL),
            "signal": TEXT,
            "signal_code": TEXT,
            "fault_address": TEXT,
            "sender_pid": (int, NULL),
            "crashing_thread": (int, NULL),
            "abort_message": TEXT,
            "signature": TEXT,
            "threads": [{"tid": int}],
            "modules": [{"path": str, "start": str, "end": str, "build_id": TEXT, "status": str}],
            "mappings": list,
            "auxv": (dict, list),
            "problems": [str],
        }
    ],
    "skew": [{"key": str, "values": {...: [str]}}],
    "unclassified": [{"template": str, "count": int, "nodes": [str], "first_time": Time, "example": EVIDENCE}],
    "not_evaluated": [{"rule": str, "lacks": (str, list)}],
    "signature": str,
    "notes": [str],
}


def differences(value: object, shape: Any, where: str = "incident") -> Iterator[str]:
    """Where a value is not of the shape, in words."""
    if shape is Time:
        if value is not None and not (isinstance(value, str) and TIME.fullmatch(value)):
            yield f"{where}: {value!r} is no time"
    elif shape is Share:
        if not isinstance(value, int | float) or not 0 <= value <= 1:
            yield f"{where}: {value!r} is not from 0 to 1"
    elif isinstance(shape, set):
        if value not in shape:
            yield f"{where}: {value!r} is none of {shape}"
    elif isinstance(shape, list) and isinstance(value, list):
        for number, item in enumerate(value):
            yield from differences(item, shape[0], f"{where}[{number}]")
    elif isinstance(shape, dict) and isinstance(value, dict):
        for name, inner in shape.items():
            if name is ...:
                for key, item in value.items():
                    yield from differences(item, inner, f"{where}.{key}")
            elif name not in value:
                yield f"{where} has no {name}"
            else:
                yield from differences(value[name], inner, f"{where}.{name}")
    elif isinstance(shape, list | dict) or not isinstance(value, shape) or isinstance(value, bool):
        yield f"{where}: {value!r} is not {shape}"


@cache
def incident_of(bundle: Path) -> dict[str, Any]:
    return json.loads(json.dumps(to_json(analyze([bundle]))))  # type: ignore[no-any-return]


@pytest.mark.parametrize("bundle", FIXTURES, ids=lambda path: path.parent.name)
def test_every_key_is_there_and_of_its_type(bundle: Path) -> None:
    incident = incident_of(bundle)
    assert not list(differences(incident, SHAPE))
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


def test_the_shape_itself_can_fail() -> None:
    wrong = {**incident_of(FIXTURES[0]), "verdict": "perhaps", "notes": [1], "nodes": [{}]}
    assert len(list(differences(wrong, SHAPE))) >= 3
