"""What to replay: the fault, whom it hits and when, scaled down from what the incident knows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import yaml

from analyzer.errors import UsageError
from analyzer.resources import templates_dir

Json = Mapping[str, Any]
MULTI_WORKER = "MultiWorkerMirroredStrategy"
PARAMETER_SERVER = "ParameterServerStrategy"
STEP = 5  # the fault's step where the incident's is unknown or later: a replay need not train for hours
SIGKILL = 9
_SHAPE = re.compile(r"(?:shape:? ?)?[\[(](\d+(?:, ?\d+)*),?[\])]")
_EXCEPTION = re.compile(r"^(?P<type>(?:\w+\.)*[A-Z]\w*): ?(?P<message>.*)")


@dataclass(frozen=True, slots=True)
class ReplayPlan:
    """Everything that worker.py reads, and what the replay is compared with.

    `cause` and `culprit` are what the analyzer is expected to find in the replay; `incident_cause` and
    `signature` are the incident's. `notes` say what is not the same.
    """

    fault: str
    strategy: str
    cluster: Mapping[str, int]
    culprit: str
    cause: str
    incident_cause: str
    signature: str
    step: int = STEP
    details: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def settings(self) -> dict[str, object]:
        """The keys of plan.yaml; seconds for times."""
        common: dict[str, object] = {
            "fault": self.fault,
            "strategy": self.strategy,
            "communication": "RING",
            "cluster": dict(self.cluster),
            "culprit": self.culprit,
            "step": self.step,
            "steps": self.step + 7,
            "pace": 0.05,
            "shape": [4],
            "heartbeat": 4,
            "collective_timeout": 30,
            "limit": 90,
            "patience": 20,
        }
        return {
            **common,
            **self.details,
            "expected_cause": self.cause,
            "incident_cause": self.incident_cause,
            "incident_signature": self.signature,
        }


def replayable_causes() -> Mapping[str, Json]:
    """Cause id → how it is replayed; see templates/replay/faults.yaml."""
    return cast(Mapping[str, Json], yaml.safe_load((templates_dir() / "replay" / "faults.yaml").read_text("utf-8")))


def plan_replay(incident: Json, cause: int = 0, analogue: bool = False) -> ReplayPlan:
    """A plan for the root cause number `cause` (0 is the likeliest).

    A cause that needs what one machine without root or GPU lacks gets a plan with `analogue` alone. Raises UsageError
    where none can be replayed.
    """
    roots = incident.get("root_causes") or []
    if cause >= len(roots):
        raise UsageError(
            f"the incident has {len(roots)} root causes, so number {cause + 1} cannot be replayed",
            "replay needs an incident with the verdict 'diagnosed'",
        )
    root = roots[cause]
    recipe = _recipe(incident, root)
    if recipe.get("needs") and not analogue:
        raise UsageError(
            f"{root['cause']} cannot be replayed here: it needs {recipe['needs']}",
            f"--analogue replays what is nearest: {recipe['because']}",
        )
    cluster, culprit, strategy = _scale(incident, root, recipe)
    details = {**_details(recipe["fault"], root), **recipe.get("details", {})}
    return ReplayPlan(
        fault=recipe["fault"],
        strategy=strategy,
        cluster=cluster,
        culprit=culprit,
        cause=recipe.get("shows", root["cause"]),
        incident_cause=root["cause"],
        signature=str(incident.get("signature") or ""),
        step=_step(root),
        details=details,
        notes=tuple(_notes(recipe, root, incident, cluster)),
    )


def _recipe(incident: Json, root: Json) -> Json:
    """The cause's own, with what the rule says of fault and role; else that of a cause with the rule's fault.

    Raises UsageError where none of them is known.
    """
    recipes = replayable_causes()
    said = _hint(incident, root)
    fault = said.get("fault")
    recipe = recipes.get(root["cause"])
    if fault and (recipe is None or recipe["fault"] != fault):
        alike = ((cause, each) for cause, each in recipes.items() if each["fault"] == fault)
        cause, recipe = next(alike, (root["cause"], None))
        if recipe is None:
            raise UsageError(
                f"the rule {root.get('rule')} is replayed by the fault {fault!r}, which is not known",
                "known are " + ", ".join(sorted({each["fault"] for each in recipes.values()})),
            )
        recipe = {"shows": cause, "because": f"The rule names the fault {fault}.", **recipe}
    if recipe is None:
        raise UsageError(
            f"{root['cause']} cannot be replayed here: no recipe knows it, and its rule names no fault",
            "what can be replayed: " + ", ".join(sorted(recipes)),
        )
    return {**recipe, "culprit": f"{said['role']}:0"} if said.get("role") and not root.get("task") else recipe


def _hint(incident: Json, root: Json) -> Json:
    """`replay` of the rule that found the cause: {fault, role}, or nothing."""
    for finding in incident.get("findings") or ():
        if finding.get("rule") == root.get("rule") and isinstance(finding.get("replay"), Mapping):
            return cast(Json, finding["replay"])
    return {}


def _scale(incident: Json, root: Json, recipe: Json) -> tuple[dict[str, int], str, str]:
    """Two or three workers with the culprit in its role: a leader stays the leader, the others are alike."""
    tasks = {task for node in incident.get("nodes") or () for task in node["tasks"]}
    culprit = str(recipe.get("culprit") or root.get("task") or "")
    with_servers = (
        recipe.get("strategy") == PARAMETER_SERVER
        or culprit.startswith("ps:")
        or (any(task.startswith("ps:") for task in tasks) and recipe["fault"] in ("killed", "exception"))
    )
    if with_servers:
        job = culprit.partition(":")[0]
        return {"chief": 1, "worker": 2, "ps": 1}, f"{job if job in ('chief', 'ps') else 'worker'}:0", PARAMETER_SERVER
    workers = int(recipe["workers"])
    leads = culprit in ("worker:0", "chief:0", "master:0") and recipe["fault"] != "unresolvable"
    return {"worker": workers}, "worker:0" if leads else f"worker:{workers - 1}", MULTI_WORKER


def _step(root: Json) -> int:
    step = str(root.get("captures", {}).get("step", ""))
    return max(2, min(STEP, int(step))) if step.isdigit() else STEP


def _details(fault: str, root: Json) -> dict[str, object]:
    """What the fault needs from the incident: the exception, the shapes, the signal."""
    captures: Mapping[str, str] = root.get("captures") or {}
    if fault == "exception":
        name, message = find_exception(root)
        return {"exception": name, "message": message}
    if fault == "shape-mismatch":
        shapes = find_shapes(root)
        first, odd = scale_shapes(shapes) if len(shapes) > 1 else ([4], [5])
        return {"shape": first, "odd_shape": odd}
    if fault == "allocation":
        shapes = find_shapes(root)
        return {"alloc_shape": enlarge(shapes[0] if shapes else [2**20])}
    if fault in ("corrupt-record", "missing-file"):
        return {"path": captures.get("path") or "missing.tfrecord"}
    if fault == "missing-library":
        return {"library": captures.get("library") or "libreplay-missing.so.1"}
    if fault == "killed":
        number = str(captures.get("signal", ""))
        return {"signal": int(number) if number.isdigit() and 0 < int(number) < 32 else SIGKILL}
    return {"signal": 19} if fault == "stopped" else {}


def _texts(root: Json) -> Iterator[str]:
    for evidence in root.get("evidence") or ():
        yield str(evidence.get("text") or "")
        yield from map(str, evidence.get("block") or ())


def find_exception(root: Json) -> tuple[str, str]:
    """Its type and message, from what the rule captured, else from the evidence's last line that reads like one."""
    captures = root.get("captures") or {}
    for key in ("exception", "type", "error"):
        if found := captures.get(key):
            return str(found), str(captures.get("message") or captures.get("reason") or "")
    for line in reversed([line for text in _texts(root) for line in re.split(r"[\r\n]", text)]):
        if match := _EXCEPTION.match(line.strip()):
            return match["type"], match["message"]
    return "RuntimeError", str(root.get("title") or "")


def find_shapes(root: Json) -> list[list[int]]:
    """Different shapes that the evidence names, in order."""
    found: list[list[int]] = []
    captured = [f"[{value}]" for key, value in (root.get("captures") or {}).items() if "shape" in key]
    for text in (*captured, *_texts(root)):
        for match in _SHAPE.finditer(text):
            if (shape := [int(size) for size in match[1].split(",")]) not in found:
                found.append(shape)
    return found


def scale_shapes(shapes: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """The first two shapes with small sizes: equal sizes stay equal and different ones different."""
    first, odd = list(shapes[0]), list(shapes[1])
    if max(first) <= 8 and max(odd) <= 8:
        return first, odd
    small = {size: rank + 2 for rank, size in enumerate(sorted({*first, *odd}))}
    return [small[size] for size in first], [small[size] for size in odd]


def enlarge(shape: Sequence[int]) -> list[int]:
    """A shape of so many floats that no machine has them: size is the point, and this machine may be larger."""
    wanted = 2**43  # bytes
    larger, size = list(shape), 4
    for each in shape:
        size *= max(each, 1)
    larger[0] = max(larger[0], 1) * max(1, -(-wanted // max(size, 1)))
    return larger


def _notes(recipe: Json, root: Json, incident: Json, cluster: Mapping[str, int]) -> Iterator[str]:
    if needs := recipe.get("needs"):
        yield f"{root['cause']} itself cannot be replayed here: it needs {needs}."
    if because := recipe.get("because"):
        yield str(because)
    tasks = {task for node in incident.get("nodes") or () for task in node["tasks"]}
    if len(tasks) > sum(cluster.values()):
        yield f"Scaled down from {len(tasks)} tasks to {sum(cluster.values())}."
    if root.get("task") is None:
        yield "The incident does not say which task was at fault; the replay puts the fault on the last worker."
