"""A kernel's log covers weeks, the job some minutes of them: what was over before, or came after, is not its fault."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from test_stories import analyze

from analyzer.incident import Incident
from analyzer.model import Role
from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

BEGIN = 1_780_000_000.0


def line(seconds: float, text: str) -> str:
    """As `dmesg --time-format iso` writes it, `seconds` from the start of the run."""
    return f"{datetime.fromtimestamp(BEGIN + seconds, UTC):%Y-%m-%dT%H:%M:%S,%f+00:00} {text}\n"


def oom(seconds: float, pid: int) -> str:
    return line(seconds, f"Out of memory: Killed process {pid} (python3) total-vm:9kB, anon-rss:8kB")


def xid(seconds: float, number: int = 13) -> str:
    return line(seconds, f"NVRM: Xid (PCI:0000:3b:00): {number}, pid=99, name=python3, Graphics Exception")


def lost(seconds: float) -> str:
    return line(seconds, "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.")


def flight(code: int, seconds: float = 60.0) -> str:
    start = {"type": "start", "wall": BEGIN, "monotonic": 100.0, "flight": 1, "host": "n0", "pid": 4242}
    start |= {"tf_config": json.dumps({"cluster": {"worker": ["n0:1"]}, "task": {"type": "worker", "index": 0}})}
    end = {"type": "end", "wall": BEGIN + seconds, "monotonic": 100.0 + seconds, "code": code}
    if code > 128:
        end["signal"] = code - 128
    return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in (start, end))


def log(start: float, *steps: float) -> str:
    entries = [(start, "INFO tensorflow: starting worker pid 4242 on host n0")]
    entries += [(at, f"INFO train: step {number} loss 0.5") for number, at in enumerate(steps)]
    return "".join(f"{datetime.fromtimestamp(BEGIN + at, UTC):%Y-%m-%dT%H:%M:%S.%f}Z {text}\n" for at, text in entries)


def roots(incident: Incident) -> list[str | None]:
    return [root.finding.cause for root in incident.root_causes]


WEEK = 7 * 86400.0
OUTSIDE = {
    "a kill a week ago": (oom(-WEEK, 77), flight(1)),
    "a kill a minute ago": (oom(-60, 77), flight(1)),
    "a kill of the same pid in an earlier life": (oom(-WEEK, 4242), flight(137)),
    "an application's Xid": (xid(-3600), flight(1)),
    "a GPU that was lost a month ago": (lost(-4 * WEEK), flight(1)),
    "a kill when all was over": (oom(7200, 78), flight(1)),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_lies_outside_the_recorded_run_is_context(name: str, packs: Packs, plan: ReadPlan) -> None:
    kernel, recorded = OUTSIDE[name]
    incident = analyze({"n0/dmesg.txt": kernel, "n0/flight.jsonl": recorded}, packs, plan)
    assert not {"resource.host-oom-killed", "hardware.gpu-xid", "hardware.gpu-lost"} & set(roots(incident))
    (old,) = (finding for finding in incident.findings if finding.evidence[0].locus.file == "n0/dmesg.txt")
    assert old.role is Role.CONTEXT
    assert any("before the job began" in why or "after the end of the job" in why for why in old.why)


INSIDE = {
    "a kill in the run": (oom(59, 4242), "resource.host-oom-killed"),
    "one in the run, one of a week ago": (oom(-WEEK, 77) + oom(59, 4242), "resource.host-oom-killed"),
    "more old ones than are told apart": (
        "".join(oom(-WEEK + at, at) for at in range(1, 70)) + oom(59, 4242),
        "resource.host-oom-killed",
    ),
    "a GPU that was lost an hour ago": (lost(-3600), "hardware.gpu-lost"),
}


@pytest.mark.parametrize("name", INSIDE)
def test_what_lies_inside_is_the_cause_whatever_came_before(name: str, packs: Packs, plan: ReadPlan) -> None:
    kernel, cause = INSIDE[name]
    incident = analyze({"n0/dmesg.txt": kernel, "n0/flight.jsonl": flight(137)}, packs, plan)
    first = incident.root_causes[0].finding
    assert (first.cause, first.node) == (cause, "n0")
    assert first.time is not None and (first.time > BEGIN) == ("GPU" not in name)


def test_a_log_begins_later_than_its_job_and_a_recorder_does_not(packs: Packs, plan: ReadPlan) -> None:
    """Minutes before the first line somebody of the job may have died; a recorded one was not there yet."""
    before, worker = oom(-120, 77), log(0, 1, 2, 3)
    assert roots(analyze({"n0/dmesg.txt": before, "n0/a.log": worker}, packs, plan))[:1] == ["resource.host-oom-killed"]
    long_before = {"n0/dmesg.txt": oom(-3600, 77), "n0/a.log": worker}
    assert "resource.host-oom-killed" not in roots(analyze(long_before, packs, plan))


def test_the_earliest_task_tells_when_the_job_began(packs: Packs, plan: ReadPlan) -> None:
    """A worker that was started anew has a recorder of its own; the job is older, and what killed it before counts."""
    files = {"n0/dmesg.txt": oom(-50, 77), "n0/flight.jsonl": flight(1), "n1/a.log": log(-3600, -3000, -100)}
    assert "resource.host-oom-killed" in roots(analyze(files, packs, plan))


def test_an_end_is_known_only_where_all_were_recorded_to_their_end(packs: Packs, plan: ReadPlan) -> None:
    cut = flight(1).splitlines(keepends=True)[0]
    incident = analyze({"n0/dmesg.txt": oom(7200, 4242), "n0/flight.jsonl": cut}, packs, plan)
    assert roots(incident)[:1] == ["resource.host-oom-killed"]


def test_what_lies_outside_follows_from_nothing(packs: Packs, plan: ReadPlan) -> None:
    kernel = oom(-WEEK, 77) + oom(59, 4242) + oom(7200, 78)
    incident = analyze({"n0/dmesg.txt": kernel, "n0/flight.jsonl": flight(137)}, packs, plan)
    foreign = [finding for finding in incident.findings if finding.captures.get("pid") in ("77", "78")]
    assert len(foreign) == 2 and not any(finding.explained_by for finding in foreign)
    assert not {finding.id for finding in foreign} & set(incident.root_causes[0].explains)
