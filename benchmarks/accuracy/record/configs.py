"""TF_CONFIG of each task, and what can be wrong in it."""

from __future__ import annotations

import json
from typing import Any

from accuracy.record.reuse import IN_ALL_CONFIGS, IN_CONFIG
from accuracy.record.rows import RunPlan

PORT = 2222


def cluster_of(row: RunPlan) -> dict[str, list[str]]:
    cluster: dict[str, list[str]] = {}
    for task in row.members:
        job, host = task.partition(":")[0], row.host_of(task)
        cluster.setdefault(job, []).append(f"{host}:{port_of(row, task)}")
    return cluster


def port_of(row: RunPlan, task: str) -> int:
    return PORT + row.members.index(task) % row.per_host


def config_of(row: RunPlan, task: str) -> str | None:
    """Its text; None where the task has none."""
    job, index = task.split(":")
    config: dict[str, Any] = {"cluster": cluster_of(row), "task": {"type": job, "index": int(index)}}
    name = row.config_all or (row.config if task == row.culprit else "")
    if not name:
        return json.dumps(config)
    if name in OWN:
        return OWN[name](config)
    plan = {"culprit": row.culprit}
    spoil = {**IN_ALL_CONFIGS, **IN_CONFIG}[name]
    return str(spoil(config, plan))


def _missing_host(config: dict[str, Any]) -> str:
    """The last member's host name has a typing error."""
    job = config["task"]["type"]
    members = config["cluster"][job]
    host, _, port = members[-1].rpartition(":")
    return json.dumps({**config, "cluster": {**config["cluster"], job: [*members[:-1], f"{host}-new:{port}"]}})


def _swapped(config: dict[str, Any]) -> str:
    """Its own order of members, as an unsorted list of hosts gives it."""
    job = config["task"]["type"]
    members = config["cluster"][job]
    return json.dumps({**config, "cluster": {**config["cluster"], job: [members[1], members[0], *members[2:]]}})


def _other_port(config: dict[str, Any]) -> str:
    """The port of an earlier job, for everybody but itself."""
    job, index = config["task"]["type"], config["task"]["index"]
    cluster = {
        name: [
            address if (name, i) == (job, index) else address.rpartition(":")[0] + ":2322"
            for i, address in enumerate(members)
        ]
        for name, members in config["cluster"].items()
    }
    return json.dumps({**config, "cluster": cluster})


def _fewer(config: dict[str, Any]) -> str:
    job = config["task"]["type"]
    return json.dumps({**config, "cluster": {**config["cluster"], job: config["cluster"][job][:-1]}})


def _without_task(config: dict[str, Any]) -> str:
    return json.dumps({"cluster": config["cluster"]})


def _type_unknown(config: dict[str, Any]) -> str:
    return json.dumps({**config, "task": {**config["task"], "type": "trainer"}})


def _index_text(config: dict[str, Any]) -> str:
    return json.dumps(config).replace('"index": ', '"index": "${SLURM_PROCID}" #')


def _single_quotes(config: dict[str, Any]) -> str:
    return str(config)


OWN = {
    "none": lambda config: None,
    "empty": lambda config: "",
    "missing-host": _missing_host,
    "swapped": _swapped,
    "other-port": _other_port,
    "fewer": _fewer,
    "without-task": _without_task,
    "type-unknown": _type_unknown,
    "index-text": _index_text,
    "single-quotes": _single_quotes,
}
