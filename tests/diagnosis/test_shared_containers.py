"""Containers of one name on several machines are on these machines; names that differ are machines of their own."""

from __future__ import annotations

import io

import pytest

from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs


def log_of(machine: str, container: str) -> str:
    lines = [
        f"{container}  | 2026-02-01 03:04:01,000 INFO fit: Started server with target: grpc://{machine}:2222",
        *(
            f"{container}  | 2026-02-01 03:04:{second:02},000 INFO fit: step {second} loss 0.5"
            for second in range(2, 9)
        ),
        f"{container} exited with code {int(machine == 'elm')}",
    ]
    return f"{machine} | CHANGED | rc=0 >>\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize("containers", [("fit-1", "fit-1"), ("fit-oak-1", "fit-elm-1")], ids=["one name", "two names"])
def test_the_machine_that_failed_is_named(containers: tuple[str, str], packs: Packs, plan: ReadPlan) -> None:
    text = "".join(map(log_of, ("oak", "elm"), containers))
    intake = IngestResult()
    intake.results.append(read_source("compose.txt", io.BytesIO(text.encode()), plan))
    incident = diagnose(intake, packs)
    names = {name for node in incident.nodes for name in (node.name, *node.hosts)}
    assert {"oak", "elm"} <= names
    assert "fit-1" not in names
