"""Joins labels of paths that differ in a word for a kind of file, in whatever language and however new the word is.

hopper.log   hopper_inspekt.json        noether.log   noether_inspekt.json       `inspekt` is a kind of file, no machine
hopper.txt   bert-0_hopper.txt          noether.txt   bert-1_noether.txt         `bert-#` are tasks on the machines

Such a word follows, or precedes, the names of several machines that have other files of their own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from analyzer.formats.records.writer_names import family_of

MIN_MACHINES = 2
_find_separators = re.compile(r"[-_. ]").finditer
_may_be_kind = re.compile(r"[^\W\d]{2,40}").fullmatch


def join_file_kinds(labels: Mapping[str, str | None]) -> Mapping[str, str | None]:
    """Return `labels` (path → label), those of a machine and a kind of file replaced by the machine's own."""
    names = {label for label in labels.values() if label}
    machines: dict[str, set[str]] = defaultdict(set)  # word → labels that others consist of beside it
    bases: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name in names:
        for base, word in _parts(name):
            if base in names:
                machines[word].add(base)
                bases[name].append((base, word))
    renamed = {
        name: base
        for name, parts in bases.items()
        for base, word in parts[:1]
        if len(machines[word]) >= MIN_MACHINES and base not in bases
    }
    return {path: renamed.get(label, label) if label else label for path, label in labels.items()}


def _parts(name: str) -> Iterator[tuple[str, str]]:
    """Yield (machine, kind) for each way in which a name may end or begin with a word for a kind of file."""
    separators = list(_find_separators(name))
    if not separators:
        return
    last, first = separators[-1], separators[0]
    if _may_be_kind(name[last.end() :]):
        yield name[: last.start()], name[last.end() :].lower()
    if _may_be_kind(name[: first.start()]):
        yield name[first.end() :], name[: first.start()].lower()
    for separator in separators:  # `bert-0_hopper` beside `bert-1_noether`: a task before its machine
        word = family_of(name[: separator.start()])
        if "#" in word:
            yield name[separator.end() :], word
