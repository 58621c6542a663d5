"""Hosts in paths that nothing states, but that are named as known hosts are.

kx-3-07 is a host    ->  kx-3-04 is the host of `kx-3-04_jadro.txt`, whatever the other word means
bay-gpu2 is a host   ->  the host of `spy_gpu2.txt`, if no other host ends so
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from analyzer.formats.records.writer_names import family_of

MAX_FAMILIES = 64  # of hosts whose names differ in numbers
MIN_TAIL_CHARS = 3  # of a name that people leave the beginning of
_split_words = re.compile(r"([-_. ])").split
_TASK_FAMILY = re.compile(
    r"(?:.*[-_.])?(?:chief|coordinator|evaluator|job|master|pod|ps|rank|task|trainer|worker)[-_]?#"
)


def find_relatives(paths: Iterable[Sequence[str]], known_names: frozenset[str]) -> frozenset[str]:
    """Return the names in `paths`, in lower case, that differ from known ones in nothing but numbers.

    Args:
        paths: the parts of each path, without extensions.
        known_names: hosts, in lower case.
    """
    families = _families_of(known_names)
    parts = {part.lower() for path in paths for part in path} if families else ()
    return frozenset(name for part in parts for name in _find_members(part, families))


def _find_members(part: str, families: Collection[str]) -> Iterator[str]:
    """Yield the runs of whole words in a part of a path that belong to one of the families."""
    part_family = family_of(part)
    if not any(family in part_family for family in families):  # true for most paths
        return
    words = _split_words(part)
    for width in {len(_split_words(family)) for family in families}:
        for start in range(0, len(words) - width + 1, 2):
            if family_of(name := "".join(words[start : start + width])) in families:
                yield name


def _families_of(names: Iterable[str]) -> list[str]:
    """Return the families of hosts that are told by letters and numbers, the longest first; none of tasks."""
    families = {family_of(name) for name in names if "." not in name and any(map(str.isdigit, name))}
    hosts = [
        family
        for family in families
        if "#" in family and sum(map(str.isalpha, family)) > 1 and not _TASK_FAMILY.fullmatch(family)
    ]
    return sorted(hosts, key=lambda family: (-len(family), family))[:MAX_FAMILIES]


def find_whole_names(known_names: frozenset[str]) -> Mapping[str, str]:
    """Return last part → the name of the only known host that ends so: gpu03 → bay-gpu03. All are in lower case."""
    hosts: dict[str, set[str]] = {}
    for name in known_names:
        beginning, hyphen, tail = name.partition(".")[0].rpartition("-")
        has_both = any(map(str.isalpha, tail)) and any(map(str.isdigit, tail))
        if hyphen and beginning and has_both and len(tail) >= MIN_TAIL_CHARS and tail not in known_names:
            hosts.setdefault(tail, set()).add(name.partition(".")[0])
    return {tail: next(iter(names)) for tail, names in hosts.items() if len(names) == 1}
