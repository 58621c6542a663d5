"""Two incidents side by side: what they share and where they differ, as one JSON object and as lines of text."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.incident import SIGNATURE_LEVELS
from analyzer.report.tolerant import items, member, moment, points, text, texts, whole
from analyzer.report.wording import duration, listed, one_line, plural

Incident = Mapping[str, object]
SHOWN = 12  # rows of a list in the text


@dataclass(frozen=True, slots=True)
class Side:
    """One value of both incidents."""

    what: str
    a: object
    b: object

    @property
    def same(self) -> bool:
        return self.a == self.b


def compare(a: Incident, b: Incident) -> dict[str, object]:
    """Lists hold what both have, and what only one of them has."""
    return {
        "alike": _alike(a, b),
        "facts": [{"what": one.what, "a": one.a, "b": one.b, "same": one.same} for one in _facts(a, b)],
        "causes": _split(_names(a, "root_causes", "cause"), _names(b, "root_causes", "cause")),
        "findings": _split(_names(a, "findings", "rule"), _names(b, "findings", "rule")),
        "settings": _settings(a, b),
        "unknown": _split(_names(a, "unclassified", "template"), _names(b, "unclassified", "template")),
        "performance": [{"what": one.what, "a": one.a, "b": one.b, "same": one.same} for one in _performance(a, b)],
    }


def _alike(a: Incident, b: Incident) -> dict[str, object]:
    """The finest level at which the signatures agree; a report of an older version has but one."""
    mine, theirs = (member(one, "signatures") or {"usual": text(one, "signature")} for one in (a, b))
    for level, means in SIGNATURE_LEVELS.items():
        if text(mine, level) and text(mine, level) == text(theirs, level):
            return {"level": level, "means": means}
    return {"level": None, "means": "not the same kind of failure"}


def _facts(a: Incident, b: Incident) -> Iterator[Side]:
    yield Side("verdict", text(a, "verdict"), text(b, "verdict"))
    mine, theirs = (next(iter(items(one, "root_causes")), {}) for one in (a, b))
    for key in ("cause", "rule", "node", "task", "status", "confidence", "title"):
        yield Side("culprit" if key == "node" else key, mine.get(key), theirs.get(key))
    for what, measure in (("nodes", _nodes), ("tasks", _tasks), ("length of the logs", _length), ("lines", _lines)):
        yield Side(what, measure(a), measure(b))
    yield Side("start", text(member(a, "timeline"), "start"), text(member(b, "timeline"), "start"))


def _nodes(one: Incident) -> int:
    return len(items(one, "nodes"))


def _tasks(one: Incident) -> str:
    jobs = Counter(task.partition(":")[0] for node in items(one, "nodes") for task in texts(node, "tasks"))
    return ", ".join(f"{count} {job}" for job, count in sorted(jobs.items()))


def _length(one: Incident) -> str:
    start, end = (moment(member(one, "timeline").get(key)) for key in ("start", "end"))
    return "not known" if start is None or end is None else duration(end - start)


def _lines(one: Incident) -> int:
    return sum(whole(source, "lines") for source in items(one, "sources"))


def _names(one: Incident, key: str, name: str) -> list[str]:
    return list(dict.fromkeys(text(row, name) for row in items(one, key) if text(row, name)))


def _split(mine: Sequence[str], theirs: Sequence[str]) -> dict[str, list[str]]:
    return {
        "both": [one for one in mine if one in set(theirs)],
        "only_a": [one for one in mine if one not in set(theirs)],
        "only_b": [one for one in theirs if one not in set(mine)],
    }


def _settings(a: Incident, b: Incident) -> dict[str, object]:
    """Versions and settings; where nodes differ among themselves, all of their values count."""
    mine, theirs = _values(a), _values(b)
    shared = mine.keys() & theirs.keys()
    return {
        "same": sum(mine[key] == theirs[key] for key in shared),
        "differ": [
            {"key": key, "a": mine[key], "b": theirs[key]} for key in sorted(shared) if mine[key] != theirs[key]
        ],
        "only_a": sorted(mine.keys() - theirs.keys()),
        "only_b": sorted(theirs.keys() - mine.keys()),
    }


def _values(one: Incident) -> dict[str, list[str]]:
    values = {key: [str(value)] for key, value in member(one, "settings").items()}
    return values | {text(row, "key"): sorted(member(row, "values")) for row in items(one, "skew")}


def _performance(a: Incident, b: Incident) -> Iterator[Side]:
    mine, theirs = ([list(points(row)) for row in items(member(one, "timeline"), "progress")] for one in (a, b))
    for what, measure in (("last step", _last_step), ("steps a minute", _rate)):
        sides = Side(what, measure(mine), measure(theirs))
        if sides.a is not None or sides.b is not None:
            yield sides


def _last_step(lanes: Iterable[Sequence[tuple[float, float]]]) -> float | None:
    return max((step for lane in lanes for _, step in lane), default=None)


def _rate(lanes: Iterable[Sequence[tuple[float, float]]]) -> float | None:
    """The median over the tasks."""
    rates = [
        60 * (lane[-1][1] - lane[0][1]) / (lane[-1][0] - lane[0][0])
        for lane in lanes
        if len(lane) > 1 and lane[-1][0] > lane[0][0]
    ]
    return float(f"{statistics.median(rates):.3g}") if rates else None


def write_text(said: Mapping[str, object], names: tuple[str, str]) -> Iterator[str]:
    """Lines for a terminal."""
    yield f"A  {one_line(names[0])}"
    yield f"B  {one_line(names[1])}"
    means = text(member(said, "alike"), "means")
    yield f"{means[0].upper()}{means[1:]}"
    for title, key in (("Facts", "facts"), ("Performance", "performance")):
        yield from _table(title, items(said, key))
    for title, key in (
        ("Root causes", "causes"),
        ("Findings", "findings"),
        ("Errors that no rule explains", "unknown"),
    ):
        yield from _lists(title, member(said, key))
    yield from _write_settings(member(said, "settings"))


def _table(title: str, rows: Sequence[Mapping[str, object]]) -> Iterator[str]:
    rows = [row for row in rows if row.get("a") not in (None, "") or row.get("b") not in (None, "")]
    if rows:
        yield from ("", title)
    for row in rows:
        values = [_say(row.get("a"))] if row.get("same") is True else [_say(row.get("a")), _say(row.get("b"))]
        mark = "=" if row.get("same") is True else "≠"
        yield f" {mark} {text(row, 'what'):<20} {' | '.join(values)}"


def _say(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.10g}"
    return f"{value:,}" if isinstance(value, int) else one_line(str(value), 160) if value not in (None, "") else "-"


def _lists(title: str, split: Mapping[str, object]) -> Iterator[str]:
    if any(texts(split, key) for key in ("both", "only_a", "only_b")):
        yield from ("", title)
    for key, mark in (("both", "="), ("only_a", "A"), ("only_b", "B")):
        found = texts(split, key)
        yield from (f" {mark} {one_line(one, 160)}" for one in found[:SHOWN])
        if len(found) > SHOWN:
            yield f" {mark} and {len(found) - SHOWN:,} more"


def _write_settings(said: Mapping[str, object]) -> Iterator[str]:
    differ = items(said, "differ")
    if not (differ or whole(said, "same") or texts(said, "only_a") or texts(said, "only_b")):
        return
    yield from ("", "Versions and settings")
    if same := whole(said, "same"):
        yield f" = {plural(same, 'setting')} the same"
    for row in differ[: 4 * SHOWN]:
        sides = " | ".join(one_line(listed(texts(row, side)), 120) for side in ("a", "b"))
        yield f" ≠ {text(row, 'key'):<20} {sides}"
    for key, mark in (("only_a", "A"), ("only_b", "B")):
        if found := texts(said, key):
            yield f" {mark} {one_line(listed(found, SHOWN), 400)}"
