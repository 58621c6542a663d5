"""Faults that others feel: a cause on the peer that they name, and members that report what they did not do."""

from __future__ import annotations

import pytest
from test_stories import END, analyze, begin, lost, say

from analyzer.incident import Incident
from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

TIMED_OUT = "BaseCollectiveExecutor::StartAbort DEADLINE_EXCEEDED: Collective has timed out during execution."
STARTED = "2026-01-02 04:00:00.000000: I tensorflow/x.cc:1] Started server with target: grpc://10.1.0.{}:2222\n"


def culprit(incident: Incident) -> tuple[str | None, str | None]:
    return (
        (incident.root_causes[0].finding.cause, incident.root_causes[0].finding.node)
        if incident.root_causes
        else ("", "")
    )


def nccl(host: str, number: int, message: str) -> str:
    return f"{host}:{number}00:{number}01 [0] NCCL {message}\n"


def test_a_link_that_broke_on_the_peer_that_all_name_comes_before_their_failed_sends(
    packs: Packs, plan: ReadPlan
) -> None:
    files = {
        f"h{number}/rank.log": nccl(
            f"h{number}", number, f"INFO NET/IB : Using [0]mlx5_0:1/IB ; OOB ib0:10.30.0.{number}<0>"
        )
        + "2026-01-02 03:04:05,000 INFO train: step 3 loss 0.5\n"
        for number in (1, 2, 3)
    }
    for number in (1, 2):
        files[f"h{number}/rank.log"] += nccl(
            f"h{number}",
            number,
            "WARN NET/IB : Got completion from peer 10.30.0.3<39111> with error 12, opcode 0, len 0, vendor err 129",
        )
    files["h3/dmesg.txt"] = (
        "[Fri Jan  2 03:04:30 2026] mlx5_core 0000:18:00.0 ib0: Link down\n"
        "[Fri Jan  2 03:04:30 2026] mlx5_core 0000:18:00.0: Port module event: module 0, Cable unplugged\n"
    )
    assert culprit(analyze(files, packs, plan)) == ("hardware.nic-link", "h3")


def test_an_address_that_all_machines_have_names_none_of_them(packs: Packs, plan: ReadPlan) -> None:
    files = {
        f"h{number}/rank.log": nccl(f"h{number}", number, "INFO Bootstrap : Using docker0:172.17.0.1<0>")
        for number in (1, 2)
    }
    files["h1/rank.log"] += nccl(
        "h1", 1, "WARN NET/IB : Got completion from peer 172.17.0.1<39111> with error 12, opcode 0"
    )
    assert not analyze(files, packs, plan).accusations


def test_a_fault_of_one_comes_before_the_timeouts_of_all(packs: Packs, plan: ReadPlan) -> None:
    files = {f"n{index}/a.log": begin(index) + say(40, TIMED_OUT) for index in range(3)}
    alone = analyze(files, packs, plan)
    files["n1/iptables.txt"] = "-P INPUT ACCEPT\n-A INPUT -s 10.1.0.3/32 -p tcp -j DROP\n"
    assert (culprit(alone)[0], culprit(analyze(files, packs, plan))) == (
        "collective.timeout",
        ("network.timeout", "n1"),
    )


@pytest.mark.parametrize(("again", "verdict"), [(True, "diagnosed"), (False, "no-failure")])
def test_a_run_that_ended_well_says_nothing_of_the_next(
    again: bool, verdict: str, packs: Packs, plan: ReadPlan
) -> None:
    crash = "Traceback (most recent call last):\n  File \"/job/train.py\", line 7, in <module>\nKeyError: 'lr'\n"
    files = {f"n{index}/run1.log": begin(index) + END for index in range(3)}
    if again:
        files |= {f"n{index}/run2.log": STARTED.format(index + 1) + (crash if index == 0 else "") for index in range(3)}
    assert analyze(files, packs, plan).verdict == verdict


@pytest.mark.parametrize(("broken", "verdict"), [(True, "diagnosed"), (False, "no-failure")])
def test_what_the_scheduler_says_of_the_whole_job_counts_unless_a_task_contradicts_it(
    broken: bool, verdict: str, packs: Packs, plan: ReadPlan
) -> None:
    steps = [f"2026-01-02 03:04:0{step},000 INFO train: step {step} loss 0.5\n" for step in range(8)]
    files = {
        "n0/out.log": "".join(steps),
        "n1/out.log": "".join(steps),
        "sacct.txt": "JobID|State|ExitCode\n77|COMPLETED|0:0\n",
    }
    if broken:
        files["n1/out.log"] += (
            "Traceback (most recent call last):\n  File \"/job/train.py\", line 7, in f\nKeyError: 'lr'\n"
        )
    assert analyze(files, packs, plan).verdict == verdict


def test_a_rank_that_is_named_by_its_number_is_who_wrote_behind_it(packs: Packs, plan: ReadPlan) -> None:
    lines = [f"[1,{rank}]<stdout>:{nccl(f'h{rank}', rank + 1, 'INFO comm Init COMPLETE')}" for rank in range(3)]
    lines += [
        "[1,0]<stderr>:[2026-01-02 03:05:06.070809: W horovod/common/stall_inspector.cc:107] One or more tensors were "
        "submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks.\n",
        "[1,0]<stderr>:Missing ranks:\n",
        "[1,0]<stderr>:2: [HorovodAllreduce_grad_0, HorovodAllreduce_grad_1]\n",
    ]
    incident = analyze({"mpirun.out": "".join(lines)}, packs, plan)
    assert [node.name for node in incident.nodes] == ["h0", "h1", "h2"]
    assert {accusation.accused for accusation in incident.accusations} == {"h2"}


def ranks(*steps: str) -> str:
    return "".join(f"[1,{rank}]<stderr>:{text}\n" for rank, text in enumerate(steps))


def serve(rank: int, address: str) -> str:
    return f"2026-01-02 03:04:0{rank}.000000: I tensorflow/x.cc:1] Started server with target: grpc://{address}:2222"


@pytest.mark.parametrize(
    ("hosts", "names"),
    [("", ["m1", "m2"]), ("10.1.0.1 m2\n10.1.0.2 m1\n127.0.0.1 localhost\n", ["m2", "m1"])],
    ids=["in the order of their names", "as the table of names says"],
)
def test_ranks_known_by_address_ran_on_the_machines_that_only_kernels_speak_of(
    hosts: str, names: list[str], packs: Packs, plan: ReadPlan
) -> None:
    files = {"mpirun.out": ranks(serve(0, "10.1.0.1"), serve(1, "10.1.0.2"))}
    files |= {f"dmesg.m{number}.txt": "[Fri Jan  2 03:00:00 2026] eth0: link up\n" for number in (1, 2)}
    nodes = analyze(files | ({"hosts": hosts} if hosts else {}), packs, plan).nodes
    assert [
        node.name for address in ("10.1.0.1", "10.1.0.2") for node in nodes if f"{address}:2222" in node.addresses
    ] == names


def test_heat_that_slows_a_task_is_told_of_a_job_that_ended_well(packs: Packs, plan: ReadPlan) -> None:
    files = {}
    for index in range(3):
        own = 4 if index == 1 else 900
        steps = [
            f"2026-01-02 03:04:{step + 2:02d},00{index} INFO train: step {step} loss 0.5 ({own} ms)"
            for step in range(12)
        ]
        files[f"n{index}/a.log"] = (
            begin(index, 0) + "\n".join(steps) + "\n2026-01-02 03:04:20,000 INFO train: training finished\n"
        )
    cool = analyze(files, packs, plan)
    files["n1/dmesg.txt"] = "".join(
        f"[Fri Jan  2 03:04:03 2026] CPU{cpu}: Core temperature above threshold, cpu clock throttled (total events = 9)"
        "\n"
        for cpu in range(0, 16, 2)
    )
    assert (culprit(cool), culprit(analyze(files, packs, plan))) == (
        ("sync.straggler", "n1"),
        ("hardware.thermal", "n1"),
    )


def test_a_kill_before_the_last_start_is_of_an_earlier_run(packs: Packs, plan: ReadPlan) -> None:
    killed = "[Fri Jan  2 03:04:09 2026] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB\n"
    missing = "FileNotFoundError: [Errno 2] No such file or directory: '/data/labels.txt'\n"
    files = {}
    for index in range(3):
        first = STARTED.format(index + 1).replace("04:00:00", "03:04:00") + begin(index)
        again = STARTED.format(index + 1) + begin(index).replace("03:04:", "04:00:") + (missing if index == 2 else "")
        files[f"n{index}/a.log"] = first + again
    files["n1/dmesg.txt"] = killed
    assert culprit(analyze(files, packs, plan)) == ("data.not-found", "n2")


def test_who_ends_its_epoch_and_is_gone_has_finished_early(packs: Packs, plan: ReadPlan) -> None:
    files = {f"n{index}/a.log": begin(index) for index in range(3)}
    files["n1/a.log"] += "2026-01-02 03:04:08,000 INFO train: end of epoch after 5 batches\n"
    files |= {name: files[name] + lost(9, 1) for name in ("n0/a.log", "n2/a.log")}
    assert culprit(analyze(files, packs, plan)) == ("data.uneven-shards", "n1")


def test_a_job_without_tasks_ends_well_where_all_its_ranks_do(packs: Packs, plan: ReadPlan) -> None:
    missed = (
        "[2026-01-02 03:05:06.070809: W horovod/common/stall_inspector.cc:107] Missing ranks:\n"
        "[1,0]<stderr>:1: [broadcast_5]\n"
    )
    last_lines = ranks(*["2026-01-02 03:09:00,000 INFO training finished"] * 2)
    assert analyze({"job.out": f"[1,0]<stderr>:{missed}" + last_lines}, packs, plan).verdict == "no-failure"
