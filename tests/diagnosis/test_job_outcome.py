"""How the job as a whole ended: the last word of its launcher or scheduler counts more than one task's good end."""

from __future__ import annotations

import pytest
from test_stories import END, analyze, begin

from analyzer.incident import Incident
from analyzer.model import Role
from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

SPEC = (
    "cluster_spec = {{'chief': ['n0:2222'], 'worker': ['n1:2222'], 'ps': ['n2:2222']}}, task_type = '{}', task_id = 0"
)
STEPS = "".join(f"2026-01-02 03:04:0{step},000 INFO train: step {step} loss 0.5\n" for step in range(8))
ROW = "77|{}|{}\n"


def factors_of(incident: Incident, cause: str) -> set[str]:
    """Return the names of the factors of all hypotheses of a cause."""
    weighed = [hypothesis for hypothesis in incident.hypotheses if hypothesis.finding.cause == cause]
    assert weighed
    return {factor.name for hypothesis in weighed for factor in hypothesis.factors}


def word_of(incident: Incident) -> str | None:
    return next((fact.end.how for fact in incident.hard_facts if fact.node is None and fact.end), None)


TFJOB = """kind: TFJob
status:
  conditions:
  - message: TFJob ml/t has failed because 1 Worker replica(s) failed.
    reason: TFJobFailed
    status: "True"
    type: Failed
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("jenkins.txt", "ERROR: script returned exit code 1\nFinished: FAILURE\n"),
        ("sacct.txt", "JobID|State|ExitCode\n" + ROW.format("FAILED", "1:0")),
        ("scontrol.txt", "JobId=77 JobName=t\n   JobState=NODE_FAIL Reason=NodeDown\n"),
        ("tfjob.yaml", TFJOB),
        ("service.log", "2026-01-02 03:05:00,000 INFO service: job t-12 failed with 1 error\n"),
    ],
)
def test_a_job_that_its_scheduler_calls_failed_did_not_succeed(
    name: str, text: str, packs: Packs, plan: ReadPlan
) -> None:
    files = {f"n{index}/a.log": begin(index) + END for index in range(3)}
    assert analyze(files, packs, plan).verdict == "no-failure"
    incident = analyze(files | {name: text}, packs, plan)
    assert word_of(incident) == "job-failed"
    assert incident.verdict != "no-failure"


@pytest.mark.parametrize(
    ("states", "word"), [(("FAILED", "COMPLETED"), "job-succeeded"), (("COMPLETED", "FAILED"), "job-failed")]
)
def test_the_last_word_counts(states: tuple[str, str], word: str, packs: Packs, plan: ReadPlan) -> None:
    rows = [ROW.format(state, "0:0" if state == "COMPLETED" else "1:0") for state in states]
    files = {"n0/a.log": STEPS, "sacct.txt": "JobID|State|ExitCode\n" + "".join(rows)}
    assert word_of(analyze(files, packs, plan)) == word


def test_a_step_an_element_of_an_array_and_ended_servers_are_not_the_job(packs: Packs, plan: ReadPlan) -> None:
    rows = "JobID|State|ExitCode\n77.0|FAILED|1:0\n78_3|FAILED|1:0\n79|FAILED|143:0\n"
    assert word_of(analyze({"n0/a.log": STEPS, "sacct.txt": rows}, packs, plan)) is None


@pytest.mark.parametrize(("signal", "verdict"), [("134", "diagnosed"), ("143", "no-failure"), ("137", "no-failure")])
def test_a_coordinator_that_ended_well_does_not_hide_the_crash_of_a_worker(
    signal: str, verdict: str, packs: Packs, plan: ReadPlan
) -> None:
    """A worker that somebody ended is what a coordinator survives, and what the end of a job looks like."""
    files = {
        f"n{index}/a.log": f"2026-01-02 03:04:00,000 INFO tensorflow: {SPEC.format(task)}\n{STEPS}"
        for index, task in enumerate(("chief", "worker", "ps"))
    }
    files["n0/a.log"] += "2026-01-02 03:04:09,000 INFO train: training finished\n"
    files |= {"n0/exit_code": "0\n", "n1/exit_code": f"{signal}\n", "n2/exit_code": "143\n"}
    assert analyze(files, packs, plan).verdict == verdict


@pytest.mark.parametrize(("trained", "ended"), [(True, True), (False, False)])
def test_an_input_that_runs_out_ends_a_task_only_if_it_trained(
    trained: bool, ended: bool, packs: Packs, plan: ReadPlan
) -> None:
    words = "UserWarning: Your input ran out of data; interrupting training. Make sure that your dataset or generator\n"
    incident = analyze({"n0/a.log": begin(0, steps=5 if trained else 0) + words}, packs, plan)
    assert any(fact.end is not None for fact in incident.hard_facts) == ended


@pytest.mark.parametrize(
    "line",
    [
        "09:04:43 PM epoch 218 it   200/1800  dice=0.7975  bce=0.1554  img/s=614",
        "2026-01-02 03:04:05 step   213 nll 2.418 tok/s 5121",
        "0: [02.11. 22:09:23] step   5,140 | triplet 0.4443 | lr 1.79e-04",
        "[1,3]<stdout>:epoch 3  12/300 rmse 0.7",
        "08:17:10 coordinator: scheduled=16440 done=16437 auc=0.7319",
        "I0000 trainer.py:42] step=77 ctc=1.204 wer=0.318",
    ],
)
def test_a_step_is_known_by_its_shape_whatever_it_measures(line: str, packs: Packs, plan: ReadPlan) -> None:
    incident = analyze({"n0/a.log": f"{line}\n"}, packs, plan)
    assert [fact.last_step for fact in incident.hard_facts] != [None]


@pytest.mark.parametrize(
    "line",
    [
        "step 3 failed, error 0.5",
        "waiting for step 12, timeout 30.0",
        "Update 4 of 5: package foo 1.2.3",
        "restored from step 500, version 2.11",
        "batch size 32, learning rate 0.1",
    ],
)
def test_other_numbers_are_no_steps(line: str, packs: Packs, plan: ReadPlan) -> None:
    incident = analyze({"n0/a.log": f"2026-01-02 03:04:05,000 INFO train: {line}\n"}, packs, plan)
    assert all(fact.last_step is None for fact in incident.hard_facts)


def test_compose_files_of_several_machines_call_their_service_alike(packs: Packs, plan: ReadPlan) -> None:
    start = "trainer-1  | 2026-01-02 03:04:01.000000: I tensorflow/x.cc:1] Started server with target: grpc://{}:2500\n"
    files = {f"{host}/compose.log": start.format(host) for host in ("box-a", "box-b")}
    files["box-b/compose.log"] += "trainer-1 exited with code 134\n"
    assert [node.name for node in analyze(files, packs, plan).nodes] == ["box-a", "box-b"]


@pytest.mark.parametrize(("later", "survived"), [(True, True), (False, False)])
def test_who_trains_in_step_survived_what_the_job_outlived(
    later: bool, survived: bool, packs: Packs, plan: ReadPlan
) -> None:
    files = {f"n{index}/a.log": begin(index) for index in range(3)}
    files["n1/a.log"] += (
        "2026-01-02 03:04:09,000 ERROR train: reader\nOSError: [Errno 116] Stale file handle: '/nfs/x'\n"
    )
    if later:
        files["n0/a.log"] += "2026-01-02 04:04:09,000 INFO train: step 900 loss 0.5\n"
    [hypothesis] = [
        candidate
        for candidate in analyze(files, packs, plan).hypotheses
        if candidate.finding.cause == "storage.network-fs"
    ]
    assert any(factor.name == "survived" for factor in hypothesis.factors) == survived


@pytest.mark.parametrize(("losses", "survived"), [(("0.5", "nan", "0.4"), True), (("0.5", "nan", "nan"), False)])
def test_a_nan_that_later_losses_do_not_show_is_over(
    losses: tuple[str, ...], survived: bool, packs: Packs, plan: ReadPlan
) -> None:
    steps = [f"2026-01-02 03:04:0{step},000 INFO train: step {step} loss {loss}" for step, loss in enumerate(losses)]
    steps.insert(2, "2026-01-02 03:04:01,500 WARNING train: loss is nan, batch skipped")
    incident = analyze({"n0/a.log": "\n".join(steps) + "\n"}, packs, plan)
    assert ("survived" in factors_of(incident, "numeric.nan")) == survived


def test_of_several_jobs_that_a_listing_holds_the_one_of_the_files_counts(packs: Packs, plan: ReadPlan) -> None:
    rows = "JobID|JobName|State|ExitCode\n51902|net|TIMEOUT|0:0\n51488|net|COMPLETED|0:0\n"
    incident = analyze({"logs/net-51902_0.log": STEPS, "logs/net-51902_1.log": STEPS, "sacct.txt": rows}, packs, plan)
    assert word_of(incident) == "job-failed"


def test_tasks_that_are_done_may_lose_their_peers_if_the_scheduler_confirms_it(packs: Packs, plan: ReadPlan) -> None:
    last_line = "2026-01-02 03:04:09,000 INFO train: leaving the loop at step 7\n"
    lost = (
        "2026-01-02 03:04:19.000000: E tensorflow/x.cc:252] BaseCollectiveExecutor::StartAbort UNAVAILABLE: Error "
        "reported from /job:worker/task:1: The following tasks are unhealthy (stopped sending heartbeats):\n"
        "/job:worker/replica:0/task:1\n"
    )
    files = {"n0/a.log": begin(0) + STEPS + last_line + lost, "n1/a.log": begin(1) + STEPS + last_line}
    succeeded = {"sacct.txt": "JobID|State|ExitCode\n" + ROW.format("COMPLETED", "0:0")}
    assert analyze(files | succeeded, packs, plan).verdict == "no-failure"
    files["n0/a.log"] = begin(0) + STEPS + lost
    assert analyze(files | succeeded, packs, plan).verdict != "no-failure"


PENDING = "2026-01-02 03:0{}:00,000 ERROR batch: Nodes required for job are DOWN, DRAINED or reserved\n"


@pytest.mark.parametrize(("minute", "survived"), [(3, True), (5, False)])
def test_a_job_that_trained_had_got_its_machines(minute: int, survived: bool, packs: Packs, plan: ReadPlan) -> None:
    files = {"n0/a.log": STEPS, "job.err": PENDING.format(minute)}
    assert ("survived" in factors_of(analyze(files, packs, plan), "scheduler.unschedulable")) == survived


def test_tasks_that_start_do_not_show_that_the_missing_one_got_a_machine(packs: Packs, plan: ReadPlan) -> None:
    files = {"n0/a.log": begin(0).partition("\n")[0], "job.err": PENDING.format(3)}
    assert "survived" not in factors_of(analyze(files, packs, plan), "scheduler.unschedulable")


def test_an_earlier_run_that_was_put_aside_is_context(packs: Packs, plan: ReadPlan) -> None:
    missing = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'tensorflow'\n"
    files = {"n0/a.log": STEPS, "old/n0/a.log": missing}
    roles = {finding.cause: finding.role for finding in analyze(files, packs, plan).findings}
    assert roles["env.missing-library"] is Role.CONTEXT
    roles = {finding.cause: finding.role for finding in analyze({"old/n0/a.log": missing}, packs, plan).findings}
    assert roles["env.missing-library"] is Role.CAUSE


def test_the_log_of_a_machine_is_of_the_task_that_the_cluster_has_there(packs: Packs, plan: ReadPlan) -> None:
    cluster = "cluster_spec = {'worker': ['box-a:2222', 'box-b:2222']}, task_type = 'worker', task_id = "
    files = {
        f"logs/worker{index}.log": f"2026-01-02 03:04:00,000 INFO tensorflow: {cluster}{index}\n{STEPS}"
        for index in range(2)
    }
    files["logs/dmesg box-b.txt"] = "[Fri Jan  2 03:04:00 2026] Out of memory: Killed process 77 (python)\n"
    assert {node.name: node.tasks for node in analyze(files, packs, plan).nodes}["box-b"] == ("worker:1",)


def test_who_alone_reports_a_peer_may_have_a_wrong_address_of_it(packs: Packs, plan: ReadPlan) -> None:
    """TensorFlow 1 prints the addresses that each task has of the others."""
    cache = "2026-01-02 03:04:00.000000: I tensorflow/x.cc:222] Initialize GrpcChannelCache for job worker -> {{{}}}\n"
    waits = (
        "2026-01-02 03:04:{:02d}.000000: I tensorflow/core/distributed_runtime/master.cc:268] "
        "CreateSession still waiting for response from worker: /job:worker/replica:0/task:1\n"
    )
    addresses = [f"{index} -> 10.1.0.{index}:2222" for index in range(4)]
    files = {}
    for index in range(4):
        own = [f"{index} -> localhost:2222" if at == index else address for at, address in enumerate(addresses)]
        if index == 3:
            own[1] = "1 -> 10.1.0.77:2222"
        start = f"2026-01-02 03:04:00.100000: I tensorflow/x.cc:381] Started server with target: grpc://10.1.0.{index}:2222\n"
        files[f"w{index}/a.log"] = cache.format(", ".join(own)) + start
    files["w3/a.log"] += "".join(waits.format(second) for second in range(10, 50, 10))
    [root] = analyze(files, packs, plan).root_causes[:1]
    assert (root.finding.cause, root.finding.node) == ("config.cluster-mismatch", "w3")


@pytest.mark.parametrize(("started", "survived"), [(True, True), (False, False)])
def test_a_program_that_starts_up_after_an_error_survived_it(
    started: bool, survived: bool, packs: Packs, plan: ReadPlan
) -> None:
    lines = ["AttributeError: 'MessageFactory' object has no attribute 'GetPrototype'"]
    if started:
        lines.append(
            "2026-01-02 03:04:01.000000: I tensorflow/x.cc:1] Started server with target: grpc://10.1.0.1:2222"
        )
    incident = analyze({"n0/a.log": "\n".join(lines) + "\n"}, packs, plan)
    [hypothesis] = [
        hypothesis for hypothesis in incident.hypotheses if hypothesis.finding.rule == "python-abi-mismatch"
    ]
    assert any(factor.name == "survived" for factor in hypothesis.factors) == survived


EXPORT_FAILS = """\
Traceback (most recent call last):
  File "/srv/export.py", line 58, in <module>
    tf.saved_model.save(model, folder)
ValueError: Message tensorflow.SavedModel exceeds maximum protobuf size of 2GB: 4026714873
"""


def test_an_export_that_fails_behind_the_last_epoch_is_no_success(packs: Packs, plan: ReadPlan) -> None:
    epochs = "Epoch 1/2\n9/9 - 2s - loss: 0.5 - 2s/epoch\nEpoch 2/2\n9/9 - 2s - loss: 0.4 - 2s/epoch\n"
    good = {f"n{index}/a.log": begin(index, steps=0) + epochs for index in range(3)}
    assert analyze(good, packs, plan).verdict == "no-failure"
    incident = analyze({**good, "n0/a.log": good["n0/a.log"] + EXPORT_FAILS}, packs, plan)
    assert incident.root_causes[0].finding.cause == "serialization.graph-too-large"


def test_the_end_of_a_pod_of_strangers_is_not_that_of_the_job(packs: Packs, plan: ReadPlan) -> None:
    server = (
        "2026-01-02 03:04:02.000000: I x/grpc_server_lib.cc:457] Started server with target: grpc://10.1.0.{}:2222\n"
    )
    files = {f"n{index}/a.log": begin(index, steps=0) + server.format(index + 1) for index in range(2)}
    pods = "NAME    READY   STATUS      RESTARTS   AGE\nnightly-28811-q9z   0/1     Completed   0          4h\n"
    verdicts = {analyze(listing, packs, plan).verdict for listing in (files, {**files, "pods.txt": pods})}
    assert "no-failure" not in verdicts
