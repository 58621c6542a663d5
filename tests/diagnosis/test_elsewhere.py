"""Errors that a coordinator of parameter servers prints, and where the operation ran."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest

from analyzer.incident import Incident
from analyzer.pipeline import IngestResult, diagnose
from analyzer.reading import ReadPlan, read_source
from analyzer.rules.types import Packs

CLUSTER = "{'chief': ['10.1.0.9:2222'], 'ps': ['10.1.0.8:2222'], 'worker': ['10.1.0.1:2222', '10.1.0.2:2222']}"
SHAPES = "Incompatible shapes: [32,10] vs. [32,12]"


def task(job: str, index: int) -> str:
    return (
        f"2026-01-02 03:04:01,000 INFO tensorflow: ParameterServerStrategy with cluster_spec = {CLUSTER}, "
        f"task_type = '{job}', task_id = {index}\n"
    )


def answer(index: int, text: str, code: int, new: bool, job: str = "worker") -> str:
    """What gRPC says beside an error, until 2.12 and since."""
    old = (
        f':{{"created":"@1760000000.1","description":"Error received from peer ipv4:10.1.0.{index + 1}:2222","file":'
        f'"external/com_github_grpc_grpc/src/core/lib/surface/call.cc","file_line":1056,"grpc_message":"{text}",'
        f'"grpc_status":{code}}} [Op:__inference_step_84]\n'
    )
    later = (
        f':UNKNOWN:Error received from peer  {{created_time:"2026-01-02T03:05:06+00:00", grpc_status:{code}, '
        f'grpc_message:"{text}"}} [Op:__inference_step_84]\n'
    )
    return (
        f"Additional GRPC error information from remote target /job:{job}/replica:0/task:{index} while calling "
        f"/tensorflow.eager.EagerService/Enqueue:\n{later if new else old}"
    )


def closure(
    index: int, text: str = SHAPES, code: int = 3, new: bool = True, error: str = "InvalidArgumentError"
) -> str:
    return (
        f"2026-01-02 03:05:06,000 ERROR tensorflow: /job:worker/task:{index} encountered the following error when "
        f"processing closure: {error}():Graph execution error:\n\n"
        f"{text}\n\t [[{{{{node add}}}}]]\n{answer(index, text, code, new)}"
    )


def analyze(chief: str, packs: Packs, plan: ReadPlan, more: Mapping[str, str] | None = None) -> Incident:
    files = {"c0/a.log": task("chief", 0) + chief, "p0/a.log": task("ps", 0)}
    files |= {f"w{index}/a.log": task("worker", index) for index in range(2)} | dict(more or {})
    intake = IngestResult()
    intake.results.extend(read_source(path, io.BytesIO(text.encode()), plan) for path, text in files.items())
    return diagnose(intake, packs)


@pytest.mark.parametrize("new", [False, True], ids=["until 2.12", "since 2.13"])
def test_what_a_worker_answered_happened_there(new: bool, packs: Packs, plan: ReadPlan) -> None:
    root = analyze(closure(1, new=new), packs, plan).root_causes[0]
    assert root.finding.cause == "data.shape-mismatch"
    assert (root.finding.node, root.finding.task) == ("w1", "worker:1")
    assert root.finding.evidence[0].node == "c0", "the line stays where it was said"
    assert any("c0 only reports it" in reason for reason in root.why)
    assert "c0" not in root.finding.title


def test_the_coordinators_traceback_of_it_is_the_workers_too(packs: Packs, plan: ReadPlan) -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "/srv/job/train.py", line 40, in <module>\n'
        "    coordinator.join()\n"
        f"tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:\n\n{SHAPES}\n"
        f"{answer(0, SHAPES, 3, new=True)}"
    )
    assert analyze(text, packs, plan).root_causes[0].finding.node == "w0"


def test_two_workers_that_answer_alike_leave_it_with_the_coordinator(packs: Packs, plan: ReadPlan) -> None:
    root = analyze(closure(0) + closure(1), packs, plan).root_causes[0]
    assert root.finding.node == "c0"


def test_a_lost_connection_is_no_answer(packs: Packs, plan: ReadPlan) -> None:
    lost = closure(1, text="Socket closed", code=14, error="UnavailableError")
    own = f"tensorflow.python.framework.errors_impl.InvalidArgumentError: {SHAPES}\n{lost}"
    findings = [f for f in analyze(own, packs, plan).findings if f.cause == "data.shape-mismatch"]
    assert [finding.node for finding in findings] == ["c0"]


def test_the_nearest_answer_is_whose_error_it_was(packs: Packs, plan: ReadPlan) -> None:
    hops = f"tensorflow.python.framework.errors_impl.InvalidArgumentError: {SHAPES}\n" + answer(
        0, SHAPES, 3, new=True, job="ps"
    )
    assert analyze(hops + answer(1, SHAPES, 3, new=True), packs, plan).root_causes[0].finding.node == "p0"


def test_the_coordinators_own_error_stays_its_own(packs: Packs, plan: ReadPlan) -> None:
    own = (
        "Traceback (most recent call last):\n"
        '  File "/srv/job/train.py", line 39, in <module>\n'
        "    raise RuntimeError('the schedule has ended')\n"
        "RuntimeError: the schedule has ended\n"
    )
    assert analyze(own, packs, plan).root_causes[0].finding.node == "c0"


def test_a_parameter_server_answers_for_itself_where_the_call_is_not_told(packs: Packs, plan: ReadPlan) -> None:
    reply = answer(0, SHAPES, 3, new=False, job="ps").replace(
        " while calling /tensorflow.eager.EagerService/Enqueue", ""
    )
    text = f"tensorflow.python.framework.errors_impl.InvalidArgumentError: {SHAPES}\n{reply}"
    assert analyze(text, packs, plan).root_causes[0].finding.node == "p0"


FULL = "RESOURCE_EXHAUSTED: /ckpt/m/part-0.tempstate12; No space left on device"


def echoed(tellers: str, hosts: tuple[str, ...], packs: Packs, plan: ReadPlan) -> set[str | None]:
    """The nodes of a full disk that a launcher's own lines tell of, and the pods of `hosts`."""
    lines = [
        f"[pod/{host}/tf] 2026-01-02 03:04:0{at}.000000: W op_kernel.cc:1858] {FULL}" for at, host in enumerate(hosts)
    ]
    lines += [
        f"[pod/{host}/tf] 2026-01-02 03:04:01.500000: I tensorflow/core/x.cc:1] ready" for host in ("w-0", "w-1", "w-2")
    ]
    intake = IngestResult()
    intake.results.append(read_source("job.log", io.BytesIO("\n".join([*lines, tellers, ""]).encode()), plan))
    return {finding.node for finding in diagnose(intake, packs).findings if finding.cause == "resource.disk-full"}


def test_what_nobody_known_repeats_is_of_the_one_node_that_says_it_of_itself(packs: Packs, plan: ReadPlan) -> None:
    driver = f"tensorflow.python.framework.errors_impl.ResourceExhaustedError: {FULL}"
    assert echoed(driver, ("w-1",), packs, plan) == {"w-1"}
    assert echoed(driver, ("w-1", "w-2"), packs, plan) == {"w-1", "w-2", None}


def test_what_a_data_worker_answered_happened_on_the_data_worker(packs: Packs, plan: ReadPlan) -> None:
    words = "tensorflow.python.framework.errors_impl.DataLossError: {}corrupted record at 74448896\n"
    server = "2026-01-02 03:04:01.000000: I tensorflow/x.cc:94] Started tf.data WorkerServer running at 0.0.0.0:5051\n"
    files = {"feed-1/worker.log": server, "feed-2/worker.log": server}
    for prefix, node in (("Failed to get element from worker feed-2:5051: ", "feed-2"), ("", "t0")):
        files["t0/train.log"] = "2026-01-02 03:04:05,000 INFO train: step 3 loss 0.5\n" + words.format(prefix)
        intake = IngestResult()
        intake.results.extend(read_source(path, io.BytesIO(text.encode()), plan) for path, text in files.items())
        [root] = diagnose(intake, packs).root_causes[:1]
        assert (root.finding.cause, root.finding.node) == ("data.corrupt-record", node)


@pytest.mark.parametrize(("job", "node"), [("ps", "p0"), ("chief", "c0")])
def test_an_eager_operation_s_error_is_of_the_device_that_it_ran_on(
    job: str, node: str, packs: Packs, plan: ReadPlan
) -> None:
    operation = f"{{{{function_node __wrapped__SaveV2_dtypes_14_device_/job:{job}/replica:0/task:0/device:CPU:0}}}}"
    denied = "/ckpt/m/part-0.tempstate8; Permission denied [Op:SaveV2]"
    text = f"tensorflow.python.framework.errors_impl.PermissionDeniedError: {operation} {denied}\n"
    assert analyze(text, packs, plan).root_causes[0].finding.node == node


RAISED = """\
2026-01-02 03:05:06,000 ERROR tune_controller.py:1331 -- Trial task failed for trial T_0
Traceback (most recent call last):
  File "/opt/venv/lib/python3.10/site-packages/ray/_private/worker.py", line 2623, in get
    values, debugger_breakpoint = worker.get_objects(object_refs, timeout=timeout)
ray.exceptions.RayTaskError(KeyError): ray::_Inner.train() (pid=2711, ip=10.1.0.9, actor_id=5a, repr=T)
  File "/opt/venv/lib/python3.10/site-packages/ray/tune/trainable/trainable.py", line 331, in train
    raise skipped from exception_cause(skipped)
ray.exceptions.RayTaskError(KeyError): ray::_W__execute.get_next() (pid=3344, ip=10.1.0.2, actor_id=be, repr=W)
  File "/srv/app/flow.py", line 63, in flow
    row["lang"] = LANGUAGES[doc["lang"]]
KeyError: 'ja'
"""


def test_the_exception_of_an_actor_is_of_the_machine_in_the_line_above_it(packs: Packs, plan: ReadPlan) -> None:
    incident = analyze(RAISED, packs, plan)
    raised = [finding for finding in incident.findings if finding.captures.get("exception") == "KeyError"]
    assert [finding.node for finding in raised] == ["w1"]


def test_an_exception_behind_that_of_the_actor_is_the_drivers(packs: Packs, plan: ReadPlan) -> None:
    later = '\nTraceback (most recent call last):\n  File "/srv/app/main.py", line 9, in main\nValueError: no trial\n'
    incident = analyze(RAISED + later, packs, plan)
    nodes = {finding.captures.get("exception"): finding.node for finding in incident.findings if finding.captures}
    assert (nodes["KeyError"], nodes["ValueError"]) == ("w1", "c0")


def test_an_error_of_the_dispatchers_journal_is_the_dispatchers(packs: Packs, plan: ReadPlan) -> None:
    error = (
        "W0000 00:00:1767323101.452882    942 data_service_client.cc:102] Failed to release iteration client id: "
        "RESOURCE_EXHAUSTED: /scratch/d/tf_data_dispatcher_journal/journal_0; No space left on device\n"
    )
    started = (
        "I0000 00:00:1767323041.261508    445 server_lib.cc:88] Started tf.data DispatchServer running at 0.0.0.0:50\n"
    )
    incident = analyze(error, packs, plan, {"d0/a.log": started})
    assert {finding.node for finding in incident.findings if finding.cause == "resource.disk-full"} == {"d0"}


def test_an_exception_in_a_python_function_is_of_the_worker_whose_closure_failed(packs: Packs, plan: ReadPlan) -> None:
    error = (
        "2026-01-02 03:05:06,000 ERROR tensorflow: /job:worker/task:1 encountered the following error when processing "
        "closure: UnknownError():Graph execution error:\n\n\nKeyError: 'ja'\nTraceback (most recent call last):\n\n"
        "  File \"/srv/app/features.py\", line 88, in encode\n    return INDEX[text]\n\nKeyError: 'ja'\n"
    )
    incident = analyze(error, packs, plan)
    raised = {finding.node for finding in incident.findings if finding.captures.get("exception") == "KeyError"}
    assert raised == {"w1"}
