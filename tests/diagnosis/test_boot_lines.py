"""What the kernel logs in the first seconds after a boot did not happen to a running job."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixture_incidents import analyze_files

START = "2026-03-02 10:00:00.000100: I tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc:458] Started server\n"
STEPS = "".join(f"2026-03-02 10:0{at}:05.000100: I train.py:7] step {at}0 loss 0.{at}\n" for at in range(1, 9))
LOST = "2026-03-02 10:09:00.000100: E tensorflow/core/x.cc:1] UNAVAILABLE: Connection reset by peer\n"
KERNEL = (
    "[{:5d}.400213] nvme nvme0: I/O 12 QID 1 timeout, completion polled\n[91120.551002] eth0: renamed from veth12\n"
)


@pytest.mark.parametrize(("uptime", "is_stale"), [(12, True), (812, False)])
def test_a_line_of_the_boot_is_no_cause_of_a_later_failure(uptime: int, is_stale: bool, tmp_path: Path) -> None:
    incident = analyze_files(tmp_path, {"oak/train.log": START + STEPS + LOST, "oak/dmesg.txt": KERNEL.format(uptime)})
    [drive] = [row for row in incident.hypotheses if row.finding.cause == "hardware.disk-io"]
    assert ("stale" in {factor.name for factor in drive.factors}) is is_stale
