"""Known harmless lines are those of their writers: an error of a user's program with the same words stays an error."""

from __future__ import annotations

import pytest
from test_stories import analyze

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

STAMP = "2026-03-01 10:05:00"
USERS = [
    "Cleanup 12 of the shards went wrong",
    "The operation took 40 s and gave nothing",
    "remapper failed on table 7",
    "This TensorFlow binary is optimized for another feeder, refusing",
    "UserWarning: quota of table 7 used up, stopping",
]
WRITERS = [
    "tensorflow/core/framework/op_kernel.cc:1839] OP_REQUIRES failed at x.cc:1: ABORTED: Cleanup 12",
    "tensorflow/compiler/xla/service/slow_operation_alarm.cc:140] The operation took 1m2.3s",
    "tensorflow/core/grappler/optimizers/meta_optimizer.cc:961] remapper failed: INVALID_ARGUMENT: Mutation",
    "tensorflow/core/platform/cpu_feature_guard.cc:182] This TensorFlow binary is optimized to use AVX2",
]


@pytest.mark.parametrize("message", USERS)
def test_an_error_of_a_users_program_is_not_hidden(message: str, packs: Packs, plan: ReadPlan) -> None:
    incident = analyze({"n1/worker.log": f"{STAMP},000 ERROR feeder: {message}\n"}, packs, plan)
    assert [template for template in incident.unclassified if message.split()[0] in template.template]


@pytest.mark.parametrize("message", WRITERS)
def test_a_harmless_line_of_its_writer_is_no_unknown_error(message: str, packs: Packs, plan: ReadPlan) -> None:
    incident = analyze({"n1/worker.log": f"{STAMP}.000000: E {message}\n"}, packs, plan)
    assert not incident.unclassified
    assert sum(noise["count"] for noise in incident.noise) == 1
