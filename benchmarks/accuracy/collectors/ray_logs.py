"""Ray: the session's log folders of all nodes, and a job's log with the workers' lines in it.

Files: https://docs.ray.io/en/latest/ray-observability/user-guides/configure-logging.html: worker-WORKER-JOB-PID.out and
.err on each node, job-driver-SUBMISSION.log on the head. The driver's log gets the workers' lines behind
`(NAME pid=PID)`, with `, ip=ADDRESS` for other nodes, in colours
(https://github.com/ray-project/ray/blob/master/python/ray/_private/worker.py, `print_worker_logs`); here with
RAY_DEDUP_LOGS=0. The driver is the job's launcher, and the head the host it runs on.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import join_lines, split_lines
from accuracy.collectors._stamps import first_ns, to_utc
from accuracy.identities import Identities
from accuracy.runs import Process, ReceivedLine, Run, Stream

ACTOR = "TrainWorker"
_WORKER = re.compile(r"([^/]+)/session_[^/]+/logs/worker-[0-9a-f]{56}-[0-9a-f]{8}-(\d+)\.(?:out|err)$")
_PREFIXED = re.compile(rb"\x1b\[\d+m\(\w+ pid=(\d+)(?:, ip=([\d.]+))?\)\x1b\[0m (.*)", re.DOTALL)
_MAGIC = re.compile(rb":(?:job_id:[0-9a-f]{8}|actor_name:\w+)$")
_CYAN = "\x1b[36m"


def is_of_job(run: Run, process: Process) -> bool:
    return process.role in ("task", "launcher")


def head_host(run: Run) -> str:
    launcher = next((process for process in run.processes if process.role == "launcher"), None)
    return launcher.host if launcher else run.tasks[0].host if run.tasks else run.hosts[0].name


def submission(identities: Identities) -> str:
    return f"raysubmit_{identities.digest('submission', length=16)}"


def session(run: Run, identities: Identities, host: str) -> str:
    """All nodes name it after the head's start."""
    began = first_ns(run) - 300 * 10**9
    micros, pid = began // 1000 % 10**6, identities.number(20, 900, "head")
    return f"{host}/session_{to_utc(began):%Y-%m-%d_%H-%M-%S}_{micros:06d}_{pid}"


def _worker_file(run: Run, identities: Identities, process: Process, stream: Stream) -> str:
    worker = identities.digest("ray worker", process.name, length=56)
    return f"{session(run, identities, process.host)}/logs/worker-{worker}-02000000-{process.pid}.{stream}"


def render_session(run: Run, identities: Identities, chance: random.Random) -> Files:
    """/tmp/ray/session_* of each node. Both files of a worker begin with its job and its actor's name."""
    files: dict[str, bytes] = {}
    streams: tuple[Stream, ...] = ("out", "err")
    for process in run.tasks:
        for stream in streams:
            magic = f":job_id:02000000\n:actor_name:{ACTOR}\n".encode()
            path = _worker_file(run, identities, process, stream)
            files[path] = magic + join_lines(run.lines_of(process.name, stream))
    driver = f"{session(run, identities, head_host(run))}/logs/job-driver-{submission(identities)}.log"
    files[driver] = join_lines(_launcher_lines(run))
    return files


def _launcher_lines(run: Run) -> list[ReceivedLine]:
    return [line for line in run.lines if run.by_name[line.process].role == "launcher"]


def _group_session(run: Run, process: Process) -> str:
    return "driver" if process.role == "launcher" else f"{process.host}/{process.pid}"


def read_session(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if match := _WORKER.match(path):
            name = f"{match[1]}/{match[2]}"
            yield from ((name, text) for text in split_lines(content) if not _MAGIC.match(text))
        elif "/job-driver-" in path:
            yield from (("driver", text) for text in split_lines(content))


def _place(run: Run, process: Process) -> str:
    address = next(host.address for host in run.hosts if host.name == process.host)
    return f"pid={process.pid}" + ("" if process.host == head_host(run) else f", ip={address}")


def _replace_invalid(text: bytes) -> bytes:
    """As Python does: Ray's log monitor decodes what workers wrote."""
    return text.decode("utf-8", "replace").encode()


def render_job(run: Run, identities: Identities, chance: random.Random) -> Files:
    """ray job logs SUBMISSION, which is the driver's log"""
    tasks = run.tasks
    heads = {process.name: f"{_CYAN}({ACTOR} {_place(run, process)})\x1b[0m ".encode() for process in tasks}
    parts = [
        heads.get(line.process, b"") + _replace_invalid(line.text) + b"\n"
        for line in run.lines
        if run.by_name[line.process].role in ("task", "launcher")
    ]
    return {f"job-driver-{submission(identities)}.log": b"".join(parts)}


def _group_job(run: Run, process: Process) -> str:
    return "driver" if process.role == "launcher" else _place(run, process)


def read_job(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        for record in split_lines(content):
            if match := _PREFIXED.fullmatch(record):
                address = f", ip={match[2].decode()}" if match[2] else ""
                yield f"pid={match[1].decode()}{address}", match[3]
            else:
                yield "driver", record


COLLECTORS = (
    Collector(
        "ray-session",
        render_session,
        read_session,
        carries=frozenset({"lines", "launcher"}),
        keeps=is_of_job,
        group=_group_session,
        stamps=False,
        ordered=False,  # what came from standard output and from standard error is in two files
    ),
    Collector(
        "ray-job",
        render_job,
        read_job,
        carries=frozenset({"lines", "launcher"}),
        keeps=is_of_job,
        group=_group_job,
        escape=_replace_invalid,
        stamps=False,
    ),
)
