"""Compare two incidents: what they have in common and where they differ, as one JSON object and as lines of text."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.incident import SIGNATURE_LEVELS
from analyzer.report.formatting import format_duration, plural, to_one_line
from analyzer.report.tolerant import items, member, parse_time, points, text, texts, whole_number
from analyzer.wording import join_names

Incident = Mapping[str, object]
MAX_ROWS = 12  # rows of a list in the text


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """One value of both incidents."""

    what: str
    a: object
    b: object

    @property
    def same(self) -> bool:
        return self.a == self.b


def compare_incidents(a: Incident, b: Incident) -> dict[str, object]:
    """Return the comparison. Lists hold what both incidents have, and what only one of them has."""
    return {
        "alike": _compare_signatures(a, b),
        "facts": [{"what": row.what, "a": row.a, "b": row.b, "same": row.same} for row in _compare_facts(a, b)],
        "causes": _split_lists(
            _distinct_values(a, "root_causes", "cause"), _distinct_values(b, "root_causes", "cause")
        ),
        "findings": _split_lists(_distinct_values(a, "findings", "rule"), _distinct_values(b, "findings", "rule")),
        "settings": _compare_settings(a, b),
        "unknown": _split_lists(
            _distinct_values(a, "unclassified", "template"), _distinct_values(b, "unclassified", "template")
        ),
        "performance": [
            {"what": row.what, "a": row.a, "b": row.b, "same": row.same} for row in _compare_performance(a, b)
        ],
    }


def _compare_signatures(a: Incident, b: Incident) -> dict[str, object]:
    """Return the most specific level at which the signatures agree; a report of an older version has only one."""
    signatures_a, signatures_b = (
        member(incident, "signatures") or {"usual": text(incident, "signature")} for incident in (a, b)
    )
    for level, meaning in SIGNATURE_LEVELS.items():
        if text(signatures_a, level) and text(signatures_a, level) == text(signatures_b, level):
            return {"level": level, "means": meaning}
    return {"level": None, "means": "not the same kind of failure"}


def _compare_facts(a: Incident, b: Incident) -> Iterator[ComparedValue]:
    yield ComparedValue("verdict", text(a, "verdict"), text(b, "verdict"))
    root_a, root_b = (next(iter(items(incident, "root_causes")), {}) for incident in (a, b))
    for key in ("cause", "rule", "node", "task", "status", "confidence", "title"):
        yield ComparedValue("culprit" if key == "node" else key, root_a.get(key), root_b.get(key))
    for what, measure in (
        ("nodes", _count_nodes),
        ("tasks", _describe_tasks),
        ("length of the logs", _log_duration),
        ("lines", _count_lines),
    ):
        yield ComparedValue(what, measure(a), measure(b))
    yield ComparedValue("start", text(member(a, "timeline"), "start"), text(member(b, "timeline"), "start"))


def _count_nodes(incident: Incident) -> int:
    return len(items(incident, "nodes"))


def _describe_tasks(incident: Incident) -> str:
    jobs = Counter(task.partition(":")[0] for node in items(incident, "nodes") for task in texts(node, "tasks"))
    return ", ".join(f"{count} {job}" for job, count in sorted(jobs.items()))


def _log_duration(incident: Incident) -> str:
    start, end = (parse_time(member(incident, "timeline").get(key)) for key in ("start", "end"))
    return "not known" if start is None or end is None else format_duration(end - start)


def _count_lines(incident: Incident) -> int:
    return sum(whole_number(source, "lines") for source in items(incident, "sources"))


def _distinct_values(incident: Incident, key: str, name: str) -> list[str]:
    return list(dict.fromkeys(text(row, name) for row in items(incident, key) if text(row, name)))


def _split_lists(values_a: Sequence[str], values_b: Sequence[str]) -> dict[str, list[str]]:
    return {
        "both": [value for value in values_a if value in set(values_b)],
        "only_a": [value for value in values_a if value not in set(values_b)],
        "only_b": [value for value in values_b if value not in set(values_a)],
    }


def _compare_settings(a: Incident, b: Incident) -> dict[str, object]:
    """Compare versions and settings. If the nodes of one incident differ, all of their values count."""
    values_a, values_b = _setting_values(a), _setting_values(b)
    shared = values_a.keys() & values_b.keys()
    return {
        "same": sum(values_a[key] == values_b[key] for key in shared),
        "differ": [
            {"key": key, "a": values_a[key], "b": values_b[key]}
            for key in sorted(shared)
            if values_a[key] != values_b[key]
        ],
        "only_a": sorted(values_a.keys() - values_b.keys()),
        "only_b": sorted(values_b.keys() - values_a.keys()),
    }


def _setting_values(incident: Incident) -> dict[str, list[str]]:
    values = {key: [str(value)] for key, value in member(incident, "settings").items()}
    return values | {text(row, "key"): sorted(member(row, "values")) for row in items(incident, "skew")}


def _compare_performance(a: Incident, b: Incident) -> Iterator[ComparedValue]:
    points_a, points_b = (
        [list(points(row)) for row in items(member(incident, "timeline"), "progress")] for incident in (a, b)
    )
    for what, measure in (("last step", _max_step), ("steps a minute", _steps_per_minute)):
        compared = ComparedValue(what, measure(points_a), measure(points_b))
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


def format_comparison(comparison: Mapping[str, object], names: tuple[str, str]) -> Iterator[str]:
    """Yield the comparison as lines for a terminal."""
    yield f"A  {to_one_line(names[0])}"
    yield f"B  {to_one_line(names[1])}"
    meaning = text(member(comparison, "alike"), "means")
    yield f"{meaning[0].upper()}{meaning[1:]}"
    for title, key in (("Facts", "facts"), ("Performance", "performance")):
        yield from _table(title, items(comparison, key))
    for title, key in (
        ("Root causes", "causes"),
        ("Findings", "findings"),
        ("Unknown errors", "unknown"),
    ):
        yield from _format_lists(title, member(comparison, key))
    yield from _format_settings(member(comparison, "settings"))


def _table(title: str, rows: Sequence[Mapping[str, object]]) -> Iterator[str]:
    rows = [row for row in rows if row.get("a") not in (None, "") or row.get("b") not in (None, "")]
    if rows:
        yield from ("", title)
    for row in rows:
        values = (
            [_format_value(row.get("a"))]
            if row.get("same") is True
            else [_format_value(row.get("a")), _format_value(row.get("b"))]
        )
        mark = "=" if row.get("same") is True else "≠"
        yield f" {mark} {text(row, 'what'):<20} {' | '.join(values)}"


def _format_value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.10g}"
    return f"{value:,}" if isinstance(value, int) else to_one_line(str(value), 160) if value not in (None, "") else "-"


def _format_lists(title: str, split: Mapping[str, object]) -> Iterator[str]:
    if any(texts(split, key) for key in ("both", "only_a", "only_b")):
        yield from ("", title)
    for key, mark in (("both", "="), ("only_a", "A"), ("only_b", "B")):
        values = texts(split, key)
        yield from (f" {mark} {to_one_line(value, 160)}" for value in values[:MAX_ROWS])
        if len(values) > MAX_ROWS:
            yield f" {mark} and {len(values) - MAX_ROWS:,} more"


def _format_settings(settings: Mapping[str, object]) -> Iterator[str]:
    differ = items(settings, "differ")
    if not (differ or whole_number(settings, "same") or texts(settings, "only_a") or texts(settings, "only_b")):
        return
    yield from ("", "Versions and settings")
    if same := whole_number(settings, "same"):
        yield f" = {plural(same, 'setting')} the same"
    for row in differ[: 4 * MAX_ROWS]:
        sides = " | ".join(to_one_line(join_names(texts(row, side)), 120) for side in ("a", "b"))
        yield f" ≠ {text(row, 'key'):<20} {sides}"
    for key, mark in (("only_a", "A"), ("only_b", "B")):
        if keys := texts(settings, key):
            yield f" {mark} {to_one_line(join_names(keys, MAX_ROWS), 400)}"
