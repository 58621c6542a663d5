from __future__ import annotations

from pathlib import Path

from analyzer.facts.rank_hosts import expand_hosts
from tests.fixture_incidents import analyze_files

START = (
    "2026-03-02 10:00:00.000100: I tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc:458] "
    "Started server with target: grpc://{}:30226\n"
)
KERNEL = "Mar  2 10:00:05 {} kernel: [  812.123456] NVRM: Xid (PCI:0000:3c:00): 63, pid=412, Row remap pending\n"


def test_hostlists_expand_in_order_and_keep_their_width() -> None:
    assert list(expand_hosts("gpu[001-003,007],login1")) == ["gpu001", "gpu002", "gpu003", "gpu007", "login1"]
    assert list(expand_hosts("a[9-11]-ib")) == ["a9-ib", "a10-ib", "a11-ib"]


def test_a_hostlist_that_stands_for_too_many_is_cut() -> None:
    assert sum(1 for _ in expand_hosts("n[0-99999999]")) == 10_000


def test_an_allocation_is_the_machine_that_is_called_for_its_address(tmp_path: Path) -> None:
    files = {f"alloc/{name}/stderr.0": START.format(f"10.0.3.{at}") for at, name in ((7, "6561f0d2"), (8, "17ece70c"))}
    files |= {f"{host}/kern.log": KERNEL.format(host) for host in ("ip-10-0-3-7", "ip-10-0-3-8")}
    assert {node.name for node in analyze_files(tmp_path, files).nodes} == {"ip-10-0-3-7", "ip-10-0-3-8"}
