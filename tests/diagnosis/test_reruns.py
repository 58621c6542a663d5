"""What a log says before its program started again is of an earlier run, whatever the clocks of the others say."""

from __future__ import annotations

import io

from analyzer.incident import Incident
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

LOADS = "2026-02-01 03:{0:02}:01.100000: I tensorflow/core/util/port.cc:153] oneDNN custom operations are on.\n"
SERVES = "2026-02-01 03:{0:02}:05.100000: I grpc_server_lib.cc:457] Started server with target: grpc://{1}:2222\n"
LOST = (
    "2026-02-01 03:{0:02}:30.100000: W local_rendezvous.cc:412] Local rendezvous is aborting with status: UNAVAILABLE: "
    "Socket closed\nAdditional GRPC error information from remote target /job:ps/replica:0/task:0 while calling "
    "/tensorflow.WorkerService/RunGraph:\n"
)
IN_USE = (
    "E0000 00:00:1769915{0:03}.316655   27584 add_port.cc:83] Failed to add port to server: No address added out of "
    "total 1 resolved for '[::]:2222'; Address already in use\n"
)


def run(minute: int, host: str, serves: bool = True) -> str:
    return LOADS.format(minute) + (SERVES.format(minute, host) if serves else "")


def analyze(logs: dict[str, str], packs: Packs, plan: ReadPlan) -> Incident:
    intake = IngestResult()
    for host, text in logs.items():
        intake.results.append(read_source(f"{host}/fit.log", io.BytesIO(text.encode()), plan))
    return diagnose(intake, packs)


def test_a_peer_that_was_lost_in_an_earlier_run_did_not_end_the_last_one(packs: Packs, plan: ReadPlan) -> None:
    logs = {
        "elm1": run(4, "elm1") + run(9, "elm1"),
        "elm2": run(4, "elm2") + run(9, "elm2"),
        "elm3": run(7, "elm3")
        + LOST.format(8)
        + run(12, "elm3", serves=False)
        + IN_USE.format(130),  # its clock is ahead
    }
    incident = analyze(logs, packs, plan)
    assert (incident.root_causes[0].finding.cause, incident.root_causes[0].finding.node) == (
        "network.port-in-use",
        "elm3",
    )
    assert incident.accusations == () or all(accusation.accused != "elm1" for accusation in incident.accusations)
