"""Faults in TF_CONFIG: (config, plan) -> text. IN_CONFIG changes the culprit's TF_CONFIG, IN_ALL_CONFIGS that of all
tasks.
"""

from __future__ import annotations

import json

from job.names import HOST


def out_of_range(config, plan):
    return json.dumps({**config, "task": {**config["task"], "index": len(config["cluster"][config["task"]["type"]])}})


def duplicate(config, plan):
    """Return a TF_CONFIG with another task's index, as on a machine that was given a wrong index."""
    job, index = config["task"]["type"], config["task"]["index"]
    addresses = list(config["cluster"][job])
    addresses[index - 1] = addresses[index]
    return json.dumps({"cluster": {**config["cluster"], job: addresses}, "task": {"type": job, "index": index - 1}})


def no_json(config, plan):
    return json.dumps(config)[:-2]


def one_more_member(config, plan):
    """Return the cluster of an earlier job that had one more worker."""
    job = config["task"]["type"]
    host, _, port = config["cluster"][job][-1].rpartition(":")
    head, _, last = host.rpartition(".")
    more = f"{head}.{int(last) + 40}" if last.isdigit() else host + "-more"
    return json.dumps({**config, "cluster": {**config["cluster"], job: [*config["cluster"][job], f"{more}:{port}"]}})


def unresolvable(config, plan):
    cluster = {job: list(addresses) for job, addresses in config["cluster"].items()}
    job, index = plan["culprit"].split(":")
    cluster[job][int(index)] = HOST + ":" + cluster[job][int(index)].rpartition(":")[2]
    return json.dumps({**config, "cluster": cluster})


def localhost(config, plan):
    cluster = {
        job: ["localhost:" + address.rpartition(":")[2] for address in addresses]
        for job, addresses in config["cluster"].items()
    }
    return json.dumps({**config, "cluster": cluster})


IN_CONFIG = {
    "cluster-mismatch": one_more_member,
    "duplicate-index": duplicate,
    "index-out-of-range": out_of_range,
    "tf-config-invalid": no_json,
}
IN_ALL_CONFIGS = {"localhost-cluster": localhost, "unresolvable": unresolvable}


def config_of(plan: dict, addresses: dict, task: str, control: bool) -> str:
    """Return TF_CONFIG of one task; None if the strategy has one process."""
    if plan["strategy"] == "MirroredStrategy":
        return ""
    job, index = task.split(":")
    config = {"cluster": addresses, "task": {"type": job, "index": int(index)}}
    spoil = IN_ALL_CONFIGS.get(plan["fault"]) or (IN_CONFIG.get(plan["fault"]) if task == plan["culprit"] else None)
    return spoil(config, plan) if spoil and not control else json.dumps(config)
