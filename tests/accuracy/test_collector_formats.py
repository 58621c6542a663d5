# ruff: noqa: E501
"""The bytes that collectors write for the small run, as the formats' documentation shows them.

Each sample names the page whose example it follows; its texts are the small run's.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import random
import struct

import pytest
import yaml
from accuracy.collectors import Files, load_collectors
from accuracy.identities import Identities
from accuracy.runs import Host, ReceivedLine, Run

from tests.accuracy.tiny import SECOND, START, tiny_run

TAB_AND_QUOTES = r"step 1 loss 2.5 \"quoted\", \\ back\u0009slash and comma"


def render(name: str, run: Run | None = None) -> Files:
    run = run or tiny_run()
    return load_collectors()[name].render(run, Identities(run), random.Random(0))


def only(files: Files, end: str) -> bytes:
    """The one file whose path has this end."""
    (content,) = [content for path, content in files.items() if path.endswith(end)]
    return content


def text_of(name: str) -> str:
    """All files in one, as text."""
    return b"".join(render(name).values()).decode("utf-8", "backslashreplace")


# What a bundle says → the lines that show it, and where the format is described.
SAMPLES = {
    # https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
    "kube-pod-files": (
        "2025-10-09T08:53:22.123456796Z stdout F step 1 loss 2.5\n"
        "2025-10-09T08:53:22.123456798Z stdout F \n"
        "2025-10-09T08:53:23.123456789Z stdout F  10%|#   | 1/10\r 20%|##  | 2/10\n"
        "2025-10-09T08:53:24.123456789Z stdout F step 3 loss 2.2\n"
    ),
    # https://kubernetes.io/docs/reference/kubectl/generated/kubectl_logs/ (--prefix, --timestamps)
    "kubectl-logs-prefix": "[pod/gpu-b/tensorflow] 2025-10-09T08:53:22.123456796Z step 1 loss 2.5\n",
    # https://github.com/stern/stern/releases/tag/v1.24.0 shows lines of the default template
    "stern": "+ gpu-b › tensorflow\ngpu-a tensorflow 2025-10-09 08:53:21.123456: I tensorflow/core/platform/cpu_feature_guard.cc:210]",
    # https://github.com/stern/stern#output
    "stern-json": '{"message":"2025-10-09T08:53:22.123456796Z step 1 loss 2.5","nodeName":"ip-10-188-36-172","namespace":"nlp-prod","podName":"gpu-b","containerName":"tensorflow"}\n',
    # https://docs.docker.com/engine/logging/drivers/json-file/
    "docker-json-file": f'{{"log":"{TAB_AND_QUOTES}\\n","stream":"stdout","time":"2025-10-09T08:53:22.123456789Z"}}\n',
    # https://docs.docker.com/reference/cli/docker/compose/logs/
    "docker-compose-logs": "gpu-b-1  | 2025-10-09T08:53:22.123456796Z step 1 loss 2.5\n",
    # https://docs.docker.com/reference/cli/docker/compose/up/
    "docker-compose-up": "gpu-b-1  | step 3 loss 2.2\ngpu-b-1 exited with code 137\n",
    # https://github.com/containers/conmon/blob/main/src/ctr_logging.c: what has no line feed is partial
    "podman-k8s-file": "2025-10-09T08:53:24.123456789+00:00 stdout P step 3 loss 2.2\n",
    # https://www.freedesktop.org/software/systemd/man/latest/journalctl.html#-o
    "journald-short": (
        "Oct 09 08:53:23 gpu-b python3[112]: [31B blob data]\n"
        "Oct 09 08:53:24 gpu-b python3[112]: step 3 loss 2.2\n"
        "Oct 09 08:53:24 gpu-b systemd[1]: train-worker-1.service: Main process exited, code=killed, status=9/KILL\n"
        "Oct 09 08:53:24 gpu-b systemd[1]: train-worker-1.service: Failed with result 'signal'.\n"
        "Oct 09 08:53:25 gpu-b kernel: usb 1-1: new high-speed USB device number 2 using xhci_hcd\n"
    ),
    "journald-short-precise": "Oct 09 08:53:22.123456 gpu-b python3[112]: step 1 loss 2.5\n",
    "journald-short-iso-precise": "2025-10-09T08:53:22.123456+00:00 gpu-b python3[112]: step 1 loss 2.5\n",
    # https://www.rfc-editor.org/rfc/rfc3164#section-5.4
    "syslog-rfc3164": (
        "Oct  9 08:53:23 gpu-b python3[112]:  10%|#   | 1/10#015 20%|##  | 2/10\n"
        "Oct  9 08:53:24 gpu-b python3[112]: step 3 loss 2.2\n"
    ),
    # https://www.rfc-editor.org/rfc/rfc5424#section-6.5
    "syslog-rfc5424": (
        "<30>1 2025-10-09T08:53:24.123456+00:00 gpu-b python3 112 - - step 3 loss 2.2\n"
        "<29>1 2025-10-09T08:53:24.127456+00:00 gpu-b systemd 1 - - train-worker-1.service: Main process exited, code=killed, status=9/KILL\n"
        "<28>1 2025-10-09T08:53:24.128456+00:00 gpu-b systemd 1 - - train-worker-1.service: Failed with result 'signal'.\n"
        "<6>1 2025-10-09T08:53:25.123456+00:00 gpu-b kernel - - - usb 1-1: new high-speed USB device number 2 using xhci_hcd\n"
    ),
    # https://grafana.com/docs/loki/latest/query/logcli/getting-started/
    "loki-logcli": '2025-10-09T08:53:24Z {container="tensorflow", node_name="ip-10-188-36-172", pod="gpu-b", stream="stdout"}  step 3 loss 2.2\n',
    # https://docs.splunk.com/Documentation/Splunk/latest/RESTREF/RESTsearch
    "splunk-json": '{"preview":false,"offset":3,"result":{"_raw":"step 3 loss 2.2","_time":"2025-10-09 08:53:24.123 UTC","host":"gpu-b"',
    # https://github.com/elastic/kibana/tree/main/src/platform/packages/private/kbn-generate-csv
    "kibana-csv": (
        '"@timestamp","kubernetes.pod.name","kubernetes.container.name",stream,message\n'
        '"Oct 9, 2025 @ 08:53:26.123","gpu-a",tensorflow,stderr,"tensorflow.python.framework.errors_impl.UnavailableError: Connection reset by peer"\n'
    ),
    # https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_AnalyzeLogData_RunSampleQuery.html
    "cloudwatch-insights": "@timestamp,@message,@logStream\n2025-10-09 08:53:26.123,tensorflow.python",
    # https://docs.ray.io/en/latest/ray-observability/user-guides/configure-logging.html
    "ray-job": "\x1b[36m(TrainWorker pid=112, ip=10.77.0.12)\x1b[0m step 1 loss 2.5\n",
}


@pytest.mark.parametrize("name", SAMPLES)
def test_lines_are_written_as_documented(name: str) -> None:
    assert SAMPLES[name] in text_of(name)


def test_a_long_line_is_cut_into_partial_records_of_cri() -> None:
    long = ReceivedLine(START, "worker-0", "out", b"a" * 16384 + b"b" * 16384 + b"c")
    run = tiny_run().replace(lines=(long,))
    records = only(render("kube-pod-files", run), "_gpu-a_4862aeec-1b2f-4270-ae14-ad753c9ab082/tensorflow/0.log")
    assert [record[30:46] for record in records.splitlines()] == [
        b" stdout P aaaaaa",
        b" stdout P bbbbbb",
        b" stdout F c",
    ]


def test_a_long_line_is_cut_into_records_of_docker_without_line_feed() -> None:
    run = tiny_run().replace(lines=(ReceivedLine(START, "worker-0", "out", b"a" * 16384 + b"b"),))
    rows = [
        json.loads(record)["log"]
        for path, content in render("docker-json-file", run).items()
        if path.endswith("-json.log")
        for record in content.splitlines()
    ]
    assert rows == ["a" * 16384, "b\n"]


def test_the_journal_writes_bytes_with_their_length() -> None:
    """https://github.com/systemd/systemd/blob/main/docs/JOURNAL_EXPORT_FORMATS.md"""
    text = b"not UTF-8: \xff\xfe, and \x1b[31mred\x1b[0m"
    content = only(render("journald-export"), "gpu-a.export")
    assert b"\nMESSAGE\n" + struct.pack("<Q", len(text)) + text + b"\n\n" in content
    assert b'\nMESSAGE=step 1 loss 2.5 "quoted", \\ back\tslash and comma\n\n' in content
    assert content.startswith(b"__CURSOR=s=") and b"\n__REALTIME_TIMESTAMP=1760000000122456\n" in content


def test_the_journal_writes_bytes_as_numbers_in_json() -> None:
    rows = [json.loads(row) for row in only(render("journald-json"), "gpu-a/journal.json").splitlines()]
    assert list(b"not UTF-8: \xff\xfe, and \x1b[31mred\x1b[0m") in [row["MESSAGE"] for row in rows]


def test_cloud_logging_has_the_newest_entry_first() -> None:
    """https://cloud.google.com/logging/docs/reference/v2/rest/v2/LogEntry"""
    entry = json.loads(only(render("gcloud-json"), "logs.json"))[0]
    assert sorted(entry) == list(entry)
    assert entry["severity"] == "ERROR" and entry["timestamp"] == "2025-10-09T08:53:26.123456789Z"
    assert entry["resource"]["type"] == "k8s_container" and entry["resource"]["labels"]["pod_name"] == "gpu-a"


def test_exported_streams_of_cloudwatch_are_packed() -> None:
    """https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/S3ExportTasksConsole.html"""
    files = render("cloudwatch-s3-export")
    assert files["exportedlogs/aws-logs-write-test"] == b"Permission Check Successful"
    first = next(content for path, content in files.items() if path.endswith("/000000.gz"))
    assert gzip.decompress(first).startswith(b"2025-10-09T08:53:21.123Z 2025-10-09 08:53:21.123456: I tensorflow")


def killed_by_kernel() -> Run:
    run = tiny_run()
    kill = ReceivedLine(
        START + 4 * SECOND, "kernel@gpu-b", "out", b"Memory cgroup out of memory: Killed process 112 (python3)"
    )
    return run.replace(lines=tuple(sorted((*run.lines, kill), key=lambda line: line.time_ns)))


def _state(run: Run) -> dict[str, object]:
    files = render("kube-must-gather", run)
    pod = yaml.safe_load(only(files, "/pods/gpu-b/gpu-b.yaml"))
    state = pod["status"]["containerStatuses"][0]["state"]
    assert isinstance(state, dict)
    return state


def test_the_kubelet_states_how_a_container_ended() -> None:
    """https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/"""
    ended = _state(tiny_run())["terminated"]
    assert isinstance(ended, dict) and (ended["exitCode"], ended["reason"]) == (137, "Error")
    ended = _state(killed_by_kernel())["terminated"]
    assert isinstance(ended, dict) and (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")


def test_a_process_that_still_runs_has_no_end() -> None:
    run = tiny_run()
    still = [
        dataclasses.replace(process, ended_ns=None, signal=None) if process.name == "worker-1" else process
        for process in run.processes
    ]
    run = run.replace(processes=tuple(still))
    assert _state(run) == {"running": {"startedAt": "2025-10-09T08:53:20Z"}}
    inspected = only(render("docker-json-file", run), "172/docker-inspect.json")
    assert json.loads(inspected)[0]["State"]["Status"] == "running"
    assert b"gpu-b-1 exited" not in render("docker-compose-up", run)["train.log"]
    assert b"train-worker-1.service: Main" not in render("journald-short", run)["gpu-b/journal.txt"]
    assert b"Terminated" not in only(render("nomad", run), "fb497cfa.txt")


def test_local_times_are_the_hosts() -> None:
    hosts = tuple(Host(host.name, host.address, "Europe/Berlin") for host in tiny_run().hosts)
    run = tiny_run().replace(hosts=hosts)
    assert b"Oct 09 10:53:22 gpu-b python3[112]: step 1 loss 2.5" in render("journald-short", run)["gpu-b/journal.txt"]
    assert b"2025-10-09T10:53:22.123456796+02:00 stdout F step 1" in b"".join(render("podman-k8s-file", run).values())
    assert b"2025-10-09T08:53:22.123456796Z step 1" in only(render("docker-compose-logs", run), ".log")
