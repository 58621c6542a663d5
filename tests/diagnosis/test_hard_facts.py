"""How each process ended and what is known of it, whatever the rules make of it."""

from __future__ import annotations

import pytest

from analyzer.diagnosis.exit_status import decode_signal, decode_status
from analyzer.incident import HardFact, Incident
from analyzer.reading import ReadPlan
from analyzer.report.json import to_json
from analyzer.rules.types import Packs
from tests.diagnosis.test_stories import END, analyze, begin, lost


def fact_of(incident: Incident, task: str) -> HardFact:
    return next(fact for fact in incident.hard_facts if fact.task == task)


@pytest.mark.parametrize(
    ("code", "status", "signal"),
    [
        (0, 0, None),
        (1, 1, None),
        (137, None, "SIGKILL"),
        (139, None, "SIGSEGV"),
        (-6, None, "SIGABRT"),
        (255, 255, None),
    ],
)
def test_exit_codes_are_decoded(code: int, status: int | None, signal: str | None) -> None:
    assert decode_status(code) == (status, signal)


@pytest.mark.parametrize(
    ("text", "signal"), [("11", "SIGSEGV"), ("SIGBUS", "SIGBUS"), ("kill", "SIGKILL"), ("Killed", None), ("", None)]
)
def test_signals_are_decoded(text: str, signal: str | None) -> None:
    assert decode_signal(text) == signal


def test_each_process_has_its_end_its_last_step_and_its_accusers(packs: Packs, plan: ReadPlan) -> None:
    files = {
        "n0/a.log": begin(0) + lost(9, 2),
        "n0/exit_code": "1\n",
        "n1/a.log": begin(1) + END,
        "n2/a.log": begin(2),
        "n2/exit_code": "137\n",
    }
    incident = analyze(files, packs, plan)
    failed, finished, killed = (fact_of(incident, f"worker:{index}") for index in range(3))
    assert failed.end is not None and (failed.end.how, failed.end.status) == ("exited", 1)
    assert finished.end is not None and (finished.end.how, finished.end.witness) == ("finished", "own log")
    assert killed.end is not None
    assert (killed.end.how, killed.end.signal, killed.end.witness) == ("killed", "SIGKILL", "recorder")
    assert killed.end.evidence.locus.file == "n2/exit_code"
    assert [accusation.accuser for accusation in killed.accusations] == [failed.node]
    assert killed.last_step == 4


def test_a_log_that_stops_is_silent_from_its_last_line_on(packs: Packs, plan: ReadPlan) -> None:
    files = {"n0/a.log": begin(0) + lost(9, 2), "n1/a.log": begin(1) + lost(9, 2), "n2/a.log": begin(2)}
    incident = analyze(files, packs, plan)
    vanished = fact_of(incident, "worker:2")
    assert vanished.end is None
    assert vanished.silent_since == vanished.last_step_time
    assert vanished.explained_by == (0,)
    written = to_json(incident)["hard_facts"][-1]
    assert written["node"] == vanished.node
    assert written["ended"] is None
    assert {accuser["how"] for accuser in written["accused_by"]} == {"lost"}


def test_the_schedulers_word_is_the_jobs_row(packs: Packs, plan: ReadPlan) -> None:
    files = {
        "n0/a.log": begin(0),
        "scontrol.txt": "JobId=7 JobName=train\n   JobState=COMPLETED Reason=None Dependency=(null)\n",
    }
    job = analyze(files, packs, plan).hard_facts[0]
    assert (job.node, job.task) == (None, None)
    assert job.end is not None and job.end.how == "job-succeeded"


def test_a_service_of_the_system_that_fails_is_not_the_end_of_the_job(packs: Packs, plan: ReadPlan) -> None:
    journal = (
        "2026-01-02T03:04:30+00:00 n1 systemd[1]: {}.service: Main process exited, code=exited, status=1/FAILURE\n"
    )
    ends = {}
    for unit in ("fwupd-refresh", "train"):
        files = {"n0/a.log": begin(0), "n1/a.log": begin(1), "n1/journal.log": journal.format(unit)}
        end = fact_of(analyze(files, packs, plan), "worker:1").end
        ends[unit] = end and end.status
    assert ends == {"fwupd-refresh": None, "train": 1}
