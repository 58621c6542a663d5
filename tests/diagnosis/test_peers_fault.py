"""Faults that others feel: a cause on the peer that they name, and members that report what they did not do."""

from __future__ import annotations

import pytest
from test_stories import END, analyze, begin, say

from analyzer.model import Incident
from analyzer.reading import Plan
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


def test_a_link_that_broke_on_the_peer_that_all_name_comes_before_their_failed_sends(packs: Packs, plan: Plan) -> None:
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


def test_an_address_that_all_machines_have_names_none_of_them(packs: Packs, plan: Plan) -> None:
    files = {
        f"h{number}/rank.log": nccl(f"h{number}", number, "INFO Bootstrap : Using docker0:172.17.0.1<0>")
        for number in (1, 2)
    }
    files["h1/rank.log"] += nccl(
        "h1", 1, "WARN NET/IB : Got completion from peer 172.17.0.1<39111> with error 12, opcode 0"
    )
    assert not analyze(files, packs, plan).accusations


def test_a_fault_of_one_comes_before_the_timeouts_of_all(packs: Packs, plan: Plan) -> None:
    files = {f"n{index}/a.log": begin(index) + say(40, TIMED_OUT) for index in range(3)}
    alone = analyze(files, packs, plan)
    files["n1/iptables.txt"] = "-P INPUT ACCEPT\n-A INPUT -s 10.1.0.3/32 -p tcp -j DROP\n"
    assert (culprit(alone)[0], culprit(analyze(files, packs, plan))) == (
        "collective.timeout",
        ("network.timeout", "n1"),
    )


@pytest.mark.parametrize(("again", "verdict"), [(True, "diagnosed"), (False, "no-failure")])
def test_a_run_that_ended_well_says_nothing_of_the_next(again: bool, verdict: str, packs: Packs, plan: Plan) -> None:
    crash = "Traceback (most recent call last):\n  File \"/job/train.py\", line 7, in <module>\nKeyError: 'lr'\n"
    files = {f"n{index}/run1.log": begin(index) + END for index in range(3)}
    if again:
        files |= {f"n{index}/run2.log": STARTED.format(index + 1) + (crash if index == 0 else "") for index in range(3)}
    assert analyze(files, packs, plan).verdict == verdict


@pytest.mark.parametrize(("broken", "verdict"), [(True, "diagnosed"), (False, "no-failure")])
def test_what_the_scheduler_says_of_the_whole_job_counts_unless_a_task_contradicts_it(
    broken: bool, verdict: str, packs: Packs, plan: Plan
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


def test_a_rank_that_is_named_by_its_number_is_who_wrote_behind_it(packs: Packs, plan: Plan) -> None:
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
