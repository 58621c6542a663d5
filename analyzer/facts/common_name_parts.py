"""Removes the parts of file names that do not name a machine.

A part that all names share names the job:

cn14-48213.out  cn15-48213.out                          a job number at the end
bert_772810_cn14_0.log  bert_772810_cn15_1.log          `%x_%j_%N_%t` of Slurm
slurm-48213-0.out  slurm-48213-1.out                    `slurm-%j-%t`: only the rank differs

bert.cn14  bert.cn15  bert.cn16                         the name of a batch job before each machine

A part that numbers all files is the rank:

err.cn14.0  out.cn14.0  err.cn15.1  out.cn15.1          `%N.%t`
rank0.cn14.log  rank1.cn15.log  rang0_cn14.log  rang1_cn15.log

A part that the files of every machine share is the kind of file:

n1_task.log  n1_supervisord.log  n2_task.log  n2_supervisord.log
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

PathParts = tuple[str, ...]  # the folders and the file name without extensions
_match_job_and_rank = re.compile(r"(?P<head>(?:[A-Za-z]+[-_.])+\d{3,})[-_.](?P<rank>\d{1,5})").fullmatch
# In whatever language, one word stands before all ranks: `rank0`, `rang0`, `gpu0`. `rack1-node0` is a machine.
_MACHINE_WORDS = frozenset(
    "node nodes host machine server srv vm box compute cn gn rack blade knoten rechner nodo noeud wezel solmu".split()  # noqa: SIM905
)
_match_host_then_rank = re.compile(r"(?P<host>.+?)(?P<gap>[-_.])(?P<word>[^\W\d_]{0,12})(?P<rank>\d{1,4})").fullmatch
_match_rank_then_host = re.compile(
    r"(?:(?:[A-Za-z]+|\d{3,})[-_.])*(?P<word>[^\W\d_]{0,12})(?P<rank>\d{1,4})(?P<gap>[_.])(?P<host>.+)"
).fullmatch
_JOB_NUMBER = re.compile(r"(?<=[A-Za-z0-9])[-_.](\d{3,18})$")
_SEPARATOR = re.compile(r"(?<=[A-Za-z0-9])[-_. ](?=[A-Za-z0-9])")
MIN_NAMES_OF_JOB = 3  # that a job names before their machines
_DIGIT = re.compile(r"\d")
_has_task_name = re.compile(r"(?:^|[-_.])(?:worker|ps|chief|master|evaluator|trainer|task|rank)[-_.]?\d+$", re.I).search


def drop_common_parts(split: Mapping[str, PathParts], is_generic: Callable[[str], bool]) -> Mapping[str, PathParts]:
    """Return `split` (path to its parts) with shortened file names where a pattern holds for all of them.

    `is_generic` tells words that name a kind of file and never a machine.
    """
    for shorten in (
        _keep_rank,
        _drop_job_number,
        _drop_job_name,
        _keep_distinguishing_column,
        _drop_rank,
        _split_machine_and_kind,
    ):
        names = dict.fromkeys(parts[-1] for parts in split.values() if parts)
        if shortened := shorten([name for name in names if not is_generic(name)], is_generic):
            split = {path: (*p[:-1], shortened.get(p[-1], p[-1])) if p else p for path, p in split.items()}
    return split


def _keep_rank(names: Sequence[str], is_generic: Callable[[str], bool]) -> Mapping[str, str]:
    """Map each name to its final number if in every name only generic words and one job number precede it."""
    ranks: dict[str, str] = {}
    heads: set[str] = set()
    for name in names:
        match = _match_job_and_rank(name)
        heads.add(match["head"] if match else "")
        if not match or len(heads) > 1 or not all(map(is_generic, re.split("[-_.]", match["head"]))):
            return {}
        ranks[name] = match["rank"]
    return ranks if len(ranks) > 1 else {}


def _drop_job_number(names: Sequence[str], _: Callable[[str], bool]) -> Mapping[str, str]:
    """Remove the final number that all names share: the job's, as in `cn14-48213.out`."""
    numbers = {match[1] if (match := _JOB_NUMBER.search(name)) else "" for name in names}
    if len(names) < 2 or len(numbers) > 1 or "" in numbers:
        return {}
    return {name: _JOB_NUMBER.sub("", name) for name in names}


def _drop_job_name(names: Sequence[str], _: Callable[[str], bool]) -> Mapping[str, str]:
    """Remove the word before the first dot that several names share, if numbered names follow: no host's domain comes
    first.
    """
    by_head: dict[str, dict[str, str]] = {}
    for name in names:
        head, dot, numbered_part = name.partition(".")
        if dot and head.isalpha() and _is_numbered_name(numbered_part):
            by_head.setdefault(head, {})[name] = numbered_part
    alike = (rests for rests in by_head.values() if len(set(rests.values())) >= MIN_NAMES_OF_JOB)
    return {name: numbered_part for rests in alike for name, numbered_part in rests.items()}


def _keep_distinguishing_column(names: Sequence[str], _: Callable[[str], bool]) -> Mapping[str, str]:
    """Map each name to its one column between underscores that differs in all names and is no number.

    A host name has no underscore (RFC 952).
    """
    rows = [name.split("_") for name in names]
    if len(rows) < 2 or len(rows[0]) < 3 or any(len(row) != len(rows[0]) for row in rows):
        return {}
    differing = [column for column in zip(*rows, strict=True) if len(set(column)) > 1]
    name_columns = [c for c in differing if len(set(c)) == len(rows) and all(map(_is_numbered_name, c))]
    if len(name_columns) != 1 or not all(text.isdecimal() for c in differing if c is not name_columns[0] for text in c):
        return {}
    return dict(zip(names, name_columns[0], strict=True))


def _drop_rank(names: Sequence[str], is_generic: Callable[[str], bool]) -> Mapping[str, str]:
    """Map each name to its machine if the names also hold a rank and the ranks are 0, 1, 2 … without a gap.

    Where a hyphen separates the two, more names are needed: machine names contain hyphens as well.
    """
    for split in (_match_host_then_rank, _match_rank_then_host):
        by_word: dict[str, dict[str, re.Match[str]]] = {}
        for name in names:
            if (parts := split(name)) and parts["word"].lower() not in _MACHINE_WORDS:
                by_word.setdefault(parts["word"].lower(), {})[name] = parts
        for matches in by_word.values():
            hosts = {name: _drop_kind_words(parts["host"], is_generic) for name, parts in matches.items()}
            if _are_ranks_of_hosts(matches, hosts, is_generic):
                return hosts
    return {}


def _are_ranks_of_hosts(
    matches: Mapping[str, re.Match[str]], hosts: Mapping[str, str], is_generic: Callable[[str], bool]
) -> bool:
    ranks = {(int(parts["rank"]), hosts[name]) for name, parts in matches.items()}
    too_few = len(ranks) < (3 if any(parts["gap"] == "-" for parts in matches.values()) else 2)
    if too_few or len(set(hosts.values())) < 2 or sorted(rank for rank, _ in ranks) != list(range(len(ranks))):
        return False
    return all(_is_numbered_name(host) and not is_generic(host) and not _has_task_name(host) for host in hosts.values())


def _drop_kind_words(name: str, is_generic: Callable[[str], bool]) -> str:
    """Remove the leading words that name a kind of file, but not the `ip` of `ip-10-0-0-7`."""
    while (gap := _SEPARATOR.search(name)) and is_generic(name[: gap.start()]) and name[gap.end()].isalpha():
        name = name[gap.end() :]
    return name


def _is_numbered_name(text: str) -> bool:
    """Whether the text begins with a letter and holds a digit, as most machine names do."""
    return text[:1].isalpha() and any(char.isdigit() for char in text)


def _split_machine_and_kind(names: Sequence[str], is_generic: Callable[[str], bool]) -> Mapping[str, str]:
    """Map each name to its machine if several machines have the same several kinds of files.

    Each name is split into machine and kind, in either order. The machines must be numbered and the kinds not, or one
    of the kinds must be a generic word: `a-worker-0` and `b-worker-0` may be of two machines or of two jobs.
    """
    head_tail_splits = [
        (name, name[: gap.start()], name[gap.end() :]) for name in names for gap in _SEPARATOR.finditer(name)
    ]
    tail_head_splits = [(name, tail, head) for name, head, tail in head_tail_splits]
    for splits in (head_tail_splits, tail_head_splits):  # (name, machine, kind)
        kinds: dict[str, set[str]] = {}
        for _, machine, kind in splits:
            kinds.setdefault(kind, set()).add(machine)
        crossings: dict[frozenset[str], set[str]] = {}
        for kind, machines in kinds.items():
            if len(machines) > 1 and not _DIGIT.search(kind):
                crossings.setdefault(frozenset(machines), set()).add(kind)
        for machine_names, shared_kinds in crossings.items():
            if _are_machines_and_kinds(machine_names, shared_kinds, is_generic):
                return {
                    name: machine for name, machine, kind in splits if machine in machine_names and kind in shared_kinds
                }
    return {}


def _are_machines_and_kinds(
    machines: Collection[str], kinds: Collection[str], is_generic: Callable[[str], bool]
) -> bool:
    if len(kinds) < 2 or any(map(is_generic, machines)):
        return False
    if all(map(is_generic, kinds)):
        return False  # such words are removed from every name later
    are_numbered = all(_is_numbered_name(machine) and not _has_task_name(machine) for machine in machines)
    return are_numbered or any(map(is_generic, kinds))
