"""What all files' names have in common says which job they are of, and not which machine.

cn14-48213.out  cn15-48213.out                          the job's number behind them
bert_772810_cn14_0.log  bert_772810_cn15_1.log          `%x_%j_%N_%t` of Slurm
slurm-48213-0.out  slurm-48213-1.out                    `slurm-%j-%t`: nothing but the rank differs

What numbers all of them says which rank ran there, and not how the machine is called:

err.cn14.0  out.cn14.0  err.cn15.1  out.cn15.1          `%N.%t`
rank0.cn14.log  rank1.cn15.log

What the files of all machines have alike says which kind of file it is:

n1_task.log  n1_supervisord.log  n2_task.log  n2_supervisord.log
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

PathParts = tuple[str, ...]  # folders and the name of a file, without extensions
_match_job_and_rank = re.compile(r"(?P<head>(?:[A-Za-z]+[-_.])+\d{3,})[-_.](?P<rank>\d{1,5})").fullmatch
_match_host_then_rank = re.compile(r"(?P<host>.+?)(?P<gap>[-_.])(?:rank|gpu|proc)?(?P<rank>\d{1,4})").fullmatch
_match_rank_then_host = re.compile(
    r"(?:(?:[A-Za-z]+|\d{3,})[-_.])*(?:rank|gpu|proc)?(?P<rank>\d{1,4})(?P<gap>[_.])(?P<host>.+)"
).fullmatch
_JOB_NUMBER = re.compile(r"(?<=[A-Za-z0-9])[-_.](\d{3,18})$")
_SEPARATOR = re.compile(r"(?<=[A-Za-z0-9])[-_. ](?=[A-Za-z0-9])")
_DIGIT = re.compile(r"\d")
_has_task_name = re.compile(r"(?:^|[-_.])(?:worker|ps|chief|master|evaluator|trainer|task|rank)[-_.]?\d+$", re.I).search


def drop_common_parts(split: Mapping[str, PathParts], is_generic: Callable[[str], bool]) -> Mapping[str, PathParts]:
    for find in (_keep_rank, _drop_job_number, _keep_distinguishing_column, _drop_rank, _split_machine_and_kind):
        names = dict.fromkeys(parts[-1] for parts in split.values() if parts)
        if found := find([name for name in names if not is_generic(name)], is_generic):
            split = {path: (*p[:-1], found.get(p[-1], p[-1])) if p else p for path, p in split.items()}
    return split


def _keep_rank(names: Sequence[str], is_generic: Callable[[str], bool]) -> Mapping[str, str]:
    """The number alone, where a job's number and words that name no machine stand before it in every name."""
    ranks: dict[str, str] = {}
    heads: set[str] = set()
    for name in names:
        found = _match_job_and_rank(name)
        heads.add(found["head"] if found else "")
        if not found or len(heads) > 1 or not all(map(is_generic, re.split("[-_.]", found["head"]))):
            return {}
        ranks[name] = found["rank"]
    return ranks if len(ranks) > 1 else {}


def _drop_job_number(names: Sequence[str], _: Callable[[str], bool]) -> Mapping[str, str]:
    """Without the number behind all machines' names, which is the job's, as in `cn14-48213.out`."""
    numbers = {found[1] if (found := _JOB_NUMBER.search(name)) else "" for name in names}
    if len(names) < 2 or len(numbers) > 1 or "" in numbers:
        return {}
    return {name: _JOB_NUMBER.sub("", name) for name in names}


def _keep_distinguishing_column(names: Sequence[str], _: Callable[[str], bool]) -> Mapping[str, str]:
    """Of what all names have between underscores, which no host's name has (RFC 952), the one thing that tells all of
    them apart and is no number."""
    rows = [name.split("_") for name in names]
    if len(rows) < 2 or len(rows[0]) < 3 or any(len(row) != len(rows[0]) for row in rows):
        return {}
    telling = [column for column in zip(*rows, strict=True) if len(set(column)) > 1]
    named = [c for c in telling if len(set(c)) == len(rows) and all(map(_is_numbered_name, c))]
    if len(named) != 1 or not all(text.isdecimal() for c in telling if c is not named[0] for text in c):
        return {}
    return dict(zip(names, named[0], strict=True))


def _drop_rank(names: Sequence[str], is_generic: Callable[[str], bool]) -> Mapping[str, str]:
    """The machine alone, where each rank from 0 on is of one of several. Hyphens stand in machines' names, too."""
    for split in (_match_host_then_rank, _match_rank_then_host):
        found = {name: parts for name in names if (parts := split(name))}
        hosts = {name: _drop_kind_words(parts["host"], is_generic) for name, parts in found.items()}
        ranks = {(int(parts["rank"]), hosts[name]) for name, parts in found.items()}
        few = len(ranks) < (3 if any(parts["gap"] == "-" for parts in found.values()) else 2)
        if few or len(set(hosts.values())) < 2 or sorted(rank for rank, _ in ranks) != list(range(len(ranks))):
            continue
        if all(_is_numbered_name(host) and not _has_task_name(host) for host in hosts.values()):
            return hosts
    return {}


def _drop_kind_words(name: str, is_generic: Callable[[str], bool]) -> str:
    """Without the words before it that name a kind of file."""
    while (
        (gap := _SEPARATOR.search(name)) and is_generic(name[: gap.start()]) and name[gap.end()].isalpha()
    ):  # ip-10-0-0-7
        name = name[gap.end() :]
    return name


def _is_numbered_name(text: str) -> bool:
    return text[:1].isalpha() and any(each.isdigit() for each in text)


def _split_machine_and_kind(names: Sequence[str], is_generic: Callable[[str], bool]) -> Mapping[str, str]:
    """Of several files of each of several machines the part that is the machine's: numbered, beside kinds that are not,
    or beside a kind that is known to be one. `a-worker-0` and `b-worker-0` may be of two machines or of two jobs."""
    splits = [(name, name[: gap.start()], name[gap.end() :]) for name in names for gap in _SEPARATOR.finditer(name)]
    for whole in (splits, [(name, tail, head) for name, head, tail in splits]):  # (name, machine, kind)
        kinds: dict[str, set[str]] = {}
        for _, machine, kind in whole:
            kinds.setdefault(kind, set()).add(machine)
        crossings: dict[frozenset[str], set[str]] = {}
        for kind, machines in kinds.items():
            if len(machines) > 1 and not _DIGIT.search(kind):
                crossings.setdefault(frozenset(machines), set()).add(kind)
        for names_of_all, alike in crossings.items():
            numbered = all(_is_numbered_name(machine) and not _has_task_name(machine) for machine in names_of_all)
            named = numbered or any(map(is_generic, alike))
            known = all(map(is_generic, alike))  # words that are dropped from every name later
            if len(alike) > 1 and named and not known and not any(map(is_generic, names_of_all)):
                return {name: machine for name, machine, kind in whole if machine in names_of_all and kind in alike}
    return {}
