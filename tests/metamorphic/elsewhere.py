"""The same fault on another day, in another network, with other processes, in a larger job."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from . import stamps
from .case import Case, Transformation, decode, encode, is_text, texts, with_files
from .names import rename_nodes, rename_nodes_in_any_order

_PRIVATE = re.compile(r"(?<![\d.])(?:10|172|192)\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?![\d.]*\d)")
_PORT = re.compile(r"""["'][\w.-]+:(\d{4,5})["']""")
_PROCESS = re.compile(r"(?:\.\d{6}\s+|\bpid[ =:]{1,2}|\w\[|Killed process )(\d{2,7})(?=[\s\],)])")


def move_addresses(case: Case, random: Random) -> Case | None:
    step = random.randint(1, 250)
    return _change_texts(case, lambda text: _PRIVATE.sub(rf"10.{step}.\2.\3", text), f"10.{step}")


def move_ports(case: Case, random: Random) -> Case | None:
    """The ports that cluster specifications name."""
    ports = {port for _, data in texts(case) for port in _PORT.findall(decode(data))}
    others = dict(zip(sorted(ports), map(str, random.sample(range(20_000, 60_000), len(ports))), strict=True))
    pattern = re.compile(r"(?<=:)(?:" + "|".join(others) + r")(?!\d)")
    return (
        _change_texts(case, lambda text: pattern.sub(lambda match: others[match[0]], text), str(others))
        if ports
        else None
    )


def other_processes(case: Case, random: Random) -> Case | None:
    """Process and thread ids, where prefixes and messages state them."""
    ids = {process_id for _, data in texts(case) for process_id in _PROCESS.findall(decode(data))}
    step = random.randint(1000, 90_000)
    pattern = re.compile(r"(?<![\w.:-])(?:" + "|".join(sorted(ids, key=len, reverse=True)) + r")(?![\w.:-])")
    return _change_texts(case, lambda text: pattern.sub(lambda match: str(int(match[0]) + step), text)) if ids else None


def another_day(case: Case, random: Random) -> Case | None:
    seconds = random.randint(-100, 100) * 86_400 + random.randint(-40_000, 40_000)
    changed = _change_texts(case, lambda text: stamps.shift(text, seconds), f"{seconds:+d} s")
    return replace(changed, mtime=max(0.0, case.mtime + seconds)) if changed else None


def grow_world(case: Case, random: Random) -> Case | None:
    """One more worker: a copy of an innocent one under a name, an address and an index of its own."""
    model = next((node for node in reversed(case.innocents) if node in case.homes.values()), None)
    members = _workers(case)
    if model is None or len(members) < 2 or not case.culprits:
        return None
    own = next((place for place, member in enumerate(members) if member.partition(":")[0] == model), None)
    if own is None:
        return None
    name, last, index = f"{model}-b7", members[-1], len(members)
    added = f"{name}:{last.rpartition(':')[2]}"
    longer = re.compile(r"(?P<quote>[\"'])" + re.escape(last) + r"(?P=quote)\]")
    files, homes, kinds = dict(case.files), dict(case.homes), dict(case.kinds)
    for path in case.files_of(model):
        text = decode(case.files[path]) if is_text(case.files[path]) else ""
        itself = rf"(?<=task_id = ){own}\b|(?<=\"index\": ){own}\b|(?<=(?:starting|.serving) worker:){own}\b"
        text = re.sub(itself, str(index), text)
        text = re.sub(rf"(?<![\w-]){re.escape(model)}(?![\w-])(?!:\d+[\"'])", name, text)
        copy = path.replace(model, name)
        files[copy], homes[copy], kinds[copy] = encode(text), name, case.kinds.get(path, "unknown")
    if len(files) == len(case.files):
        return None
    grown = {
        path: encode(
            longer.sub(rf"\g<quote>{last}\g<quote>, \g<quote>{added}\g<quote>]", decode(data)).replace(
                f"num_workers = {index},", f"num_workers = {index + 1},"
            )
        )
        for path, data in files.items()
        if is_text(data)
    }
    return replace(case, files={**files, **grown}, homes=homes, kinds=kinds, extra=name)


def _workers(case: Case) -> list[str]:
    """The workers of the first cluster that a TF_CONFIG file names."""
    for _, data in texts(case):
        try:
            config = json.loads(decode(data))
        except ValueError:
            continue
        if isinstance(config, dict) and isinstance(workers := config.get("cluster", {}).get("worker"), list):
            return list(map(str, workers))
    return []


def _change_texts(case: Case, change: Callable[[str], str], extra: str = "") -> Case | None:
    changed = {path: encode(change(decode(data))) for path, data in texts(case)}
    return with_files(case, changed, extra) if any(changed[path] != case.files[path] for path in changed) else None


ELSEWHERE: tuple[Transformation, ...] = (
    rename_nodes,
    rename_nodes_in_any_order,
    move_addresses,
    move_ports,
    other_processes,
    another_day,
    grow_world,
)
