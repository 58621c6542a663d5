"""In a file of several writers, the last line of one that ends early is kept, whatever the others write after it."""

from __future__ import annotations

import pytest

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs
from tests.diagnosis.test_stories import analyze

LAST, SILENT_AFTER, SILENT = 2999, 299, 1
CLOCK = "2026-01-02 03:{minute:02d}:{second:02d}"
FORMS = {
    "compose": f"worker-{{writer}}  | {CLOCK},000 INFO train: step {{step}} loss 0.5 (140 ms)",
    "mpirun": f"[1,{{writer}}]<stdout>:{CLOCK},000 INFO train: step {{step}} loss 0.5 (140 ms)",
    "kubectl": f"[pod/bert-worker-{{writer}}/main] {CLOCK.replace(' ', 'T')}Z step {{step}} loss 0.5 (140 ms)",
    "stamps first": f"{CLOCK.replace(' ', 'T')}Z [pod/bert-worker-{{writer}}/main] step {{step}} loss 0.5 (140 ms)",
    "syslog": "Jan  2 03:{minute:02d}:{second:02d} gpu-{writer:02d} python3[{writer}7]: step {step} loss 0.5 (140 ms)",
}


def write(form: str) -> str:
    rows = (
        form.format(writer=writer, minute=step // 60, second=step % 60, step=step)
        for step in range(LAST + 1)
        for writer in range(3)
        if writer != SILENT or step <= SILENT_AFTER
    )
    return "".join(f"{row}\n" for row in rows)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_last_step_of_a_writer_that_ends_early_is_kept(form: str, packs: Packs, plan: ReadPlan) -> None:
    incident = analyze({"job.log": write(form)}, packs, plan)
    steps = sorted(fact.last_step for fact in incident.hard_facts if fact.last_step is not None)
    assert steps == [SILENT_AFTER, LAST, LAST]
