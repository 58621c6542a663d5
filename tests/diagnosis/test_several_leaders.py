"""In TensorFlow 1, each worker may start a coordination service for its session: that makes none of them the first."""

from __future__ import annotations

import io

from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

LEADS = "2026-02-01 03:00:0{0}.1: I tensorflow/core/x.cc:221] Initializing CoordinationService\n"
STARTED = "2026-02-01 03:00:0{0}.0: I tensorflow/core/x.cc:467] Started server with target: grpc://oak{0}:2222\n"


def test_two_leaders_are_no_two_first_workers(packs: Packs, plan: ReadPlan) -> None:
    intake = IngestResult()
    for number in (1, 2):
        text = (STARTED + LEADS).format(number) + f"2026-02-01 03:00:1{number},000 INFO fit: step 3 loss 0.5\n"
        intake.results.append(read_source(f"oak{number}/fit.log", io.BytesIO(text.encode()), plan))
    incident = diagnose(intake, packs)
    assert not any(node.tasks for node in incident.nodes)
    assert not any(finding.rule == "task-claimed-twice" for finding in incident.findings)
