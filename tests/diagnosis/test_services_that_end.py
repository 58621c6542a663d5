"""systemd says that a service ended well: it counts if the program logs under the name of that service."""

from __future__ import annotations

import pytest

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs
from tests.diagnosis.test_stories import analyze

STEPS = "".join(
    f"2026-01-02T03:04:{second}+00:00 {{node}} trainer[71]: step {second} loss 0.5\n" for second in range(10, 20)
)
ENDED = "2026-01-02T03:04:20+00:00 {node} systemd[1]: {unit}.service: Deactivated successfully.\n"
LOST = (
    "2026-01-02T03:04:21+00:00 {node} trainer[71]: UnavailableError: Collective ops is aborted by: Socket closed\n"
    "2026-01-02T03:04:21+00:00 {node} trainer[71]: Additional GRPC error information from remote target"
    " /job:worker/replica:0/task:1 while calling /tensorflow.WorkerService/RecvBuf:\n"
)
SERVER = "2026-01-02T03:04:09+00:00 {node} trainer[71]: Started server with target: grpc://{node}:2222\n"
CLUSTER = (
    "2026-01-02T03:04:09+00:00 {{node}} trainer[71]: "
    'TF_CONFIG={{"cluster": {{"worker": ["n0:2222", "n1:2222", "n2:2222"]}}, '
    '"task": {{"type": "worker", "index": {index}}}}}\n'
)


@pytest.mark.parametrize(
    ("unit", "cause"),
    [
        ("trainer@night", "data.uneven-shards"),
        ("trainer", "data.uneven-shards"),
        ("backup", "process.killed-by-signal"),
    ],
)
def test_the_programs_own_service_ended_well(unit: str, cause: str, packs: Packs, plan: ReadPlan) -> None:
    files = {}
    for index in range(3):
        node = f"n{index}"
        text = CLUSTER.replace("{{", "{").replace("}}", "}").replace("{index}", str(index)) + SERVER + STEPS
        text += ENDED.replace("{unit}", unit) if index == 1 else LOST
        files[f"{node}/journal.log"] = text.replace("{node}", node)
    root = analyze(files, packs, plan).root_causes[0].finding
    assert (root.cause, root.node) == (cause, "n1")
