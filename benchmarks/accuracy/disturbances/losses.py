"""Parts of a run that nobody handed in: a node, the culprit's node, and all but the ends of the logs."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Iterable

from accuracy.disturbances import Case, Disturbance
from accuracy.disturbances._runs import find_culprit_hosts, find_innocent_hosts
from accuracy.runs import Process, ReceivedLine

LAST_LINES = 200
TAIL_LINES = (15, 80)


def lose_node(case: Case, chance: random.Random) -> Case:
    """A host on which nobody is to blame is missing."""
    return _lose_hosts(case, [chance.choice(find_innocent_hosts(case.run))])


def lose_culprits_nodes(case: Case, chance: random.Random) -> Case:
    return _lose_hosts(case, find_culprit_hosts(case.run))


def keep_last_lines(case: Case, chance: random.Random) -> Case:
    """As `tail -n 200` of each process."""
    return _keep_ends(case, LAST_LINES)


def keep_survivors_tails(case: Case, chance: random.Random) -> Case:
    """Only tasks that neither are to blame nor ended first, and of them the ends."""
    keeps = {task.name for task in _find_survivors(case)}
    return _keep_ends(_lose(case, case.run.by_name.keys() - keeps), chance.randint(*TAIL_LINES))


def _lose_hosts(case: Case, hosts: Iterable[str]) -> Case:
    """With all that ran there, but not the launcher's words: whoever hands in the bundle started the job."""
    hosts = set(hosts)
    return _lose(
        case, {process.name for process in case.run.processes if process.host in hosts and process.role != "launcher"}
    )


def _lose(case: Case, names: Iterable[str]) -> Case:
    missing = case.missing | frozenset(names)
    lines = tuple(line for line in case.run.lines if line.process not in missing)
    return dataclasses.replace(case, run=case.run.replace(lines=lines), missing=missing)


def _keep_ends(case: Case, count: int) -> Case:
    left = Counter(line.process for line in case.run.lines)
    kept: list[ReceivedLine] = []
    for line in case.run.lines:
        if left[line.process] <= count:
            kept.append(line)
        left[line.process] -= 1
    return dataclasses.replace(case, run=case.run.replace(lines=tuple(kept)))


def _find_survivors(case: Case) -> list[Process]:
    truth = case.run.truth
    first = case.run.by_name[truth.ended_first].task if truth.ended_first else ""
    return [
        task for task in case.run.tasks if task.task not in (*truth.culprits, first) and task.name not in case.missing
    ]


def _leaves_tasks(case: Case, hosts: Iterable[str]) -> bool:
    gone = set(hosts)
    return bool(gone) and any(task.host not in gone and task.name not in case.missing for task in case.run.tasks)


def _has_innocent_node(case: Case) -> bool:
    innocent = find_innocent_hosts(case.run)
    return bool(innocent) and all(_leaves_tasks(case, [host]) for host in innocent)


def _has_culprits_nodes(case: Case) -> bool:
    return _leaves_tasks(case, find_culprit_hosts(case.run))


def _is_long(case: Case) -> bool:
    return max(Counter(line.process for line in case.run.lines).values(), default=0) > LAST_LINES


def _has_survivors(case: Case) -> bool:
    return case.run.fault != "none" and bool(_find_survivors(case))


DISTURBANCES = (
    Disturbance("node-missing", "losses", lose_node, fits=_has_innocent_node),
    Disturbance("culprit-missing", "losses", lose_culprits_nodes, fits=_has_culprits_nodes),
    Disturbance("last-200-lines", "losses", keep_last_lines, fits=_is_long),
    Disturbance("survivors-tails", "losses", keep_survivors_tails, fits=_has_survivors),
)
