"""The forms for continuous integration are valid in their own terms, and no text of a log becomes markup of them."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from report_samples import HOSTILE, empty, healthy, hostile, many, oom, typed, undiagnosed

from analyzer.report.forms import output_forms

SAMPLES: dict[str, Callable[[], dict[str, object]]] = {
    "oom": oom,
    "undiagnosed": undiagnosed,
    "healthy": healthy,
    "empty": empty,
    "many": many,
    **{f"hostile {index}": partial(hostile, text) for index, text in enumerate(HOSTILE)},
}
SARIF_SCHEMA = json.loads((Path(__file__).parent / "schemas/sarif-schema-2.1.0.json").read_text())


def rendered(form: str, sample: str) -> str:
    return "".join(output_forms()[form].render(typed(SAMPLES[sample]())))


@pytest.mark.parametrize("sample", SAMPLES)
def test_sarif_follows_its_schema(sample: str) -> None:
    jsonschema.Draft7Validator(SARIF_SCHEMA, format_checker=jsonschema.FormatChecker()).validate(
        json.loads(rendered("sarif", sample))
    )


def test_sarif_has_the_evidence_the_cascade_and_the_rank() -> None:
    run = json.loads(rendered("sarif", "oom"))["runs"][0]
    first, other = run["results"]
    assert (first["level"], first["rank"], other["level"]) == ("error", 93, "note")
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "train-2/dmesg.txt" and place["region"]["startLine"] == 812
    assert len(first["relatedLocations"]) == 3
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == first["ruleId"]


def test_an_undiagnosed_failure_is_a_warning_and_a_healthy_run_is_nothing() -> None:
    assert [result["level"] for result in json.loads(rendered("sarif", "undiagnosed"))["runs"][0]["results"]] == [
        "warning"
    ]
    assert json.loads(rendered("sarif", "healthy"))["runs"][0]["results"] == []
    assert json.loads(rendered("code-quality", "healthy")) == []
    assert rendered("annotations", "healthy").startswith("::notice ")


@pytest.mark.parametrize("sample", SAMPLES)
def test_each_annotation_is_one_command(sample: str) -> None:
    lines = rendered("annotations", sample).splitlines()
    assert 1 <= len(lines) <= 10
    for line in lines:
        command = re.fullmatch(r"::(error|warning|notice) title=([^,:]*)(?:,file=([^,:]*)(?:,line=\d+)?)?::(.*)", line)
        assert command, line
        assert all("\r" not in part for part in command.groups() if part)


@pytest.mark.parametrize("sample", SAMPLES)
def test_code_quality_has_the_keys_that_gitlab_asks_for(sample: str) -> None:
    issues: list[dict[str, Any]] = json.loads(rendered("code-quality", sample))
    for issue in issues:
        assert {"description", "check_name", "fingerprint", "severity", "location"} <= issue.keys()
        assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert issue["location"]["lines"]["begin"] >= 1
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


@pytest.mark.parametrize("sample", SAMPLES)
def test_junit_is_xml_whose_counts_are_right(sample: str) -> None:
    suite = ET.fromstring(rendered("junit", sample).encode()).find("testsuite")
    assert suite is not None
    assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
    assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
    assert int(suite.attrib["errors"]) == len(suite.findall("testcase/error"))
    assert suite.find("testcase/failure/*") is None


def test_junit_fails_the_culprit_alone() -> None:
    suite = ET.fromstring(rendered("junit", "oom").encode()).find("testsuite")
    assert suite is not None
    assert [case.attrib["name"] for case in suite.findall("testcase") if len(case)] == ["node train-2"]
