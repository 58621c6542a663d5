"""A pod that had run and cannot be placed again lost its place to something else."""

from __future__ import annotations

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs
from tests.diagnosis.test_whose_line import judge, steps

WAITS = (
    "2026-03-01T10:{minute:02}:50Z   Warning  FailedScheduling  pod/fit-worker-1  "
    "0/9 nodes are available: 9 Insufficient nvidia.com/gpu\n"
)
DRAINED = """2026-03-01 10:01:18 node/m7 cordoned
2026-03-01 10:01:19 evicting pod ml/fit-worker-1
2026-03-01 10:01:20 pod/fit-worker-1 evicted
2026-03-01 10:01:21 node/m7 drained
2026-03-01 10:01:58 node/m8 cordoned
2026-03-01 10:01:59 node/m8 drained
"""


def pods(minute: int) -> dict[str, str]:
    return {f"pods/{name}.log": steps(name, minute) for name in ("fit-worker-0", "fit-worker-1")}


def test_an_eviction_explains_that_its_pod_waits_for_a_place(packs: Packs, plan: ReadPlan) -> None:
    files = {**pods(1), "events.txt": WAITS.format(minute=1), "ops/roller.out": DRAINED}
    root = judge(files, packs, plan).root_causes[0]
    assert (root.finding.cause, root.finding.node) == ("scheduler.evicted", "fit-worker-1")
    assert not any("went on" in reason for reason in root.against)  # the roller's log did, not the pod's


def test_a_pod_that_had_just_run_did_not_fail_for_want_of_a_place(packs: Packs, plan: ReadPlan) -> None:
    def confidence(files: dict[str, str]) -> float:
        return judge({**files, "events.txt": WAITS.format(minute=1)}, packs, plan).root_causes[0].confidence

    assert confidence(pods(1)) < confidence({"pods/fit-worker-0.log": steps("fit-worker-0", 1)})
