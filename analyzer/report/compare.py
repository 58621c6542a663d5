"""Compare two incidents: what they have in common and where they differ, as JSON and as lines of text."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from analyzer.incident import SIGNATURE_LEVELS
from analyzer.report.document import WrittenIncident, WrittenRootCause
from analyzer.report.formatting import format_duration, parse_time, plural, to_one_line
from analyzer.report.lanes import progress_points
from analyzer.wording import join_names

MAX_ROWS = 12  # rows of a list in the text


class Likeness(Struct):
    """The most specific level at which the signatures agree, or None."""

    level: str | None
    means: str


class ComparedValue(Struct):
    """One value of both incidents."""

    what: str
    a: object
    b: object
    same: bool


class SplitList(Struct):
    """What both incidents have, and what only one of them has."""

    both: list[str]
    only_a: list[str]
    only_b: list[str]


class DifferingSetting(Struct):
    """A version or setting, with the values on the nodes of each incident."""

    key: str
    a: list[str]
    b: list[str]


class ComparedSettings(Struct):
    """Versions and settings: how many are the same, those that differ, and keys that only one incident has."""

    same: int
    differ: list[DifferingSetting]
    only_a: list[str]
    only_b: list[str]


class Comparison(Struct):
    """What `compare --json` writes."""

    alike: Likeness
    facts: list[ComparedValue]
    causes: SplitList
    findings: SplitList
    settings: ComparedSettings
    unknown: SplitList
    performance: list[ComparedValue]


def compare_incidents(a: WrittenIncident, b: WrittenIncident) -> Comparison:
    return Comparison(
        alike=_compare_signatures(a, b),
        facts=list(_compare_facts(a, b)),
        causes=_split_lists([root.cause for root in a.root_causes], [root.cause for root in b.root_causes]),
        findings=_split_lists([finding.rule for finding in a.findings], [finding.rule for finding in b.findings]),
        settings=_compare_settings(a, b),
        unknown=_split_lists([row.template for row in a.unclassified], [row.template for row in b.unclassified]),
        performance=list(_compare_performance(a, b)),
    )


def _compare_signatures(a: WrittenIncident, b: WrittenIncident) -> Likeness:
    """Return the most specific level at which the signatures agree; a report of an older version has only one."""
    signatures_a, signatures_b = (incident.signatures or {"usual": incident.signature} for incident in (a, b))
    for level, meaning in SIGNATURE_LEVELS.items():
        if signatures_a.get(level) and signatures_a[level] == signatures_b.get(level):
            return Likeness(level, meaning)
    return Likeness(None, "not the same kind of failure")


def _compare(what: str, a: object, b: object) -> ComparedValue:
    return ComparedValue(what, a, b, a == b)


_ROOT_FACTS: Mapping[str, Callable[[WrittenRootCause], object]] = {
    "cause": lambda root: root.cause,
    "rule": lambda root: root.rule,
    "culprit": lambda root: root.node,
    "task": lambda root: root.task,
    "status": lambda root: root.status,
    "confidence": lambda root: root.confidence,
    "title": lambda root: root.title,
}


def _compare_facts(a: WrittenIncident, b: WrittenIncident) -> Iterator[ComparedValue]:
    yield _compare("verdict", a.verdict, b.verdict)
    root_a, root_b = (next(iter(incident.root_causes), None) for incident in (a, b))
    for what, fact in _ROOT_FACTS.items():
        yield _compare(what, root_a and fact(root_a), root_b and fact(root_b))
    yield _compare("nodes", len(a.nodes), len(b.nodes))
    yield _compare("tasks", _describe_tasks(a), _describe_tasks(b))
    yield _compare("length of the logs", _log_duration(a), _log_duration(b))
    yield _compare("lines", _count_lines(a), _count_lines(b))
    yield _compare("start", a.timeline.start or "", b.timeline.start or "")


def _describe_tasks(incident: WrittenIncident) -> str:
    jobs = Counter(task.partition(":")[0] for node in incident.nodes for task in node.tasks)
    return ", ".join(f"{count} {job}" for job, count in sorted(jobs.items()))


def _log_duration(incident: WrittenIncident) -> str:
    start, end = parse_time(incident.timeline.start or None), parse_time(incident.timeline.end or None)
    return "unknown" if start is None or end is None else format_duration(end - start)


def _count_lines(incident: WrittenIncident) -> int:
    return sum(source.lines for source in incident.sources)


def _split_lists(a: Iterable[str], b: Iterable[str]) -> SplitList:
    """Compare distinct values; "" is none."""
    values_a, values_b = (dict.fromkeys(filter(None, values)) for values in (a, b))
    return SplitList(
        both=[value for value in values_a if value in values_b],
        only_a=[value for value in values_a if value not in values_b],
        only_b=[value for value in values_b if value not in values_a],
    )


def _compare_settings(a: WrittenIncident, b: WrittenIncident) -> ComparedSettings:
    """Compare versions and settings. If the nodes of one incident differ, all of their values count."""
    values_a, values_b = _setting_values(a), _setting_values(b)
    shared = values_a.keys() & values_b.keys()
    return ComparedSettings(
        same=sum(values_a[key] == values_b[key] for key in shared),
        differ=[
            DifferingSetting(key, values_a[key], values_b[key])
            for key in sorted(shared)
            if values_a[key] != values_b[key]
        ],
        only_a=sorted(values_a.keys() - values_b.keys()),
        only_b=sorted(values_b.keys() - values_a.keys()),
    )


def _setting_values(incident: WrittenIncident) -> dict[str, list[str]]:
    values = {key: [value] for key, value in incident.settings.items()}
    return values | {row.key: sorted(row.values) for row in incident.skew}


def _compare_performance(a: WrittenIncident, b: WrittenIncident) -> Iterator[ComparedValue]:
    points_a, points_b = ([list(progress_points(curve)) for curve in incident.timeline.progress] for incident in (a, b))
    for what, measure in (("last step", _max_step), ("steps per minute", _steps_per_minute)):
        compared = _compare(what, measure(points_a), measure(points_b))
        if compared.a is not None or compared.b is not None:
            yield compared


def _max_step(lanes: Iterable[Sequence[tuple[float, float]]]) -> float | None:
    return max((step for lane in lanes for _, step in lane), default=None)


def _steps_per_minute(lanes: Iterable[Sequence[tuple[float, float]]]) -> float | None:
    """Return the median over the tasks."""
    rates = [
        60 * (lane[-1][1] - lane[0][1]) / (lane[-1][0] - lane[0][0])
        for lane in lanes
        if len(lane) > 1 and lane[-1][0] > lane[0][0]
    ]
    return float(f"{statistics.median(rates):.3g}") if rates else None


def format_comparison(comparison: Comparison, names: tuple[str, str]) -> Iterator[str]:
    """Yield the comparison as lines for a terminal."""
    yield f"A  {to_one_line(names[0])}"
    yield f"B  {to_one_line(names[1])}"
    meaning = comparison.alike.means
    yield f"{meaning[0].upper()}{meaning[1:]}"
    yield from _table("Facts", comparison.facts)
    yield from _table("Performance", comparison.performance)
    yield from _format_lists("Root causes", comparison.causes)
    yield from _format_lists("Findings", comparison.findings)
    yield from _format_lists("Unknown errors", comparison.unknown)
    yield from _format_settings(comparison.settings)


def _table(title: str, rows: Sequence[ComparedValue]) -> Iterator[str]:
    rows = [row for row in rows if row.a not in (None, "") or row.b not in (None, "")]
    if rows:
        yield from ("", title)
    for row in rows:
        values = [_format_value(row.a)] if row.same else [_format_value(row.a), _format_value(row.b)]
        yield f" {'=' if row.same else '≠'} {row.what:<20} {' | '.join(values)}"


def _format_value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.10g}"
    return f"{value:,}" if isinstance(value, int) else to_one_line(str(value), 160) if value not in (None, "") else "-"


def _format_lists(title: str, split: SplitList) -> Iterator[str]:
    lists = (("=", split.both), ("A", split.only_a), ("B", split.only_b))
    if any(values for _, values in lists):
        yield from ("", title)
    for mark, values in lists:
        yield from (f" {mark} {to_one_line(value, 160)}" for value in values[:MAX_ROWS])
        if len(values) > MAX_ROWS:
            yield f" {mark} and {len(values) - MAX_ROWS:,} more"


def _format_settings(settings: ComparedSettings) -> Iterator[str]:
    if not (settings.differ or settings.same or settings.only_a or settings.only_b):
        return
    yield from ("", "Versions and settings")
    if settings.same:
        yield f" = {plural(settings.same, 'setting')} the same"
    for row in settings.differ[: 4 * MAX_ROWS]:
        sides = " | ".join(to_one_line(join_names(values), 120) for values in (row.a, row.b))
        yield f" ≠ {row.key:<20} {sides}"
    for mark, keys in (("A", settings.only_a), ("B", settings.only_b)):
        if keys:
            yield f" {mark} {to_one_line(join_names(keys, MAX_ROWS), 400)}"
