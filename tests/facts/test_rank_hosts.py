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


def test_pbs_names_the_cores_behind_each_host() -> None:
    assert list(expand_hosts("gx7/0*36+gx8/0*36+gx7/1")) == ["gx7", "gx8", "gx7"]


def test_tasks_without_a_name_have_the_hosts_at_their_places_in_the_list(tmp_path: Path) -> None:
    cluster = "{'worker': ['10.0.3.9:2222', '10.0.3.4:2222']}"
    start = f"INFO:tensorflow:MultiWorkerMirroredStrategy with cluster_spec = {cluster}, "
    files = {f"out.{rank}": start + f"task_type = 'worker', task_id = {rank}\n" for rank in range(2)}
    files["qstat.txt"] = "Job Id: 71.pbs\n    job_state = F\n    exec_host = nx31/0*36+nx12/0*36\n"
    nodes = {node.name: tuple(node.tasks) for node in analyze_files(tmp_path, files).nodes}
    assert nodes == {"nx31": ("worker:0",), "nx12": ("worker:1",)}


def test_a_hostlist_that_stands_for_too_many_is_cut() -> None:
    assert sum(1 for _ in expand_hosts("n[0-99999999]")) == 10_000


def test_an_allocation_is_the_machine_that_is_called_for_its_address(tmp_path: Path) -> None:
    files = {f"alloc/{name}/stderr.0": START.format(f"10.0.3.{at}") for at, name in ((7, "6561f0d2"), (8, "17ece70c"))}
    files |= {f"{host}/kern.log": KERNEL.format(host) for host in ("ip-10-0-3-7", "ip-10-0-3-8")}
    assert {node.name for node in analyze_files(tmp_path, files).nodes} == {"ip-10-0-3-7", "ip-10-0-3-8"}


def test_a_node_with_two_addresses_is_joined_with_one_machine(tmp_path: Path) -> None:
    files = {"alloc/6561f0d2/stderr.0": START.format("10.0.3.7") + START.format("10.0.4.7")}
    files |= {f"{host}/kern.log": KERNEL.format(host) for host in ("ip-10-0-3-7", "ip-10-0-4-7")}
    assert {node.name for node in analyze_files(tmp_path, files).nodes} == {"ip-10-0-3-7", "ip-10-0-4-7"}
