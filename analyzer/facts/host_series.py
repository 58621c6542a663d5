"""Hosts that are numbered as their tasks are.

gx-4 is worker:0, gx-5 is worker:1   ->   gx-6, of which there is no file, is worker:2
gx-a is worker:0, gx-b is worker:1   ->   gx-c, whose syslog alone is here, is worker:2
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from analyzer.facts.cluster_spec import read_task

MIN_MEMBERS = 2  # that show how hosts and tasks are numbered
_match_numbered = re.compile(r"(?P<stem>[a-z][a-z0-9_-]{0,80}?)(?P<number>\d{1,6})$").match
_match_lettered = re.compile(r"(?P<stem>[a-z][a-z0-9_-]{0,80}[_-])(?P<letter>[a-z])$").match

# A host's name without its number → job, and how far its task's index is beyond that number.
HostSeries = Mapping[str, tuple[str, int]]


def learn_host_series(members: Iterable[tuple[str, str]]) -> HostSeries:
    """Return how hosts and tasks are numbered, by pairs of a host and the only task on it."""
    seen: dict[str, dict[str, tuple[str, int]]] = defaultdict(dict)  # stem → host → job and offset
    for host, task in members:
        if (split := _split_number(host)) and (name := read_task(task)):
            job, _, index = name.partition(":")
            seen[split[0]][host.lower()] = job, int(index) - split[1]
    return {
        stem: next(iter(of_hosts.values()))
        for stem, of_hosts in seen.items()
        if len(of_hosts) >= MIN_MEMBERS and len(set(of_hosts.values())) == 1
    }


def task_in_series(host: str, series: HostSeries) -> str | None:
    """Return the task that a host has if it is numbered as the others are; None if it belongs to no series."""
    split = _split_number(host)
    if split is None or split[0] not in series:
        return None
    job, offset = series[split[0]]
    index = split[1] + offset
    return f"{job}:{index}" if index >= 0 else None


def _split_number(host: str) -> tuple[str, int] | None:
    short = host.lower().partition(".")[0]
    if match := _match_numbered(short):
        return match["stem"], int(match["number"])
    match = _match_lettered(short)
    return (match["stem"], ord(match["letter"])) if match else None
