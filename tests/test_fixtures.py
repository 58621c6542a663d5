"""Every fixture must give the answer that its run was made to have."""

from __future__ import annotations

import json
import re
import tarfile
from io import BytesIO
from typing import Any

import pytest
import yaml
from fixture_incidents import FIXTURES, bundle_of, incident_of

from analyzer.report.json import to_json
from analyzer.resources import rules_dir

NAMES = sorted(path.parent.name for path in FIXTURES.glob("*/expected.json"))


def expected_of(name: str) -> dict[str, Any]:
    return json.loads((FIXTURES / name / "expected.json").read_text())


def members_of(data: bytes) -> dict[str, bytes]:
    """All files of an archive, those of archives in it too."""
    members: dict[str, bytes] = {}
    with tarfile.open(fileobj=BytesIO(data)) as archive:
        for member in archive:
            content = archive.extractfile(member).read()  # type: ignore[union-attr]
            members |= members_of(content) if member.name.endswith(".tar.gz") else {member.name: content}
    return members


def test_there_are_fixtures_of_every_kind() -> None:
    causes = {expected_of(name)["cause"] for name in NAMES}
    assert {
        None,
        "process.killed-by-signal",
        "user.code-error",
        "collective.mismatch",
        "config.task-index",
        "resource.host-oom-killed",
        "resource.host-alloc-failed",
    } <= causes


def test_fixtures_are_replays_of_many_faults_under_every_strategy() -> None:
    plans = {name: yaml.safe_load((FIXTURES / name / "plan.yaml").read_text()) for name in NAMES}
    faults = {plan["replay"]["fault"] for plan in plans.values() if "program" not in plan}
    strategies = {plan["replay"].get("strategy", "MultiWorkerMirroredStrategy") for plan in plans.values()}
    assert len(faults - {"none"}) >= 25
    assert strategies == {"MultiWorkerMirroredStrategy", "ParameterServerStrategy", "MirroredStrategy"}
    rows = re.findall(r"^\| \[([\w-]+)\]\(\1/README\.md\) \|", (FIXTURES / "README.md").read_text(), re.M)
    assert rows == NAMES
    for name, plan in plans.items():
        readme = (FIXTURES / name / "README.md").read_text()
        assert all(f"`{path}`" in readme for path in plan.get("by_hand", ())), "a README says what is written by hand"


@pytest.mark.parametrize("name", NAMES)
def test_a_fixture_is_whole_and_says_nothing_of_where_it_was_made(name: str) -> None:
    expected = expected_of(name)
    known_causes = yaml.safe_load((rules_dir() / "causes.yaml").read_text())
    causes = {cause for group in known_causes.values() for cause in group}
    assert {expected["cause"], *expected["also_acceptable"]} <= causes | {None}
    assert (expected["cause"] is None) == (expected["verdict"] == "no-failure")
    plan = yaml.safe_load((FIXTURES / name / "plan.yaml").read_text())
    assert plan["expected"] == expected and (
        plan["replay"]["fault"] != "none" or "program" in plan or not expected["cause"]
    )
    files = members_of((FIXTURES / name / "bundle.tar.gz").read_bytes())
    assert (FIXTURES / name / "bundle.tar.gz").stat().st_size < 100_000
    for path, content in files.items():
        assert not re.search(rb"(?<![\w.])/(?:root|tmp(?!/__autograph)|home|work)/", content), path


@pytest.mark.parametrize("name", NAMES)
def test_a_fixture_is_diagnosed(name: str) -> None:
    expected = expected_of(name)
    incident: dict[str, Any] = dict(to_json(incident_of(bundle_of(name))))
    assert incident["verdict"] == expected["verdict"]
    if expected["cause"] is None:
        assert not incident["root_causes"]
        return
    first = incident["root_causes"][0]
    assert first["cause"] in {expected["cause"], *expected["also_acceptable"]}
    if first["node"] is None:
        assert expected["node"] is None
    else:
        assert names_node(incident, first["node"], expected), first


def names_node(incident: dict[str, Any], name: str | None, expected: dict[str, Any]) -> bool:
    """Whether the answer's node is the culprit, which some layouts know by its task or another of its names alone."""
    node = next((node for node in incident["nodes"] if node["name"] == name), None)
    culprits = {expected["node"], *expected.get("acceptable_nodes", ())} - {None}
    return node is not None and (not culprits.isdisjoint({name, *node["hosts"]}) or expected["task"] in node["tasks"])
