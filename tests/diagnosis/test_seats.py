"""Which node is which task where no log says so, and what several logs show only together."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest

from analyzer.incident import Incident
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

START = "2026-01-02 03:04:01,000 INFO tensorflow: starting\n"
OLD_KILL = "[Fri Jan  2 00:04:09 2026] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB\n"


def analyze(files: Mapping[str, str], packs: Packs, plan: ReadPlan) -> Incident:
    intake = IngestResult()
    intake.results.extend(read_source(path, io.BytesIO(text.encode()), plan) for path, text in files.items())
    return diagnose(intake, packs)


def absl(second: float, text: str, level: str = "I") -> str:
    return f"{level}0000 00:00:{1767323040 + second:.6f}    4711 {text}\n"


def serve(host: str, second: float = 1) -> str:
    return absl(second, f"grpc_server_lib.cc:467] Started server with target: grpc://{host}:2222")


def joined(task: int, second: float) -> str:
    return absl(
        second, f"coordination_service.h:529] /job:worker/replica:0/task:{task} has connected to coordination service."
    )


def waits(*tasks: int, of: int = 3) -> str:
    names = "".join(f"/job:worker/replica:0/task:{task}\n" for task in tasks)
    return (
        absl(4, f"coordination_service.cc:502] Waiting for {len(tasks)}/{of} tasks to connect.")
        + absl(4, "coordination_service.cc:505] Example stragglers:")
        + names
    )


LEADS = absl(1, "coordination_service.cc:221] Initializing CoordinationService")
AGENT = absl(3, "coordination_service_agent.cc:245] Coordination agent has successfully connected.")


def test_who_leads_is_the_first_worker_and_who_is_left_is_the_other(packs: Packs, plan: ReadPlan) -> None:
    files = {
        "hal/a.log": LEADS + serve("hal") + joined(0, 2) + AGENT + joined(2, 3) + waits(1),
        "kit/a.log": serve("kit") + AGENT,
    }
    incident = analyze(files, packs, plan)
    tasks = {node.name: (node.tasks, node.present) for node in incident.nodes}
    assert tasks == {
        "hal": (("worker:0",), True),
        "kit": (("worker:2",), True),
        "worker:1": (("worker:1",), False),
    }
    top = incident.root_causes[0].finding
    assert (top.cause, top.node, top.task) == ("network.unreachable-peer", "worker:1", "worker:1")


def test_a_leader_that_left_nothing_is_named_by_those_who_wait_for_it(packs: Packs, plan: ReadPlan) -> None:
    config = '{"cluster": {"worker": ["hal:2222", "kit:2222", "pam:2222"]}, "task": {"type": "worker", "index": %d}}'
    files = {
        "kit/a.log": f"TF_CONFIG={config % 1}\n" + serve("kit"),
        "pam/a.log": f"TF_CONFIG={config % 2}\n" + serve("pam"),
        "pam/dmesg.txt": OLD_KILL,  # three hours before: neither a cause nor a reason to look no further
    }
    top = analyze(files, packs, plan).root_causes[0].finding
    assert (top.cause, top.node, top.task) == ("network.unreachable-peer", "hal", "worker:0")


def test_a_server_under_another_nodes_name_was_given_its_task(packs: Packs, plan: ReadPlan) -> None:
    files = {
        "hal/a.log": serve("hal") + AGENT,
        "kit/a.log": serve("kit") + AGENT,
        "pam/a.log": serve("kit", 2),
    }
    top = analyze(files, packs, plan).root_causes[0].finding
    assert (top.cause, top.node) == ("config.task-index", "pam")


def test_localhost_is_everybodys_own_address(packs: Packs, plan: ReadPlan) -> None:
    files = {name: serve("localhost") for name in ("hal/a.log", "kit/a.log")}
    assert not any(finding.rule == "task-claimed-twice" for finding in analyze(files, packs, plan).findings)


@pytest.mark.parametrize(("steps", "causes"), [(0, ["config.localhost-address"]), (3, [])])
def test_a_cluster_at_localhost_that_trained_has_met(
    steps: int, causes: list[str], packs: Packs, plan: ReadPlan
) -> None:
    config = '{"cluster": {"worker": ["127.0.0.1:22", "127.0.0.1:23"]}, "task": {"type": "worker", "index": %d}}'
    trained = "".join(f"2026-01-02 03:04:0{at},000 INFO train: step {at} loss 0.5\n" for at in range(steps))
    files = {f"{name}/a.log": f"TF_CONFIG={config % at}\n{trained}" for at, name in enumerate(("hal", "kit"))}
    found_causes = {finding.cause for finding in analyze(files, packs, plan).findings if finding.cause}
    assert found_causes & {"config.localhost-address"} == set(causes)


def test_a_rank_that_never_said_who_it_is_goes_by_its_number(packs: Packs, plan: ReadPlan) -> None:
    lines = ["Traceback (most recent call last):", '  File "/srv/job/train.py", line 8, in main', "KeyError: 'weights'"]
    log = "".join(f"[1,1]<stderr>:{line}\n" for line in lines) + f"[1,0]<stderr>:{serve('hal')}"
    top = analyze({"run/mpirun.log": log}, packs, plan).root_causes[0].finding
    assert (top.cause, top.node) == ("user.code-error", "rank 1")


DUMPED = 'experimental {\n}\n18 {\n  9: ""\n}\n0: 12.5\n'  # of a printed protobuf or list


def test_numbers_that_a_program_prints_are_no_ranks(packs: Packs, plan: ReadPlan) -> None:
    config = '{"cluster": {"worker": ["127.0.0.2:22", "127.0.0.3:23"]}, "task": {"type": "worker", "index": %d}}'
    files = {f"w{at}/tf_config.json": config % at for at in (0, 1)}
    logs = {
        at: START + absl(2, f"grpc_server_lib.cc:467] Started server with target: grpc://127.0.0.{at + 2}:2{at + 2}")
        for at in (0, 1)
    }
    files |= {f"w{at}/run.log": logs[at] + DUMPED for at in (0, 1)}
    assert [node.name for node in analyze(files, packs, plan).nodes] == ["w0", "w1"]
    labelled = "".join(f"{at}: {line}\n" for at in (0, 1) for line in logs[at].splitlines())
    assert {"127.0.0.2", "127.0.0.3"} == {
        n.name for n in analyze({"job.out": labelled + "srun: done\n"}, packs, plan).nodes
    }


def test_a_name_before_lines_holds_where_nothing_else_is_before_them(packs: Packs, plan: ReadPlan) -> None:
    stamped = "hal: 2026-01-02 03:04:01,000 INFO train: step 1 loss 0.5\nkit: 2026-01-02 03:04:01,000 INFO train: up\n"
    broken = (
        'kit: Traceback (most recent call last):\nkit:   File "/srv/job/train.py", line 8, in main\n'
        "kit: KeyError: 'weights'\n"
    )
    top = analyze({"all.out": stamped + broken}, packs, plan).root_causes[0].finding
    assert (top.cause, top.node, top.captures["exception"]) == ("user.code-error", "kit", "KeyError")


LOST = (
    "tensorflow.python.framework.errors_impl.UnavailableError: Collective ops is aborted by: Socket closed\n"
    "Additional GRPC error information from remote target /job:worker/replica:0/task:1 while calling "
    "/tensorflow.WorkerService/RecvBuf:\n"
)
BROKEN = "Traceback (most recent call last):\n  File \"/srv/job/train.py\", line 8, in main\nKeyError: 'weights'\n"


def test_steps_out_of_a_buffer_are_no_recovery(packs: Packs, plan: ReadPlan) -> None:
    """Python writes what it printed to a pipe when it ends, behind the traceback that ended it."""
    steps = "".join(f"step {step} loss 0.5\n" for step in range(9))
    files = {"worker-0/a.log": serve("worker-0") + LOST, "worker-1/a.log": serve("worker-1") + BROKEN + steps}
    top = analyze(files, packs, plan).root_causes[0]
    assert (top.finding.cause, top.finding.node) == ("user.code-error", "worker-1")
    assert not any("went on" in reason for reason in top.why)


def test_steps_with_times_behind_an_error_are_a_recovery(packs: Packs, plan: ReadPlan) -> None:
    steps = "".join(f"2026-01-02 03:05:{step:02d},000 INFO train: step {step} loss 0.5\n" for step in range(9))
    files = {"worker-0/a.log": serve("worker-0") + LOST, "worker-1/a.log": serve("worker-1") + BROKEN + steps}
    top = analyze(files, packs, plan).root_causes[0]
    assert "training on worker-1 continued after it" in top.against


def test_an_input_that_was_used_up_ends_a_task_only_if_no_step_follows(packs: Packs, plan: ReadPlan) -> None:
    def steps(first: int, last: int) -> str:
        return "".join(
            f"2026-01-02 03:04:{step:02d},000 INFO train: step {step} loss 0.5\n" for step in range(first, last)
        )

    spent = "2026-01-02 03:04:10,000 INFO train: input exhausted after 9 batches\n"
    early = {"worker-0/a.log": serve("worker-0") + steps(2, 20) + LOST, "worker-1/a.log": steps(2, 10) + spent}
    assert analyze(early, packs, plan).root_causes[0].finding.cause == "data.uneven-shards"
    later = {**early, "worker-1/a.log": steps(2, 10) + spent + steps(11, 20)}
    assert analyze(later, packs, plan).root_causes[0].finding.cause != "data.uneven-shards"


def unanswered(second: float) -> str:
    return absl(
        second, "base_collective_executor.cc:252] BaseCollectiveExecutor::StartAbort DEADLINE_EXCEEDED: Deadline", "E"
    ) + (
        "Additional GRPC error information from remote target /job:worker/replica:0/task:0 while calling "
        "/tensorflow.CoordinationService/Heartbeat:\n"
    )


def test_a_leader_that_answers_no_heartbeat_and_says_nothing_more_hangs(packs: Packs, plan: ReadPlan) -> None:
    files = {"hal/a.log": LEADS + serve("hal") + joined(0, 2), "kit/a.log": serve("kit") + AGENT + unanswered(40)}
    top = analyze(files, packs, plan).root_causes[0].finding
    assert (top.cause, top.node) == ("sync.hang", "hal")


def test_whom_the_leader_outlives_cannot_blame_it(packs: Packs, plan: ReadPlan) -> None:
    alive = absl(60, "coordination_service.cc:1] still here")
    missed = absl(45, "coordination_service.cc:492] Task /job:worker/replica:0/task:1 heartbeat timeout.", "E")
    files = {
        "hal/a.log": LEADS + serve("hal") + joined(0, 2) + joined(1, 3) + missed + alive,
        "kit/a.log": serve("kit") + AGENT + unanswered(50),
    }
    top = analyze(files, packs, plan).root_causes[0].finding
    assert (top.cause, top.node) == ("network.timeout", "kit")


def test_ranks_of_a_launcher_ran_on_the_hosts_of_the_job_in_their_order(packs: Packs, plan: ReadPlan) -> None:
    lines = {0: LEADS + serve("10.1.0.1") + joined(0, 2), 1: serve("10.1.0.2"), 2: serve("10.1.0.3")}
    files = {
        "slurm-7.out": "".join(f"{rank}: {line}\n" for rank, text in lines.items() for line in text.splitlines()),
        "slurmctld.log": "[2026-01-02T03:04:00.000] sched: Allocate JobId=7 NodeList=gpu[08-10] #CPUs=96 Partition=p\n",
        "console/gpu09.txt": "[ 99.1] Kernel panic - not syncing: Fatal machine check\n",
    }
    incident = analyze(files, packs, plan)
    assert [(node.name, node.addresses) for node in incident.nodes] == [
        (f"gpu{number}", (f"10.1.0.{at}:2222",)) for at, number in enumerate(("08", "09", "10"), 1)
    ]
    assert incident.root_causes[0].finding.node == "gpu09"


def test_a_file_named_for_a_task_of_which_only_the_address_is_known_names_the_node(
    packs: Packs, plan: ReadPlan
) -> None:
    config = (
        '{"cluster": {"ps": ["10.1.0.9:2222"], "worker": ["10.1.0.1:2222"]}, "task": {"type": "worker", "index": 0}}'
    )
    files = {
        "worker-0.log": f"TF_CONFIG={config}\n" + serve("10.1.0.1"),
        "ps-0.log": absl(2, "server_lib.cc:9] KeyError: 'vocabulary'", "E"),
    }
    incident = analyze(files, packs, plan)
    assert [(node.name, node.tasks, node.present) for node in incident.nodes] == [
        ("ps-0", ("ps:0",), True),
        ("worker-0", ("worker:0",), True),
    ]


def test_a_launcher_that_names_rank_and_host_tells_where_the_rank_ran(packs: Packs, plan: ReadPlan) -> None:
    lines = {0: LEADS + serve("10.1.0.1") + joined(0, 2), 1: serve("10.1.0.2")}
    text = "".join(f"{rank}: {line}\n" for rank, text in lines.items() for line in text.splitlines())
    text += "1: KeyError: 'vocabulary'\nsrun: error: gpu9: task 1: Exited with exit code 1\n"
    nodes = analyze({"job.out": text}, packs, plan).nodes
    assert [(node.name, node.addresses) for node in nodes] == [
        ("10.1.0.1", ("10.1.0.1:2222",)),
        ("gpu9", ("10.1.0.2:2222",)),
    ]


def test_who_could_not_be_reached_from_the_start_lives_on_until_the_others_are_gone(
    packs: Packs, plan: ReadPlan
) -> None:
    def failed(second: float, task: int, call: str) -> str:
        target = f"remote target /job:worker/replica:0/task:{task} while calling /tensorflow.{call}"
        message = "base_collective_executor.cc:252] BaseCollectiveExecutor::StartAbort UNAVAILABLE: "
        message += "failed to connect to all addresses"
        return absl(second, message, "E") + f"Additional GRPC error information from {target}:\n"

    files = {
        "hal/a.log": LEADS
        + serve("hal")
        + "".join(joined(at, 2) for at in range(3))
        + failed(9, 1, "WorkerService/RecvBuf"),
        "kit/a.log": serve("kit") + AGENT + failed(14, 0, "CoordinationService/Heartbeat"),
        "pam/a.log": serve("pam") + AGENT + failed(9, 1, "WorkerService/RecvBuf"),
    }
    top = analyze(files, packs, plan).root_causes[0].finding
    assert (top.cause, top.node, top.task) == ("network.unreachable-peer", "kit", "worker:1")


def test_a_leader_that_waited_for_its_own_task_at_the_start_has_not_complained_when_it_dies(
    packs: Packs, plan: ReadPlan
) -> None:
    step = "2026-01-02 03:04:08,500 INFO train: step 2 loss 0.5\n"
    gone = absl(10, "ring_alg.cc:291] Aborting RingReduce with UNAVAILABLE: Socket closed", "E")
    gone += "Additional GRPC error information from remote target /job:worker/replica:0/task:0 while calling /a.B/C:\n"
    files = {
        "hal/a.log": LEADS
        + serve("hal")
        + joined(1, 2)
        + waits(0, of=2)
        + joined(0, 5)
        + AGENT
        + step.replace("08", "09"),
        "kit/a.log": serve("kit") + AGENT + step + gone,
    }
    top = analyze(files, packs, plan).root_causes[0].finding
    assert (top.cause, top.node, top.task) == ("process.killed-by-signal", "hal", "worker:0")
