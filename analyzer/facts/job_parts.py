"""What all files' names have in common says which job they are of, and not which machine.

cn14-48213.out  cn15-48213.out                          the job's number behind them
bert_772810_cn14_0.log  bert_772810_cn15_1.log          `%x_%j_%N_%t` of Slurm
slurm-48213-0.out  slurm-48213-1.out                    `slurm-%j-%t`: nothing but the rank differs
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

Parts = tuple[str, ...]  # folders and the name of a file, without extensions
_RANK = re.compile(r"(?P<head>(?:[A-Za-z]+[-_.])+\d{3,})[-_.](?P<rank>\d{1,5})").fullmatch
_NUMBER = re.compile(r"(?<=[A-Za-z0-9])[-_.](\d{3,})$")


def drop_common(split: Mapping[str, Parts], is_generic: Callable[[str], bool]) -> Mapping[str, Parts]:
    return _drop_alike(_drop_number(_keep_rank(split, is_generic), is_generic), is_generic)


def _keep_rank(split: Mapping[str, Parts], is_generic: Callable[[str], bool]) -> Mapping[str, Parts]:
    """The number alone, where a job's number and words that name no machine stand before it in every name."""
    ranks: dict[str, str] = {}
    heads: set[str] = set()
    for parts in split.values():
        if parts and parts[-1] not in ranks and not is_generic(parts[-1]):
            found = _RANK(parts[-1])
            heads.add(found["head"] if found else "")
            if not found or len(heads) > 1 or not all(map(is_generic, re.split("[-_.]", found["head"]))):
                return split
            ranks[parts[-1]] = found["rank"]
    if len(ranks) < 2:
        return split
    return {path: (*parts[:-1], ranks.get(parts[-1], parts[-1])) if parts else parts for path, parts in split.items()}


def _drop_number(split: Mapping[str, Parts], is_generic: Callable[[str], bool]) -> Mapping[str, Parts]:
    """Without the number behind all machines' names, which is the job's, as in `cn14-48213.out`."""
    stems: set[str] = set()
    numbers: set[str] = set()
    for parts in split.values():
        if parts and parts[-1] not in stems and not is_generic(parts[-1]):
            stems.add(parts[-1])
            numbers.add(found[1] if (found := _NUMBER.search(parts[-1])) else "")
            if len(numbers) > 1 or "" in numbers:
                return split
    if len(stems) < 2:
        return split
    return {
        path: (*parts[:-1], _NUMBER.sub("", parts[-1])) if parts[-1:] and parts[-1] in stems else parts
        for path, parts in split.items()
    }


def _drop_alike(split: Mapping[str, Parts], is_generic: Callable[[str], bool]) -> Mapping[str, Parts]:
    """Of what all names have between underscores, which no host's name has (RFC 952), the one thing that tells all of
    them apart and is no number."""
    rows: dict[str, list[str]] = {}
    width = 0
    for parts in split.values():
        if parts and parts[-1] not in rows and not is_generic(parts[-1]):
            row = rows[parts[-1]] = parts[-1].split("_")
            width = width or len(row)
            if len(row) < 3 or len(row) != width:
                return split
    columns = list(zip(*rows.values(), strict=True))
    telling = [column for column in columns if len(set(column)) > 1]
    named = [c for c in telling if len(set(c)) == len(rows) > 1 and all(_is_numbered_name(text) for text in c)]
    if len(named) != 1 or not all(text.isdecimal() for c in telling if c is not named[0] for text in c):
        return split
    names = dict(zip(rows, named[0], strict=True))
    return {path: (*parts[:-1], names.get(parts[-1], parts[-1])) if parts else parts for path, parts in split.items()}


def _is_numbered_name(text: str) -> bool:
    return text[:1].isalpha() and any(each.isdigit() for each in text)
