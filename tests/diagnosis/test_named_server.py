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


EXPIRED = "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:997)\n"
NAMED = f"requests.exceptions.SSLError: HTTPSConnectionPool(host='store-1', port=9000): Max retries exceeded: {EXPIRED}"


@pytest.mark.parametrize(
    ("errors", "node"),
    [
        ([EXPIRED, ""], None),
        ([EXPIRED, EXPIRED], None),
        ([NAMED, ""], "store-1"),
        ([NAMED, EXPIRED], "store-1"),
        ([NAMED, NAMED.replace("store-1", "store-2")], None),
    ],
    ids=["no name", "no name on two", "one client", "one of two names it", "two servers"],
)
def test_an_expired_certificate_is_its_servers(
    errors: list[str], node: str | None, packs: Packs, plan: ReadPlan
) -> None:
    intake = IngestResult()
    for number, error in enumerate(errors, 1):
        text = f"2026-01-02 03:04:0{number},000 INFO fit: step 3 loss 0.5\n{error}"
        intake.results.append(read_source(f"elm{number}/fit.log", io.BytesIO(text.encode()), plan))
    cause = diagnose(intake, packs).root_causes[0]
    assert (cause.finding.cause, cause.finding.node) == ("network.tls", node)
