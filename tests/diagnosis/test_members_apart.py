"""What sets one member apart from the others: its end, its address, the zone of its clock, what it alone shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from analyzer.incident import Incident
from analyzer.pipeline import analyze


def analyze_files(folder: Path, files: Mapping[str, str]) -> Incident:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return analyze([folder])


def root_of(incident: Incident) -> tuple[str | None, str | None]:
    finding = incident.root_causes[0].finding
    return finding.cause, finding.node


def steps(count: int) -> str:
    return "".join(f"2026-01-02 03:04:{step + 2:02},000 INFO fit: step {step} loss 0.5\n" for step in range(count))


TIMED_OUT = (
    "2026-01-02 03:05:30.000000: E tensorflow/core/common_runtime/base_collective_executor.cc:249] "
    "BaseCollectiveExecutor::StartAbort DEADLINE_EXCEEDED: Collective has timed out during execution.\n"
)


def test_who_finished_while_the_others_wait_until_their_time_is_up_finished_early(tmp_path: Path) -> None:
    files = {
        "oak/fit.log": steps(10) + "2026-01-02 03:04:12,500 INFO fit: training finished\n",
        "elm/fit.log": steps(10) + TIMED_OUT,
    }
    assert root_of(analyze_files(tmp_path, files)) == ("data.uneven-shards", "oak")


def test_who_finished_with_all_others_did_not_finish_early(tmp_path: Path) -> None:
    end = "2026-01-02 03:04:12,500 INFO fit: training finished\n"
    lost = (
        "2026-01-02 03:05:30.000000: E tensorflow/core/distributed_runtime/coordination/"
        "coordination_service_agent.cc:770] Coordination agent is set to ERROR: UNAVAILABLE: Socket closed\n"
        "Additional GRPC error information from remote "
        "target /job:worker/replica:0/task:0 while calling /tensorflow.CoordinationService/Heartbeat:\n"
    )
    members = {"worker": ["elm:2222", "oak:2222"]}
    clusters = [
        f"TF_CONFIG={json.dumps({'cluster': members, 'task': {'type': 'worker', 'index': index}})}\n"
        for index in (0, 1)
    ]
    files = {"elm/fit.log": clusters[0] + steps(10) + end, "oak/fit.log": clusters[1] + steps(10) + end + lost}
    incident = analyze_files(tmp_path, files)
    assert "data.uneven-shards" not in {root.finding.cause for root in incident.root_causes}


def test_members_that_all_serve_at_localhost_never_meet(tmp_path: Path) -> None:
    def log(index: int) -> str:
        return (
            f"2026-01-02 03:04:01,000 INFO fit: hello from worker {index}\n"
            "2026-01-02 03:04:02.000000: I tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc:464] "
            "Started server with target: grpc://localhost:2222\n"
        )

    joined = (
        "2026-01-02 03:04:02.100000: I tensorflow/core/distributed_runtime/coordination/coordination_service.cc:700] "
        "/job:worker/replica:0/task:0 has connected to coordination service. Incarnation: 11\n"
        "2026-01-02 03:04:02.200000: I tensorflow/core/distributed_runtime/coordination/coordination_service.cc:653] "
        "Waiting for 1/2 tasks to connect.\n"
    )
    ended = "W0000 00:00:1767323640.000000 11 preemption_notifier.cc:90] SIGTERM caught at 2026-01-02T03:14:00+00:00\n"
    files = {"elm/fit.log": log(0) + joined + ended, "oak/fit.log": log(1) + ended}
    assert root_of(analyze_files(tmp_path, files)) == ("config.localhost-address", None)


def test_a_journal_shows_the_zone_of_the_job_that_ran_while_it_was_written(tmp_path: Path) -> None:
    """The file server fell silent at 03:30 UTC, when the job's own clocks showed 12:30."""

    def journal(node: str, lines: Mapping[int, str]) -> str:
        begin = 1767323040  # 2026-01-02 03:04 UTC
        rows = {0: "session opened", 2760: "session closed", **lines}
        fields = {"_HOSTNAME": node, "SYSLOG_IDENTIFIER": "kernel"}
        records = (
            {"__REALTIME_TIMESTAMP": f"{begin + at}000000", **fields, "MESSAGE": text}
            for at, text in sorted(rows.items())
        )
        return "".join(f"{json.dumps(record)}\n" for record in records)

    def log() -> str:
        minutes = range(20, 31)
        return "".join(f"2026-01-02 12:{minute}:00,000 INFO fit: step {minute} loss 0.5\n" for minute in minutes)

    silent = "nfs: server attic not responding, still trying"
    files = {f"{node}/fit.log": log() for node in ("elm", "oak")}
    files |= {"elm/journal.json": journal("elm", {}), "oak/journal.json": journal("oak", {1590: silent})}
    finding = analyze_files(tmp_path, files).root_causes[0].finding
    assert (finding.cause, finding.node) in (("storage.network-fs", "oak"), ("storage.network-fs", "attic"))


def test_a_hang_is_placed_on_the_one_node_that_shows_it(tmp_path: Path) -> None:
    row = "| N/A   41C    P0    61W / 300W |  30211MiB / 32768MiB |    {use:3}%      Default |\n"
    later = "2026-01-02 03:26:40,000 INFO watch: the process lives\n"
    files = {}
    for node, use in (("ash", 100), ("elm", 99), ("oak", 0)):
        files[f"{node}/fit.log"] = steps(20) + later
        files[f"{node}/nvidia-smi.txt"] = row.format(use=use)
    assert root_of(analyze_files(tmp_path, files)) == ("sync.hang", "oak")
