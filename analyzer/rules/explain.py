"""Why a finding of a written report stands, and what was missing for the other rules of its cause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.formats import read_line
from analyzer.reading.blocks import fill_captures
from analyzer.reading.patience import Patience
from analyzer.reading.plan import Ready
from analyzer.rules.compiled import compile_pattern
from analyzer.rules.conditions import anchors_of
from analyzer.rules.lint_types import atoms
from analyzer.rules.types import Packs, Rule, Signal

Report = Mapping[str, object]
Row = Mapping[str, object]
WIDEST = 160  # characters of a line that are shown
MOST = 8  # lines of evidence that are shown


@dataclass(frozen=True, slots=True)
class Match:
    """The pattern that finds the line, and what it captures (with `also`, `set` and the table's row)."""

    pattern: str
    captures: Mapping[str, str]


def rows(report: Report, *keys: str) -> list[Row]:
    """A list of objects inside the report; empty where the report is of another make."""
    found: object = report
    for key in keys:
        found = found.get(key) if isinstance(found, Mapping) else None
    return [row for row in found if isinstance(row, Mapping)] if isinstance(found, list) else []


def find_finding(report: Report, name: str) -> Row | None:
    """By its id (`f3`), else the first of the rule that is called so."""
    findings = rows(report, "findings")
    by_id = next((row for row in findings if row.get("id") == name), None)
    return by_id or next((row for row in findings if row.get("rule") == name), None)


def explain(report: Report, finding: Row, packs: Packs) -> Iterator[str]:
    """Lines of prose."""
    where = finding.get("node") or "the job"
    yield f"{finding.get('id')}  {finding.get('rule')}  cause {finding.get('cause') or 'none'}, on {where}"
    yield f"  {finding.get('title')}"
    rule = packs.rules.get(str(finding.get("rule")))
    if rule is None:
        yield "  its rule is in none of the packs that are loaded; give its pack with --rules"
        return
    yield f"  written in {rule.file}:{rule.line}"
    yield "  it fired because of"
    for line in rows(finding, "evidence")[:MOST]:
        yield from _explain_line(line, rule, packs)
    yield from _explain_edges(report, finding)
    yield from _explain_others(report, finding, rule, packs)


def match_line(signal: Signal, text: str, block: Sequence[str], packs: Packs) -> Match | None:
    """As the reader confirms a hit: the whole line, or what is left behind its prefixes."""
    ready = Ready(signal, Patience())
    message = read_line(text).message
    for pattern, compiled in zip(signal.match, map(compile_pattern, signal.match), strict=True):
        if found := ready.search(compiled, text) or ready.search(compiled, message):
            said = {name: value for name, value in found.groupdict().items() if value is not None}
            return Match(pattern, fill_captures(ready, said, message, text, tuple(block), packs.tables))
    return None


def _explain_line(line: Row, rule: Rule, packs: Packs) -> Iterator[str]:
    text, block = str(line.get("text", "")), line.get("block")
    yield f"    {line.get('file')}:{line.get('line') or '-'}  {text[:WIDEST]}"
    matched = False
    for name in dict.fromkeys(atom.signal for atom in atoms(rule.when)):
        signal = packs.signals.get(name)
        if signal and (hit := match_line(signal, text, block if isinstance(block, list) else (), packs)):
            matched = True
            said = ", ".join(f"{key}={value}" for key, value in hit.captures.items())
            yield f"      signal {name}: {hit.pattern}"
            yield f"      captures {said[: WIDEST * 2] or 'nothing'}"
    if not matched:
        yield "      the analyzer concluded this from several lines, or from a core file"


def _explain_edges(report: Report, finding: Row) -> Iterator[str]:
    titles = {row.get("id"): f"{row.get('id')} {row.get('rule')}" for row in rows(report, "findings")}
    above = finding.get("explained_by")
    for name in above if isinstance(above, list) else ():
        yield f"  explained by {titles.get(name, name)}"
    below = [
        str(titles[row.get("id")])
        for row in rows(report, "findings")
        if isinstance(by := row.get("explained_by"), list) and finding.get("id") in by
    ]
    if below:
        yield f"  explains {', '.join(below)}"


def _explain_others(report: Report, finding: Row, rule: Rule, packs: Packs) -> Iterator[str]:
    fired = {str(row.get("rule")) for row in rows(report, "findings")}
    cause = finding.get("cause")
    others = [other for other in packs.rules.values() if other.id not in fired and cause and cause == other.cause]
    if not others:
        return
    seen = _seen(report)
    lacks = {str(row.get("rule")): row for row in rows(report, "not_evaluated")}
    yield f"  other rules of {cause} that did not fire, and what was missing"
    for other in others:
        if lack := lacks.get(other.id):
            yield f"    {other.id}: not evaluated, {_reason(lack)}"
        else:
            yield f"    {other.id}: {_missing(other, seen)}"


def _reason(lack: Row) -> str:
    kinds, nodes = lack.get("lacks"), lack.get("nodes")
    said = f"no source of kind {' or '.join(map(str, kinds))}" if isinstance(kinds, list) else "a source is missing"
    return said + (f" from {', '.join(map(str, nodes[:5]))}" if isinstance(nodes, list) and nodes else " in the bundle")


def _seen(report: Report) -> dict[str, list[Row]]:
    seen: dict[str, list[Row]] = {}
    for event in rows(report, "timeline", "events"):
        seen.setdefault(str(event.get("signal")), []).append(event)
    return seen


def _missing(rule: Rule, seen: Mapping[str, list[Row]]) -> str:
    """What the anchors lack, else which parts were there: the condition as a whole did not hold."""
    anchors = anchors_of(rule.when)
    there = [name for name in anchors if seen.get(name)]
    if not there:
        return f"no line of {', '.join(sorted(anchors)) or 'its signals'}"
    parts = []
    for atom in atoms(rule.when):
        events = seen.get(atom.signal, [])
        nodes = sorted({str(event.get("node")) for event in events})
        tests = ", ".join(f"{name} {' or '.join(wanted)}" for name, wanted in atom.where.items())
        parts.append(
            f"{atom.signal}{f' where {tests}' if tests else ''}: "
            + (
                f"{len(events)} lines on {', '.join(nodes[:3])}{' …' if len(nodes) > 3 else ''}"
                if events
                else "no line"
            )
        )
    return "; ".join(dict.fromkeys(parts))
