"""Trends of a history: causes by period, recurring nodes and faults, and the time between failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from itertools import pairwise
from statistics import median
from string import ascii_letters, digits

from analyzer.history.record import IncidentRecord
from analyzer.report.formatting import parse_time

MAX_PERIODS = 60  # bars of the figure; a longer history gets longer periods
DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Period:
    """One bar: `label` is its first day; `causes` are the numbers of its incidents by cause."""

    label: str
    causes: Counter[str]


@dataclass(frozen=True, slots=True)
class Recurrence:
    """Several incidents that have something in common: a cause, a node, a rack, or a signature."""

    name: str
    records: tuple[IncidentRecord, ...]  # in order of time; never empty

    @property
    def latest(self) -> IncidentRecord:
        return self.records[-1]

    @property
    def causes(self) -> list[tuple[str, int]]:
        return Counter(map(cause_of, self.records)).most_common()

    @property
    def nodes(self) -> list[tuple[str, int]]:
        return Counter(record.node for record in self.records if record.node).most_common()

    @property
    def tickets(self) -> list[str]:
        return list(dict.fromkeys(note.ticket for record in self.records for note in record.notes if note.ticket))

    @property
    def gaps_s(self) -> list[float]:
        return gaps_between(self.records)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trends:
    """The trends. `period_days` is the length of a period; `untimed` counts the incidents without a time."""

    records: tuple[IncidentRecord, ...]  # in order of time
    periods: tuple[Period, ...]
    period_days: int
    untimed: int
    causes: tuple[Recurrence, ...]  # the most frequent first, as in the fields below
    nodes: tuple[Recurrence, ...]  # nodes with more than one incident
    racks: tuple[Recurrence, ...]  # racks with more than one incident on more than one node
    signatures: tuple[Recurrence, ...]  # faults that occurred more than once

    @property
    def gaps_s(self) -> list[float]:
        """Seconds between one incident and the next."""
        return gaps_between(self.records)

    @property
    def median_gap_s(self) -> float | None:
        return median(self.gaps_s) if self.gaps_s else None


def find_trends(records: Iterable[IncidentRecord]) -> Trends:
    """Return the trends of the records. Apart from sorting, this takes linear time."""
    ordered = tuple(sorted(records, key=lambda record: record.sort_time))
    times = [parse_time(record.sort_time) for record in ordered]
    days = _period_days([time for time in times if time is not None])
    return Trends(
        records=ordered,
        periods=tuple(_count_periods(ordered, times, days)),
        period_days=days,
        untimed=times.count(None),
        causes=_group(ordered, cause_of, least=1),
        nodes=_group(ordered, lambda record: record.node),
        racks=tuple(rack for rack in _group(ordered, lambda record: rack_of(record.node)) if len(dict(rack.nodes)) > 1),
        signatures=_group(ordered, lambda record: record.signatures.get("usual", "")),
    )


def cause_of(record: IncidentRecord) -> str:
    return record.cause or record.verdict


def rack_of(node: str) -> str:
    """Return the rack, subnet or pool in a node's name: the name without its last number.

    "" if the remaining name has no number, because it is then the name of the whole cluster.
    """
    name = node if _is_address(node) else node.partition(".")[0]
    rack = _without_last_number(name)
    return rack if rack != name and any(char.isdigit() for char in rack) else ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _without_last_number(name: str) -> str:
    """Return the name without the number at its end; a name without one is unchanged."""
    # `r07` for r07-gpu12 or r07-gpu12b, `ip-10-42-7` for ip-10-42-7-22
    numbered = name[:-1] if name.endswith(tuple(ascii_letters)) else name
    stem = numbered.rstrip(digits)
    if stem == numbered:
        return name
    stem = stem.rstrip(ascii_letters)
    return stem[:-1] if stem.endswith(("-", "_", ".")) else stem


def gaps_between(records: Sequence[IncidentRecord]) -> list[float]:
    """Return the seconds from each record to the next; those without a time are left out."""
    times = [time for record in records if (time := parse_time(record.sort_time)) is not None]
    return [later - earlier for earlier, later in pairwise(times)]


def _group(
    records: Sequence[IncidentRecord], key: Callable[[IncidentRecord], str], least: int = 2
) -> tuple[Recurrence, ...]:
    """Return the records by key, the most frequent first, without empty keys and keys of fewer than `least` records."""
    groups: dict[str, list[IncidentRecord]] = {}
    for record in records:
        if name := key(record):
            groups.setdefault(name, []).append(record)
    kept = [Recurrence(name, tuple(group)) for name, group in groups.items() if len(group) >= least]
    return tuple(sorted(kept, key=lambda group: (-len(group.records), group.name)))


def _period_days(times: Sequence[float]) -> int:
    """Return 1, 7, 28 or a multiple of 28, so that there are at most MAX_PERIODS periods."""
    span_days = (max(times) - min(times)) / DAY_S + 2 if times else 1
    days = next((days for days in (1, 7, 28) if span_days / days <= MAX_PERIODS), 28)
    while span_days / days > MAX_PERIODS:
        days *= 2
    return days


def _count_periods(records: Sequence[IncidentRecord], times: Sequence[float | None], days: int) -> Iterable[Period]:
    """Yield all periods from the first incident to the last, including empty ones."""
    counts: dict[int, Counter[str]] = {}
    for record, time in zip(records, times, strict=True):
        if time is not None:
            counts.setdefault(int(time // (days * DAY_S)), Counter())[cause_of(record)] += 1
    for number in range(min(counts, default=0), max(counts, default=-1) + 1):
        first_day = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=number * days)
        yield Period(f"{first_day:%Y-%m-%d}", counts.get(number, Counter()))
