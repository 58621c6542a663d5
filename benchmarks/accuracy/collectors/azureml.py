"""Azure Machine Learning: what `az ml job download` and `az ml job show` give of a job with TensorFlow's distribution.

Standard output and error of each process are in user_logs/std_log_process_RANK.txt:
https://learn.microsoft.com/en-us/azure/machine-learning/how-to-log-view-metrics. The job:
https://learn.microsoft.com/en-us/azure/machine-learning/reference-yaml-job-command.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._containers import command_of, containers, is_task, join_lines, split_lines
from accuracy.collectors._stamps import first_ns, iso
from accuracy.collectors._utf8 import dump
from accuracy.identities import Identities
from accuracy.runs import Process, Run

_LOG = re.compile(r"user_logs/std_log_process_(\d+)\.txt$")
_ADJECTIVES = ("olive", "keen", "frosty", "good", "plucky", "sincere", "tidy", "upbeat")
_NOUNS = ("lemon", "sponge", "pear", "yuca", "garage", "wolf", "drawer", "kettle")


def job_name(identities: Identities) -> str:
    """As the service names jobs that have no name: adjective_noun_characters."""
    first, second = identities.number(0, 8, "adjective"), identities.number(0, 8, "noun")
    return f"{_ADJECTIVES[first]}_{_NOUNS[second]}_{identities.digest('azure', length=10)}"


def render(run: Run, identities: Identities, chance: random.Random) -> Files:
    root = f"{job_name(identities)}/artifacts/user_logs"
    files = {}
    for container in containers(run):
        lines = [line for process in container.attempts for line in run.lines_of(process.name)]
        files[f"{root}/std_log_process_{identities.rank(container.last)}.txt"] = join_lines(lines)
    return {**files, "job.json": dump(_job(run, identities), indent=2) + b"\n"}


def _job(run: Run, identities: Identities) -> dict[str, object]:
    last = [container.last for container in containers(run)]
    kinds = [process.task.partition(":")[0] for process in last]
    status = "Completed"
    if any(process.shell_status for process in last if process.ended_ns is not None):
        status = "Failed"
    elif any(process.ended_ns is None for process in last):
        status = "Running"
    return {
        "command": " ".join(command_of(last[0])) if last else "",
        "compute": "azureml:gpu-cluster",
        "creation_context": {
            "created_at": iso(first_ns(run) - 251 * 10**9, 6).replace("Z", "+00:00"),
            "created_by": identities.user,
            "created_by_type": "User",
        },
        "display_name": identities.job,
        "distribution": {
            "parameter_server_count": kinds.count("ps"),
            "type": "tensorflow",
            "worker_count": len(kinds) - kinds.count("ps"),
        },
        "environment": f"azureml:tensorflow-{run.tensorflow.rpartition('.')[0]}@latest",
        "experiment_name": identities.namespace,
        "name": job_name(identities),
        "resources": {"instance_count": len({process.host for process in last}), "shm_size": "2g"},
        "status": status,
        "type": "command",
    }


def _group(run: Run, process: Process) -> str:
    return str(Identities(run).rank(process))


def read_back(files: Files) -> Iterator[GroupLine]:
    for path, content in files.items():
        if match := _LOG.search(path):
            yield from ((match[1], text) for text in split_lines(content))


COLLECTORS = (
    Collector(
        "azure-ml",
        render,
        read_back,
        keeps=is_task,
        group=_group,
        stamps=False,
    ),
)
