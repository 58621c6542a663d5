"""A fault that all nodes report of one server happened there."""

from __future__ import annotations

import io

import pytest

from analyzer.incident import RootCause
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

SILENT = "2026-01-02T03:04:0{0}.1+00:00 elm{0} kernel: nfs: server {1} not responding, timed out\n"
WORKER = "2026-01-02 03:04:09,000 INFO fit: step 3 loss 0.5\nOSError: [Errno 5] Input/output error: '/data/shard-3'\n"


def answer(servers: list[str | None], packs: Packs, plan: ReadPlan) -> RootCause:
    intake = IngestResult()
    for number, server in enumerate(servers, 1):
        kernel = SILENT.format(number, server) if server else ""
        worker = WORKER if server else WORKER.partition("OSError")[0]
        for name, text in (("kern.log", kernel), ("fit.log", worker)):
            intake.results.append(read_source(f"elm{number}/{name}", io.BytesIO(text.encode()), plan))
    return diagnose(intake, packs).root_causes[0]


@pytest.mark.parametrize(
    ("servers", "node"),
    [
        (["filer7"] * 3, "filer7"),
        (["filer7", "filer8", "filer9"], None),
        (["filer7", "filer7", None, None, None], "filer7"),
        (["filer7", None, None], "elm1"),
    ],
    ids=["one", "several", "some", "one client"],
)
def test_the_server_that_all_name_is_the_place(
    servers: list[str | None], node: str | None, packs: Packs, plan: ReadPlan
) -> None:
    cause = answer(servers, packs, plan)
    assert (cause.finding.cause, cause.finding.node) == ("storage.network-fs", node)
    assert any("filer7" in reason for reason in cause.why) is (node == "filer7")
