"""One crash is one finding: its core, the log's last words and the launcher's word are joined; others stay apart."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from analyzer.diagnosis.crash_reports import find_crashes
from analyzer.diagnosis.evidence import fold_crashes
from analyzer.incident import Finding
from analyzer.model import Event, Kind, Locus, Role, Severity

SEGFAULT = "process.segfault"


def make_finding(
    name: str, captures: Mapping[str, str], kind: Kind = Kind.WORKER, node: str = "n1", cause: str = SEGFAULT
) -> Finding:
    time = None if kind is Kind.CORE else 100.0
    event = Event("signal", Locus(f"{node}/{name}", 1), name, time=time, kind=kind, node=node)
    return Finding(
        id=name,
        rule=name,
        role=Role.CAUSE,
        severity=Severity.FATAL,
        evidence=(event,),
        cause=cause,
        node=node,
        time=time,
        captures=captures,
        title=f"title of {name}",
        confidence=0.8,
    )


def core(name: str = "core.7", crash: str = "S | f", node: str = "n1", **captures: str) -> Finding:
    return make_finding(name, {"crash": crash, "signal": "SIGSEGV", "pid": "7", **captures}, Kind.CORE, node)


@pytest.mark.parametrize(
    "captures",
    [
        {"signal": "Segmentation fault"},
        {"signame": "SIGSEGV", "pid": "7"},
        {"signal": "11"},
        {},
    ],
)
def test_what_reports_the_same_crash_is_the_same_finding(captures: dict[str, str]) -> None:
    log = make_finding("train.log", captures)
    [folded], _ = fold_crashes([log, core()], [])
    assert folded.time == 100.0
    assert folded.title == "title of core.7"
    assert {event.locus.file for event in folded.evidence} == {"n1/core.7", "n1/train.log"}


@pytest.mark.parametrize(
    ("report", "cores"),
    [
        (make_finding("train.log", {"signal": "Bus error"}), [core()]),
        (make_finding("train.log", {"pid": "8"}), [core()]),
        (make_finding("train.log", {}, node="n2"), [core()]),
        (make_finding("train.log", {}, cause="process.abort-check"), [core()]),
        (make_finding("train.log", {}), [core(), core("core.8", "S | g", pid="8")]),
        (make_finding("train.log", {}), []),
    ],
)
def test_what_contradicts_a_core_or_fits_two_is_not_joined(report: Finding, cores: list[Finding]) -> None:
    assert report.id not in find_crashes([report, *cores])


@pytest.mark.parametrize("captures", [{"pid": "8"}, {"frame": "load_batch"}])
def test_of_two_cores_that_of_the_same_process_or_function_is_joined(captures: dict[str, str]) -> None:
    other = core("core.8", "S | g", pid="8", python_frame="load_batch")
    log = make_finding("train.log", captures)
    assert find_crashes([core(), other, log])["train.log"] == "S | g"
