"""What is wrong in TF_CONFIG: (config, plan) -> text. IN_CONFIG is for the culprit's, IN_ALL_CONFIGS for all."""

from __future__ import annotations

import json

from job.names import HOST


def out_of_range(config, plan):
    return json.dumps({**config, "task": {**config["task"], "index": len(config["cluster"][config["task"]["type"]])}})


def duplicate(config, plan):
    """Another task's index with this task's address, as a second machine with a wrong index has it."""
    job, index = config["task"]["type"], config["task"]["index"]
    addresses = list(config["cluster"][job])
    addresses[index - 1] = addresses[index]
    return json.dumps({"cluster": {**config["cluster"], job: addresses}, "task": {"type": job, "index": index - 1}})


def no_json(config, plan):
    return json.dumps(config)[:-2]


def one_more_member(config, plan):
    """The cluster of an earlier job, which had one worker more."""
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
    """TF_CONFIG of one task; none where the strategy has one process."""
    if plan["strategy"] == "MirroredStrategy":
        return ""
    job, index = task.split(":")
    config = {"cluster": addresses, "task": {"type": job, "index": int(index)}}
    spoil = IN_ALL_CONFIGS.get(plan["fault"]) or (IN_CONFIG.get(plan["fault"]) if task == plan["culprit"] else None)
    return spoil(config, plan) if spoil and not control else json.dumps(config)
