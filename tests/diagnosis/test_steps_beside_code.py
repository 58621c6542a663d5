"""The number of a line of code is no step, whatever its function is called."""

from __future__ import annotations

import pytest

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs
from tests.diagnosis.test_stories import analyze

LAST = 239


@pytest.mark.parametrize(
    "form",
    [
        "2026-01-02 03:{0:02d}:{1:02d}.329 | INFO     | train.loop:step:88 - step={2} loss=0.5{2}",
        "2026-01-02 03:{0:02d}:{1:02d}.329 | INFO     | bucle.tren:paso:88 - paso epoca=0 step={2} perdida=0.5{2}",
        "2026-01-02 03:{0:02d}:{1:02d}.329 | INFO     | train.loop:batch:88 - {2} batches done, loss=0.5{2}",
    ],
)
def test_the_line_of_a_function_is_no_step(form: str, packs: Packs, plan: ReadPlan) -> None:
    lines = (form.format(number // 60, number % 60, number) for number in range(LAST + 1))
    incident = analyze({"n1.log": "".join(f"{line}\n" for line in lines)}, packs, plan)
    assert [fact.last_step for fact in incident.hard_facts] == [LAST]
