"""Plan a replay: the fault, the task that it hits and the step, scaled down from the incident."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from analyzer.errors import UsageError
from analyzer.replay.evidence import Json
from analyzer.replay.job_modules import vocabulary
from analyzer.replay.parameters import root_captures, to_cause, to_number, to_signature, to_task
from analyzer.replay.recipe import choose_recipe, default_settings, fault_details, local_faults

_log = logging.getLogger("analyzer.replay")

MIRRORED = "MirroredStrategy"
MULTI_WORKER = "MultiWorkerMirroredStrategy"
PARAMETER_SERVER = "ParameterServerStrategy"
FAULT_STEP = 5  # step of the fault if that of the incident is unknown or later: a replay should not train for hours


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """Everything that worker.py reads, and the expected result of the replay.

    All values belong to the vocabulary of the job (`templates/replay/job/vocabulary.py`). The analyzer should find
    `cause` and `culprit` in the replay. `incident_cause` and `signature` are those of the incident. `notes` list the
    differences from the incident.
    """

    fault: str
    strategy: str
    cluster: Mapping[str, int]
    culprit: str
    cause: str
    incident_cause: str
    signature: str
    step: int = FAULT_STEP
    details: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def settings(self) -> dict[str, object]:
        """Return the content of plan.yaml; times are in seconds."""
        return {
            "fault": self.fault,
            "strategy": self.strategy,
            "cluster": dict(self.cluster),
            "culprit": self.culprit,
            "step": self.step,
            "steps": self.step + 7,
            **default_settings(),
            **self.details,
            "expected_cause": self.cause,
            "incident_cause": self.incident_cause,
            "incident_signature": self.signature,
            "notes": list(self.notes),
        }


def plan_replay(incident: Json, cause: int = 0, analogue: bool = False, other_python: str | None = None) -> ReplayPlan:
    """Return a plan for root cause number `cause` (0 is the most likely).

    Some causes need more than one machine without root rights and GPU has. They are planned only with `analogue`. A
    version skew needs `other_python`. Raises UsageError if the cause cannot be replayed.
    """
    roots = incident.get("root_causes") or []
    if cause >= len(roots):
        count = len(roots)
        hint = f"choose --cause from 1 to {count}" if count else "replay needs an incident with the verdict 'diagnosed'"
        raise UsageError(f"there is no root cause {cause + 1}: the incident has {count or 'none'}", hint)
    root = roots[cause]
    recipe = choose_recipe(incident, root)
    if recipe.get("needs") and not analogue:
        raise UsageError(
            f"{to_cause(root['cause'])} cannot be replayed here: it needs {recipe['needs']}",
            f"--analogue replays the nearest fault: {recipe['because']}",
        )
    cluster, culprit, strategy = _scale_cluster(incident, root, recipe)
    details = {**fault_details(recipe["fault"], root), **recipe.get("details", {})}
    if recipe["fault"] == "version-skew" and not other_python:
        raise UsageError(
            "a version skew cannot be replayed with one Python",
            "--other-python adds a second one, with another TensorFlow version, for the faulty task",
        )
    plan = ReplayPlan(
        fault=recipe["fault"],
        strategy=strategy,
        cluster=cluster,
        culprit=culprit,
        cause=recipe.get("shows", root["cause"]),
        incident_cause=to_cause(root["cause"]),
        signature=to_signature(incident.get("signature")),
        step=to_number(root_captures(root).get("step"), 2, FAULT_STEP, FAULT_STEP),
        details=details,
        notes=tuple(_plan_notes(recipe, root, incident, cluster, culprit)),
    )
    _log.info(
        "replay root cause %d (%s): fault %s on %s at step %d, %s with %s",
        cause + 1,
        plan.incident_cause,
        plan.fault,
        plan.culprit,
        plan.step,
        plan.strategy,
        ", ".join(f"{count} {role}" for role, count in plan.cluster.items()),
    )
    if problems := vocabulary().find_problems(plan.settings()):
        raise UsageError(
            f"no valid replay plan can be made from this incident: {'; '.join(problems[:3])}",
            "choose another root cause with --cause",
        )
    return plan


def _scale_cluster(incident: Json, root: Json, recipe: Json) -> tuple[dict[str, int], str, str]:
    """Return the tasks by role, the culprit and the strategy: two or three workers, the culprit in its own role.

    A culprit that leads stays the leader. A job of one process stays one process, with several logical devices.
    """
    nodes = incident.get("nodes") or ()
    tasks = {task for node in nodes for task in node["tasks"]}
    culprit = str(recipe.get("culprit") or root.get("task") or "")
    is_local = recipe["fault"] in local_faults()
    has_servers = any(task.startswith("ps:") for task in tasks) and (is_local or recipe["fault"] == "killed")
    if recipe.get("strategy") == PARAMETER_SERVER or culprit.startswith("ps:") or has_servers:
        role = culprit.partition(":")[0]
        return (
            {"chief": 1, "worker": 2, "ps": 1},
            f"{role if role in ('chief', 'ps') else 'worker'}:0",
            PARAMETER_SERVER,
        )
    if is_local and len(nodes) == 1 and not tasks and not culprit:
        return {"worker": 1}, "worker:0", MIRRORED
    workers = int(recipe["workers"])
    is_leader = culprit in ("worker:0", "chief:0", "master:0") and recipe["fault"] != "unresolvable"
    return {"worker": workers}, "worker:0" if is_leader else f"worker:{workers - 1}", MULTI_WORKER


def _plan_notes(recipe: Json, root: Json, incident: Json, cluster: Mapping[str, int], culprit: str) -> Iterator[str]:
    if needs := recipe.get("needs"):
        yield f"{to_cause(root['cause'])} cannot be replayed exactly here: it needs {needs}."
    if reason := recipe.get("because"):
        yield str(reason)
    tasks = {task for node in incident.get("nodes") or () for task in node["tasks"]}
    if len(tasks) > sum(cluster.values()):
        yield f"Scaled down from {len(tasks)} tasks to {sum(cluster.values())}."
    if root.get("task") not in (None, culprit):
        yield f"{to_task(root['task']) or 'The faulty task'} of the incident is {culprit} here."
    if root.get("task") is None and sum(cluster.values()) > 1:
        yield "The incident does not name the faulty task; the replay injects the fault into the last worker."
