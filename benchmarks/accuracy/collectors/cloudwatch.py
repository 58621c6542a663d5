"""Amazon CloudWatch Logs: of AWS Batch (`filter-log-events`, the console's CSV, Logs Insights, S3) and of SageMaker.

`aws logs filter-log-events`: https://docs.aws.amazon.com/cli/latest/reference/logs/filter-log-events.html. The CSV of
"Download search results" has `timestamp,message`; Logs Insights gives what the query names, newest first:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_AnalyzeLogData_RunSampleQuery.html. Export to S3:
https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/S3ExportTasksConsole.html. Batch's streams are named
DEFINITION/default/ECS-TASK: https://docs.aws.amazon.com/batch/latest/userguide/using_awslogs.html; its jobs:
https://docs.aws.amazon.com/cli/latest/reference/batch/describe-jobs.html. SageMaker's streams are JOB/algo-N-TIME:
https://docs.aws.amazon.com/sagemaker/latest/dg/logging-cloudwatch.html.
Times are to the millisecond, and no event is empty.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import (
    command_of,
    containers,
    environment_of,
    is_task,
    name_image,
    split_lines,
    was_oom_killed,
)
from accuracy.collectors._stamps import first_ns, iso, to_utc
from accuracy.collectors._utf8 import decode, dump, replace_invalid
from accuracy.collectors.elastic import sort_newest_first, task_lines
from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run

_SPECIAL = re.compile('[",\r\n]')

Namer = Callable[[Identities, Process], str]


def _escape(text: bytes) -> bytes | None:
    return replace_invalid(text) if text else None


def _millis(time_ns: int) -> int:
    return time_ns // 10**6


def batch_stream(identities: Identities, process: Process) -> str:
    """Each attempt is an ECS task of its own."""
    return f"{identities.job}/default/{identities.container(process)[:32]}"


def algo(identities: Identities, process: Process) -> str:
    hosts = list(dict.fromkeys(task.host for task in identities.run.tasks))
    return f"algo-{hosts.index(process.host) + 1}"


def sagemaker_job(identities: Identities) -> str:
    """As the SDK names jobs: the image and the time of submission."""
    submitted = to_utc(first_ns(identities.run) - 183 * 10**9)
    return f"tensorflow-training-{submitted:%Y-%m-%d-%H-%M-%S}-{identities.number(100, 999, 'ms')}"


def sagemaker_stream(identities: Identities, process: Process) -> str:
    began = min(task.started_ns for task in identities.run.tasks if task.host == process.host)
    return f"{sagemaker_job(identities)}/{algo(identities, process)}-{began // 10**9 - 41}"


def _group_batch(run: Run, process: Process) -> str:
    return batch_stream(Identities(run), process)


def _group_sagemaker(run: Run, process: Process) -> str:
    return sagemaker_stream(Identities(run), process)


def _events(run: Run, identities: Identities, name: Namer) -> list[dict[str, Any]]:
    """Oldest first, of all streams; several on one host share SageMaker's."""
    events = []
    streams = {process.name: name(identities, process) for process in run.tasks}
    salt = identities.number(0, 2**80, "event")
    for number, (line, process) in enumerate(task_lines(run)):
        events.append(
            {
                "logStreamName": streams[process.name],
                "timestamp": _millis(line.time_ns),
                "message": decode(line.text),
                "ingestionTime": _millis(line.time_ns) + 412 + number % 5000,
                "eventId": f"{(_millis(line.time_ns) << 144) + (number << 80) + salt:056d}",
            }
        )
    return sorted(events, key=lambda event: event["timestamp"])


def render_events(run: Run, identities: Identities, chance: random.Random) -> Files:
    """aws logs filter-log-events --log-group-name /aws/batch/job, and aws batch describe-jobs"""
    answer = {"events": _events(run, identities, batch_stream), "searchedLogStreams": []}
    return {
        "log-events.json": dump(answer, indent=4) + b"\n",
        "describe-jobs.json": dump({"jobs": _jobs(run, identities)}, indent=4) + b"\n",
    }


def read_events(files: Files) -> Iterator[GroupLine]:
    for event in json.loads(files["log-events.json"])["events"]:
        yield event["logStreamName"], event["message"].encode()


def _jobs(run: Run, identities: Identities) -> list[dict[str, Any]]:
    """The nodes of a multi-node job."""
    digits = identities.digest("batch", length=32)
    parent = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    rows = []
    for index, container in enumerate(containers(run)):
        process = container.last
        environment = environment_of(run, process).items()
        running = process.ended_ns is None
        status = "RUNNING" if running else "FAILED" if process.shell_status else "SUCCEEDED"
        rows.append(
            {
                "jobName": identities.job,
                "jobId": f"{parent}#{index}",
                "status": status,
                "attempts": [
                    _attempt(run, identities, attempt) for attempt in container.attempts if attempt.ended_ns is not None
                ],
                **({} if running else {"statusReason": "Essential container in task exited"}),
                "createdAt": _millis(container.attempts[0].started_ns) - 96_000,
                "startedAt": _millis(process.started_ns),
                **({} if process.ended_ns is None else {"stoppedAt": _millis(process.ended_ns)}),
                "container": {
                    "image": name_image(run),
                    "command": command_of(process),
                    "environment": [{"name": name, "value": value} for name, value in environment],
                    **({} if running else {"exitCode": process.shell_status or 0}),
                    "logStreamName": batch_stream(identities, process),
                },
                "nodeDetails": {"nodeIndex": index, "isMainNode": index == 0},
            }
        )
    return rows


def _attempt(run: Run, identities: Identities, process: Process) -> dict[str, Any]:
    reason = "OutOfMemoryError: Container killed due to memory usage"
    return {
        "container": {
            "exitCode": process.shell_status or 0,
            "logStreamName": batch_stream(identities, process),
            **({"reason": reason} if was_oom_killed(run, process) else {}),
        },
        "startedAt": _millis(process.started_ns),
        "stoppedAt": _millis(process.ended_ns or process.started_ns),
        "statusReason": "Essential container in task exited",
    }


def _format_csv(rows: Iterable[tuple[object, ...]]) -> bytes:
    return "".join(",".join(_quote(str(value)) for value in row) + "\n" for row in rows).encode()


def _quote(value: str) -> str:
    return '"' + value.replace('"', '""') + '"' if _SPECIAL.search(value) else value


def render_console(run: Run, identities: Identities, chance: random.Random) -> Files:
    """A stream's events as the console downloads them, each file renamed after its stream's node."""
    files = {}
    for container in containers(run):
        lines = [line for process in container.attempts for line in run.lines_of(process.name) if line.text]
        rows = [("timestamp", "message"), *((_millis(line.time_ns), decode(line.text)) for line in lines)]
        files[f"log-events-viewer-result-{_group_console(run, container.last)}.csv"] = _format_csv(rows)
    return files


def _group_console(run: Run, process: Process) -> str:
    shared = any(other.host == process.host and other.task != process.task for other in run.tasks)
    return f"{process.host}-{process.task.replace(':', '-')}" if shared else process.host


def read_console(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        name = path.removeprefix("log-events-viewer-result-").removesuffix(".csv")
        for row in csv.DictReader(io.StringIO(content.decode(), newline="")):
            yield name, row["message"].encode()


def render_insights(run: Run, identities: Identities, chance: random.Random) -> Files:
    """fields @timestamp, @message, @logStream | sort @timestamp desc"""
    rows = [("@timestamp", "@message", "@logStream")]
    for line, process in sort_newest_first(task_lines(run)):
        time = iso(line.time_ns, 3).replace("T", " ").removesuffix("Z")
        rows.append((time, decode(line.text), batch_stream(identities, process)))
    return {"logs-insights-results.csv": _format_csv(rows)}


def read_insights(files: Files) -> Iterator[GroupLine]:
    rows = list(csv.DictReader(io.StringIO(files["logs-insights-results.csv"].decode(), newline="")))
    for row in sorted(rows, key=lambda row: row["@timestamp"]):
        yield row["@logStream"], row["@message"].encode()


def _exported(lines: list[ReceivedLine]) -> bytes:
    return b"".join(
        f"{iso(line.time_ns, 3)} ".encode() + replace_invalid(line.text) + b"\n" for line in lines if line.text
    )


def render_export(run: Run, identities: Identities, chance: random.Random) -> Files:
    """aws logs create-export-task, then aws s3 cp --recursive. In names of folders `/` becomes `-`."""
    digits = identities.digest("export", length=32)
    task = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    files = {"exportedlogs/aws-logs-write-test": b"Permission Check Successful"}
    for process in run.tasks:
        stream = batch_stream(identities, process).replace("/", "-")
        path = f"exportedlogs/{task}/{stream}/000000.gz"
        files[path] = gzip.compress(_exported(run.lines_of(process.name)), mtime=0)
    return files


def _group_export(run: Run, process: Process) -> str:
    return _group_batch(run, process).replace("/", "-")


def read_export(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if path.endswith(".gz"):
            stream = path.split("/")[-2]
            for record in split_lines(gzip.decompress(content)):
                yield stream, record.partition(b" ")[2]


def render_sagemaker(run: Run, identities: Identities, chance: random.Random) -> Files:
    """aws logs filter-log-events --log-group-name /aws/sagemaker/TrainingJobs --log-stream-name-prefix JOB"""
    answer = {"events": _events(run, identities, sagemaker_stream), "searchedLogStreams": []}
    return {f"{sagemaker_job(identities)}.json": dump(answer, indent=4) + b"\n"}


def read_sagemaker(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        for event in json.loads(content)["events"]:
            yield event["logStreamName"], event["message"].encode()


def _name_batch(identities: Identities, process: Process) -> frozenset[str]:
    stream = batch_stream(identities, process)
    return frozenset((stream, stream.rpartition("/")[2]))


def _name_sagemaker(identities: Identities, process: Process) -> frozenset[str]:
    return frozenset((algo(identities, process), sagemaker_stream(identities, process)))


COLLECTORS = (
    Collector(
        "cloudwatch-events",
        render_events,
        read_events,
        carries=frozenset({"lines", "exit", "environment"}),
        keeps=is_task,
        ends=is_task,
        group=_group_batch,
        escape=_escape,
        names=_name_batch,
    ),
    Collector("cloudwatch-csv", render_console, read_console, keeps=is_task, group=_group_console, escape=_escape),
    Collector(
        "cloudwatch-insights",
        render_insights,
        read_insights,
        keeps=is_task,
        group=_group_batch,
        escape=_escape,
        names=_name_batch,
    ),
    Collector(
        "cloudwatch-s3-export",
        render_export,
        read_export,
        keeps=is_task,
        group=_group_export,
        escape=_escape,
        names=_name_batch,
    ),
    Collector(
        "sagemaker",
        render_sagemaker,
        read_sagemaker,
        keeps=is_task,
        group=_group_sagemaker,
        escape=_escape,
        names=_name_sagemaker,
    ),
)
