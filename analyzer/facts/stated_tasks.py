"""Tasks that programs state about themselves in their own words.

    mesta | starting ps 0, tf 2.21     lena | starting worker 0, tf 2.21     oria | starting worker 1, tf 2.21

One line proves nothing: it may be about another task. If several writers state a task in the same words, each with a
different number, and the numbers count from zero, then each writer means itself.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from analyzer.facts.registry import Registry
from analyzer.facts.stream_identities import StreamIdentity, StreamKey
from analyzer.reading.source_result import SourceResult
from analyzer.reading.statements import Statement

MIN_STREAMS = 2
_iterate_tasks = re.compile(
    r"(?i)(?<![\w./-])(worker|chief|ps|evaluator|rank|task|replica|member|trainer)(?:[ _-](?:id|index|no|number))?"
    r"[ :=#]{1,2}(\d{1,5})(?![\w.:/]|-\w)"
).finditer
_number = re.compile(r"\d+")
# What a task says of others: a pair of them may do so in one form, each with the other's number.
_is_of_others = re.compile(
    r"(?i)\b(?:lost|dead|died|kill\w*|exit\w*|fail\w*|terminat\w*|spawn\w*|fork\w*|child|restart\w*|signal\w*|wait\w*|from"
    r"|peer\w*|connect\w*|sen[dt]\w*|receiv\w*|left|late|slow\w*)\b"
).search
_TRAINING_ROLES = {"rank", "task", "replica", "member", "trainer"}  # which are workers

Stated = dict[StreamKey, tuple[str, int]]  # stream → its task and the line that states it


def note_stated_tasks(results: Iterable[SourceResult], identities: Mapping[StreamKey, StreamIdentity]) -> None:
    """Set `words_for_task` of the streams that state a task in words of their own and know none."""
    by_form: dict[str, Stated] = defaultdict(dict)
    for result in results:
        for statement in result.statements:
            if words_and_task := _read_claim(statement):
                form, task = words_and_task
                by_form[form].setdefault((result.file, statement.stream), (task, statement.line))
    for stated in by_form.values():
        if len(stated) >= MIN_STREAMS and _are_of_themselves(stated, identities):
            for key, claim in stated.items():
                if (identity := identities.get(key)) and not identity.tasks and not identity.is_shared:
                    identity.words_for_task = claim


def assign_stated_tasks(registry: Registry, identities: Iterable[StreamIdentity]) -> None:
    """Give the nodes that have no task those that their streams state in words, if no other node has them."""
    for identity in identities:
        if identity.words_for_task is None:
            continue
        task, line = identity.words_for_task
        node = registry.node_of_stream(identity.file, identity.stream)
        if node and task not in registry.task_owners and not registry.drafts[node].tasks:
            registry.assign_task(
                task, node, f"{identity.file}:{line} states it, and other files state theirs in the same words"
            )


def _read_claim(statement: Statement) -> tuple[str, str] | None:
    """Return the words of a statement without numbers and role, and the one task that it names."""
    text = statement.text
    tasks = list(_iterate_tasks(text))
    if len(tasks) != 1 or _is_of_others(text):
        return None
    (match,) = tasks
    role = match[1].lower()
    job = "worker" if role in _TRAINING_ROLES else role
    words = f"{text[: match.start(1)]}ROLE{text[match.end(1) :]}"
    return _number.sub("#", words), f"{job}:{int(match[2])}"


def _are_of_themselves(stated: Stated, identities: Mapping[StreamKey, StreamIdentity]) -> bool:
    """Return whether each stream states a task of its own, the tasks of each job count from zero, and none is known to
    be another task.
    """
    tasks = [task for task, _ in stated.values()]
    indices: dict[str, set[int]] = defaultdict(set)
    for task in tasks:
        job, _, index = task.partition(":")
        indices[job].add(int(index))
    own_and_stated = ((identities[key].tasks, task) for key, (task, _) in stated.items() if key in identities)
    return (
        len(set(tasks)) == len(tasks)
        and all(numbers == set(range(len(numbers))) for numbers in indices.values())
        and all(not own or own == {task} for own, task in own_and_stated)
    )
