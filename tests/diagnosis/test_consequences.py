"""Lines that only follow from a failure show that there was one, and not which: the answer says what is needed."""

from __future__ import annotations

import pytest
from test_stories import analyze

from analyzer.reading import ReadPlan
from analyzer.report.json import write_incident
from analyzer.report.summary import summarize
from analyzer.rules.types import Packs

CANCELLED = "tensorflow.python.framework.errors_impl.CancelledError: RPC Request was cancelled\n"


@pytest.mark.parametrize(
    "text",
    [
        CANCELLED,
        "Process finished with exit code 1\n",
        "BrokenPipeError: [Errno 32] Broken pipe\n",
        "Primary job  terminated normally, but 1 process returned\na non-zero exit code.\n",
    ],
)
def test_consequences_alone_are_no_cause_and_say_what_is_needed(packs: Packs, plan: ReadPlan, text: str) -> None:
    incident = analyze({"log.txt": text}, packs, plan)
    assert (incident.verdict, incident.root_causes) == ("undiagnosed", ())
    leads = summarize(write_incident(incident)).leads
    assert any("needed" in lead and "log.txt:1" in lead for lead in leads)


def test_work_that_is_cancelled_at_the_end_of_a_good_run_is_no_failure(packs: Packs, plan: ReadPlan) -> None:
    text = "step 1 loss 2.0\nstep 2 loss 1.5\n" + CANCELLED + "training finished\n"
    assert analyze({"log.txt": text}, packs, plan).verdict == "no-failure"
