"""An error in a merged log of a program without times happened where it stands, not when the program started."""

from __future__ import annotations

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs
from tests.diagnosis.test_whose_line import judge

LOST = (
    "2026-03-01 10:42:00.000000: E tensorflow/core/common_runtime/base_collective_executor.cc:249] "
    "BaseCollectiveExecutor::StartAbort UNAVAILABLE: Socket closed\n"
    "Additional GRPC error information from remote target /job:worker/replica:0/task:0:"
)
FAILED = """Traceback (most recent call last):
  File "/srv/fit.py", line 47, in on_epoch_end
    push(logs["f1"])
KeyError: 'f1'"""


def lines(task: int, text: str) -> str:
    return "".join(f"(RayTrainWorker pid={400 + task}, ip=10.0.0.{task}) {line}\n" for line in text.splitlines())


def created(task: int) -> str:
    device = f"/job:worker/replica:0/task:{task}/device:GPU:0"
    return (
        f"2026-03-01 10:00:0{task + 1}.000000: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1613] "
        f"Created device {device} with 9628 MB memory:  -> device: 0, name: NVIDIA A100"
    )


def test_the_error_that_came_before_its_consequences_is_their_cause(packs: Packs, plan: ReadPlan) -> None:
    text = "".join(lines(task + 1, created(task)) for task in range(3))
    text += "".join(
        lines(task, f"{step}/300 [===>....] - ETA: 9s - loss: 0.4") for step in range(10, 300, 10) for task in (1, 2, 3)
    )
    text += lines(1, FAILED) + lines(2, LOST) + lines(3, LOST)
    text += lines(1, "300/300 [======] - 132s 440ms/step - loss: 0.4")
    root = judge({"driver.log": text}, packs, plan).root_causes[0]
    assert (root.finding.cause, root.finding.node) == ("user.code-error", "10.0.0.1")
    assert not any("before the first trouble" in reason or "went on" in reason for reason in root.against)
