"""Whom all others name as lost ended the job; what another node had in the same minutes is a fault beside it."""

from __future__ import annotations

from test_stories import analyze

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

CLUSTER = '{"cluster": {"worker": ["n0:2222", "n1:2222", "n2:2222"]}, "task": {"type": "worker", "index": %d}}'
LOST = (
    "2026-03-01 10:00:09.%d00000: E tensorflow/core/common_runtime/base_collective_executor.cc:252] "
    "BaseCollectiveExecutor::StartAbort UNAVAILABLE: Socket closed\n"
    "Additional GRPC error information from remote target /job:worker/replica:0/task:1 while calling "
    "/tensorflow.WorkerService/RecvBuf:\n"
)
STEPS = "".join(f"2026-03-01 10:00:0{n},000 INFO train: step {n} loss 0.5\n" for n in range(1, 8))
FAILED = (
    "Traceback (most recent call last):\n"
    '  File "/srv/train.py", line 9, in <module>\n'
    "    batch['label']\n"
    "KeyError: 'label'\n"
)
FLAP = "2026-03-01T10:00:07,500000+00:00 mlx5_core 0000:17:00.0 eth2: Link down\n"


def bundle(**more: str) -> dict[str, str]:
    logs = {f"n{n}/train.log": STEPS + (FAILED if n == 1 else LOST % n) for n in range(3)}
    return {**logs, **{f"n{n}/tf_config.json": CLUSTER % n for n in range(3)}, **more}


def test_a_fault_of_a_node_that_nobody_names_does_not_win(packs: Packs, plan: ReadPlan) -> None:
    incident = analyze(bundle(**{"n2/dmesg": FLAP}), packs, plan)
    nodes_by_cause = {root.finding.cause: root.finding.node for root in incident.root_causes}
    assert list(nodes_by_cause) == ["user.code-error", "hardware.nic-link"]
    assert nodes_by_cause == {"user.code-error": "n1", "hardware.nic-link": "n2"}


def test_a_fault_of_the_node_that_all_name_wins(packs: Packs, plan: ReadPlan) -> None:
    first = analyze(bundle(**{"n1/dmesg": FLAP, "n1/train.log": STEPS}), packs, plan).root_causes[0].finding
    assert (first.cause, first.node) == ("hardware.nic-link", "n1")


ROLES = '{"cluster": {"chief": ["c:1"], "ps": ["p:1"], "worker": ["w0:1"]}, "task": {"type": "%s", "index": 0}}'
SERVED = (
    "2026-03-01 10:00:01.000000: I tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc:457] Started server\n"
)


def test_a_coordinator_that_ended_well_does_not_excuse_a_worker_that_failed_by_itself(
    packs: Packs, plan: ReadPlan
) -> None:
    files = {f"{name}/tf_config.json": ROLES % role for name, role in (("c", "chief"), ("p", "ps"), ("w0", "worker"))}
    files |= {"c/log": STEPS + "INFO:tensorflow:Loss for final step: 0.4.\n", "p/log": SERVED, "w0/log": SERVED}
    assert analyze(files, packs, plan).verdict == "no-failure"
    files["w0/log"] += FAILED
    first = analyze(files, packs, plan).root_causes[0].finding
    assert (first.cause, first.node) == ("user.code-error", "w0")


def test_a_traceback_behind_a_progress_bar_is_the_containers_whose_line_it_is(packs: Packs, plan: ReadPlan) -> None:
    """Compose puts a name before each line; the bar's redrawings behind carriage returns have none of their own."""
    bar = "\r 1/20 [>....................] - ETA: 0s - loss: 3.6\r 8/20 [===>......] - ETA: 0s - loss: 3.6"
    logs = {f"n{n}": STEPS + bar + (FAILED if n == 1 else LOST % n) for n in range(3)}
    text = "".join(f"{name:<5} | {line}\n" for name, log in logs.items() for line in log.split("\n"))
    first = analyze({"compose.log": text}, packs, plan).root_causes[0].finding
    assert (first.cause, first.node) == ("user.code-error", "n1")


def test_who_tells_of_anothers_loss_is_not_lost(packs: Packs, plan: ReadPlan) -> None:
    lines = LOST % 0 + (
        ':{"description":"Error received from peer ipv4:10.0.0.3:2222","grpc_message":"Collective ops is aborted by: '
        'Socket closed\\nAdditional GRPC error information from remote target /job:worker/replica:0/task:1"}\n'
    )
    incident = analyze({"n0/train.log": STEPS + lines}, packs, plan)
    assert "10.0.0.3:2222" not in {finding.captures.get("address") for finding in incident.findings}


def test_tasks_of_several_machines_in_one_syslog_are_told_apart(packs: Packs, plan: ReadPlan) -> None:
    """The address that a machine's task serves at is the machine's: who is lost there is no stranger."""
    lines_by_host = {
        f"m{n}": [
            f"I0000 00:00:1772359201.00000{n}    7 grpc_server_lib.cc:467] Started server: grpc://10.0.0.{n}:2222"
        ]
        for n in range(3)
    }
    peer = "failed to connect to all addresses; last error: UNKNOWN: ipv4:10.0.0.1:2222: Connection refused"
    for n in (0, 2):
        lines_by_host[f"m{n}"].append(
            f"E0000 00:00:1772359209.00000{n}    7 ring_alg.cc:291] Aborting RingReduce: {peer}"
        )
    text = "".join(
        f"Mar  1 10:00:0{at} {host} python3[7]: {line}\n" for at in (0, 1) for host, lines in lines_by_host.items()
        for line in lines[at : at + 1]
    )  # fmt: skip
    text += "Mar  1 10:00:01 m1 kernel: [ 77.000001] Out of memory: Killed process 7 (python3) total-vm:9kB\n"
    incident = analyze({"messages": text}, packs, plan)
    first = incident.root_causes[0].finding
    assert (first.cause, first.node) == ("resource.host-oom-killed", "m1")
    assert {node.name for node in incident.nodes} == {"m0", "m1", "m2"}


def test_the_log_of_a_lost_task_that_nobody_handed_in_is_asked_for(packs: Packs, plan: ReadPlan) -> None:
    files = {path: text for path, text in bundle().items() if not path.startswith("n1/")}
    (note,) = (note for note in analyze(files, packs, plan).notes if "the bundle has no file of n1" in note)
    assert "The log of n1 (worker:1), the kernel log there and the exit status would help" in note
