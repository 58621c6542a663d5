"""Choose the fault that reproduces a cause, and its settings, from faults.yaml, the rule and the evidence."""

from __future__ import annotations

import logging
import math
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import cast

import yaml

from analyzer.errors import UsageError
from analyzer.replay.evidence import (
    Json,
    enlarge_shape,
    evidence_texts,
    find_exception,
    find_shapes,
    has_two_collectives,
    scale_shapes,
)
from analyzer.replay.parameters import root_captures, to_cause, to_exception, to_signal, to_text
from analyzer.resources import templates_dir

_log = logging.getLogger("analyzer.replay")

SIGKILL, SIGSTOP = 9, 19
CGROUP_HEADROOM_BYTES = 256 * 2**20  # bytes in addition to the memory that a fork shares with its launcher


def replayable_causes() -> Mapping[str, Json]:
    """Return cause id → its recipe; see templates/replay/faults.yaml."""
    return cast(Mapping[str, Json], _documents()[1])


def local_faults() -> frozenset[str]:
    """Return the faults of a single process, which are replayed under every strategy."""
    return frozenset(cast(list[str], _documents()[0]))


def default_settings() -> dict[str, object]:
    return cast(dict[str, object], yaml.safe_load((templates_dir() / "replay" / "defaults.yaml").read_text("utf-8")))


@cache
def _documents() -> tuple[object, ...]:
    return tuple(yaml.safe_load_all((templates_dir() / "replay" / "faults.yaml").read_text("utf-8")))


def choose_recipe(incident: Json, root: Json) -> Json:
    """Return the recipe of the cause. If the rule names another fault, return the recipe of a cause with that fault.

    The rule may also name the role of the culprit. Raises UsageError if no recipe fits.
    """
    recipes = replayable_causes()
    rule_hint = _rule_hint(incident, root)
    fault = rule_hint.get("fault")
    recipe = recipes.get(root["cause"])
    if fault and (recipe is None or recipe["fault"] != fault):
        with_same_fault = (
            (cause, other_recipe) for cause, other_recipe in recipes.items() if other_recipe["fault"] == fault
        )
        cause, recipe = next(with_same_fault, (root["cause"], None))
        if recipe is None:
            raise UsageError(
                f"the rule {to_text(root.get('rule'))} names the unknown replay fault {to_text(fault)!r}",
                "known are " + ", ".join(sorted({other_recipe["fault"] for other_recipe in recipes.values()})),
            )
        reason = f"The rule names the fault {fault}. {recipe.get('because', '')}".strip()
        recipe = {"shows": cause, **recipe, "because": reason}
    if recipe is None:
        raise UsageError(
            f"{to_cause(root['cause'])} cannot be replayed: it has no recipe, and its rule names no fault",
            "these causes can be replayed:  " + ", ".join(sorted(recipes)),
        )
    recipe = _adapt_recipe(recipe, root)
    return {**recipe, "culprit": f"{rule_hint['role']}:0"} if rule_hint.get("role") and not root.get("task") else recipe


def _rule_hint(incident: Json, root: Json) -> Json:
    """Return the `replay` hint of the rule that found the cause: {fault, role}, or nothing."""
    for finding in incident.get("findings") or ():
        if finding.get("rule") == root.get("rule") and isinstance(finding.get("replay"), Mapping):
            return cast(Json, finding["replay"])
    return {}


def _adapt_recipe(recipe: Json, root: Json) -> Json:
    """Return the recipe for the case that the evidence matches, or its substitute if this machine
    lacks what it needs.
    """
    root_text = "\n".join([str(root.get("title") or ""), *evidence_texts(root)])
    for case in recipe.get("cases") or ():
        if re.search(case["says"], root_text) if "says" in case else EVIDENCE_TESTS[case["seen"]](root):
            _log.debug("replay of %s: the evidence matches the case %s", root.get("cause"), case)
            recipe = {**recipe, **case}
            break
    if (requirement := recipe.get("asks")) and not CAPABILITY_TESTS[requirement]():
        _log.info("this machine has no %s: the replay uses a substitute, %s", requirement, recipe["otherwise"])
        recipe = {**recipe, **recipe["otherwise"]}
    return recipe


EVIDENCE_TESTS: Mapping[str, Callable[[Json], bool]] = {"two collectives": has_two_collectives}


def _can_use_memory_cgroups() -> bool:
    top = Path("/sys/fs/cgroup")
    if (top / "memory").is_dir():
        return os.access(top / "memory", os.W_OK)
    control = top / "cgroup.subtree_control"
    return os.access(control, os.W_OK) and "memory" in control.read_text("ascii").split()


def _can_use_networks() -> bool:
    return bool(shutil.which("nsenter")) and _can_run_in_namespace(
        "--net", "ip", "link", "add", "bridge0", "type", "bridge"
    )


def _can_mount() -> bool:
    return _can_run_in_namespace("--mount", "mount", "-t", "tmpfs", "tmpfs", "/dev/shm")


def _can_run_in_namespace(*command: str) -> bool:
    """Return whether the command works in its own user namespace, in which an ordinary user may be root."""
    user_namespace_options = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    try:
        return not subprocess.run(["unshare", *user_namespace_options, *command], capture_output=True).returncode
    except FileNotFoundError:
        return False


CAPABILITY_TESTS: Mapping[str, Callable[[], bool]] = {
    "memory cgroups": _can_use_memory_cgroups,
    "mounts": _can_mount,
    "networks": _can_use_networks,
}


def fault_details(fault: str, root: Json) -> dict[str, object]:
    """Return the fault's parameters: the exception, shapes or signal of the incident."""
    return DETAILS_BY_FAULT[fault](root) if fault in DETAILS_BY_FAULT else {}


def _exception_details(root: Json) -> dict[str, object]:
    name, message = find_exception(root)
    return {"exception": to_exception(name), "message": to_text(message)}


def _odd_shape_details(root: Json) -> dict[str, object]:
    shapes = find_shapes(root)
    shape, odd_shape = scale_shapes(shapes) if len(shapes) > 1 else ([4], [5])
    return {"shape": shape, "odd_shape": odd_shape}


def _two_collectives_details(root: Json) -> dict[str, object]:
    """Return parameters that make all tasks except the culprit call the larger collective first."""
    first, second = sorted(scale_shapes(find_shapes(root)), key=math.prod, reverse=True)
    return {"shape": first, "second_shape": second}


DETAILS_BY_FAULT: Mapping[str, Callable[[Json], dict[str, object]]] = {
    "allocation": lambda root: {"alloc_shape": enlarge_shape((find_shapes(root) or [[2**20]])[0])},
    "dtype-mismatch": lambda root: {"odd_dtype": "float64"},
    "exception": _exception_details,
    "killed": lambda root: {"signal": to_signal(root_captures(root).get("signal"), SIGKILL)},
    "memory-cgroup": lambda root: {"cgroup_bytes": CGROUP_HEADROOM_BYTES},
    "order-mismatch": _two_collectives_details,
    "shape-mismatch": _odd_shape_details,
    "stopped": lambda root: {"signal": SIGSTOP},
}
