"""Loggers that sort their fields write the loss before the step, and bind task and host to their first line."""

from __future__ import annotations

import io

import pytest

from analyzer.incident import Incident
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

FORMS = {
    "console": "2026-02-01T03:04:{second:02}.100000Z [info     ] {event:30} {fields}\n",
    "key and value": "2026-02-01T03:04:{second:02}.100000Z level=info event={event!r} {fields}\n",
}
END = "2026-02-01T03:06:40Z {host} systemd[1]: fit.service: Main process exited, code=killed, status=9/KILL\n"


def log(form: str, number: int, last_event: str) -> str:
    host = f"elm{number}"
    text = form.format(second=1, event="starting", fields=f"host={host} pid=7{number} task=worker:{number}")
    text += "".join(
        form.format(second=2 + step, event="step", fields=f"epoch=0 loss=0.{9 - step % 9}1 step={4 * step}")
        for step in range(1, 30)
    )
    return text + (form.format(second=40, event=last_event, fields="step=116") if last_event else "")


def analyze(form: str, last_event: str, packs: Packs, plan: ReadPlan) -> Incident:
    intake = IngestResult()
    for number in range(3):
        text = log(form, number, last_event if number == 1 else "")
        intake.results.append(read_source(f"n{number}/fit.log", io.BytesIO(text.encode()), plan))
        ending = END.format(host=f"elm{number}")
        intake.results.append(read_source(f"n{number}/journal.txt", io.BytesIO(ending.encode()), plan))
    return diagnose(intake, packs)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_steps_and_tasks_are_read(form: str, packs: Packs, plan: ReadPlan) -> None:
    facts = {fact.task: fact for fact in analyze(form, "", packs, plan).hard_facts if fact.node}
    assert {task: fact.last_step for task, fact in facts.items()} == {f"worker:{number}": 116 for number in range(3)}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_one_that_finished_while_the_others_wait_had_less_data(form: str, packs: Packs, plan: ReadPlan) -> None:
    finding = analyze(form, "training loop finished", packs, plan).root_causes[0].finding
    assert (finding.cause, finding.task) == ("data.uneven-shards", "worker:1")


def test_a_loop_that_counts_its_steps_has_finished(packs: Packs, plan: ReadPlan) -> None:
    text = "".join(f"2026-02-01 03:04:{step:02},000 INFO fit: step {step} loss 0.5\n" for step in range(1, 30))
    intake = IngestResult()
    text += "2026-02-01 03:04:40,000 INFO fit: finished after 29 steps\n"
    intake.results.append(read_source("fit.log", io.BytesIO(text.encode()), plan))
    assert diagnose(intake, packs).verdict == "no-failure"
