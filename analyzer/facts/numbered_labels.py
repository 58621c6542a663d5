"""Joins labels of paths that name one machine in several ways, by the numbered word that they share.

    SN4711_north.compose.log          SN4711.sol-console.txt          an inventory number in both
    hub-gpu3_server.log               work_gpu3/run.ipynb             a short name of the machine in both
    3f2a90bc_gx-b2/stderr             3f2a90bc_gx-b2/stdout           the id of an allocation before the machine's name

The words must divide nearly all labels: each has one word of the same form (`SN#`), and some word is in several. A word
that several hosts or tasks share numbers something else, such as the runs of a job.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from analyzer.facts.path_labels import is_generic, stem_of, task_of_label
from analyzer.formats.records.writer_names import family_of

MIN_WORD_CHARS = 3  # `w1` and `g2` may number anything
MIN_MACHINES = 2
MIN_DIVIDED_SHARE = 0.65  # of the labels: a launcher's file or a note has no such word
_split_words = re.compile(r"[-_. /]+").split
_TASK_WORD = re.compile(r"(?:worker|ps|chief|master|task|job|rank|run|step|epoch|attempt|part|log|out|err|v)#", re.I)
_OPAQUE_ID = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}", re.I)


def join_numbered_labels(
    labels: Mapping[str, str | None], known_hosts: frozenset[str] = frozenset()
) -> Mapping[str, str | None]:
    """Return `labels` (path → label), with one label for all that share the numbered word of their machine.

    It is the only known host with that word, else the shortest of them. `known_hosts`: in lower case.
    """
    labels = _drop_opaque_ids(labels)
    words = {label: _words_of(label, paths) for label, paths in _paths_by_label(labels).items()}
    form_counts = Counter(form for own in words.values() for form in own)
    families = [form for form, count in form_counts.items() if count >= MIN_DIVIDED_SHARE * len(words)]
    divisions = [
        division
        for family in families
        if (division := _divide(words, family)) is not None and not _divides_jobs(division, known_hosts)
    ]
    if len(divisions) != 1:
        return labels
    hosts_by_word: dict[str, list[str]] = defaultdict(list)
    for host in known_hosts:
        for word in set(_split_words(host)):
            hosts_by_word[word].append(host)
    renamed: dict[str, str] = {}
    for word, group in divisions[0].items():
        hosts = hosts_by_word[word]
        shortest = min(group, key=lambda label: (label.lower() not in known_hosts, len(label), label))
        name = hosts[0] if len(hosts) == 1 else shortest
        kept = next((label for label in group if label.lower() == name), name)
        renamed.update(dict.fromkeys(group, kept))
    return {path: renamed.get(label, label) if label else label for path, label in labels.items()}


def _paths_by_label(labels: Mapping[str, str | None]) -> Mapping[str, list[str]]:
    paths: dict[str, list[str]] = defaultdict(list)
    for path, label in labels.items():
        if label:
            paths[label].append(path)
    return paths


def _words_of(label: str, paths: Iterable[str]) -> Mapping[str, set[str]]:
    """Return form → numbered words of that form in a label and in the names of its files."""
    words: dict[str, set[str]] = defaultdict(set)
    for text in {label, *map(stem_of, paths)}:
        for word in _split_words(text):
            form = family_of(word)
            if len(word) >= MIN_WORD_CHARS and form != "#" and "#" in form and not _TASK_WORD.fullmatch(form):
                words[form].add(word.lower())
    return words


def _divide(words: Mapping[str, Mapping[str, set[str]]], family: str) -> Mapping[str, list[str]] | None:
    """Return word → labels of the machine with that word; None if the words of this form do not divide the labels."""
    groups: dict[str, list[str]] = defaultdict(list)
    divided = {label: own[family] for label, own in words.items() if own.get(family)}
    for label, own in divided.items():
        if len(own) != 1:
            return None
        groups[next(iter(own))].append(label)
    return groups if MIN_MACHINES <= len(groups) < len(divided) else None


def _divides_jobs(division: Mapping[str, Sequence[str]], known_hosts: frozenset[str]) -> bool:
    """Return whether the words number runs of a job (`bert-r14-worker-0`, `bert-r14-worker-1`), not machines.

    Labels with one such word are then several known hosts, or several tasks.
    """
    return any(
        len({label.lower() for label in group} & known_hosts) > 1
        or (word not in known_hosts and len({task_of_label(label) for label in group} - {None}) > 1)
        for word, group in division.items()
    )


def _drop_opaque_ids(labels: Mapping[str, str | None]) -> Mapping[str, str | None]:
    """Return the labels without the ids of containers or allocations, where the rest of them still differs."""
    shortened = {label: _without_id(label) for label in labels.values() if label}
    if any(short != label for label, short in shortened.items()) and len(set(shortened.values())) == len(shortened):
        return {path: shortened[label] if label else label for path, label in labels.items()}
    return labels


def _without_id(label: str) -> str:
    words = label.split("_")
    kept = [word for word in words if not _OPAQUE_ID.fullmatch(word)]
    short = "_".join(kept)
    return label if len(kept) == len(words) or not short or is_generic(short) else short
