"""The incident as a text for a ticket: what it says is here, how a tracker marks it up is the dialect's.

Log text stands in fences and code spans alone, where it can neither mention people, link, nor start a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.report.answer import Answer, Candidate, answer
from analyzer.report.cascade import Group, build_cascade
from analyzer.report.evidence import when, where
from analyzer.report.passages import gather, rows
from analyzer.report.replay import tell_replay
from analyzer.report.tolerant import items, member, text, texts, whole
from analyzer.report.wording import clock, listed, offset, one_line, plural, reached

SPARE = 500  # characters for the closing words
EVIDENCE, NODES, GROUPS, UNKNOWN, SKEW = 8, 60, 20, 10, 15


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a tracker writes it. `limit`: the most characters that one of its texts holds."""

    limit: int
    heading: Callable[[int, str], str]  # level, finished words
    plain: Callable[[str, int], str]  # text, most characters: nothing in it is markup
    code: Callable[..., str]  # text, most characters (160): may stand in a table; "" for ""
    fence: Callable[[Sequence[str]], str]  # lines as they are
    table: Callable[[Sequence[str], Sequence[Sequence[str]]], str]  # head, rows of finished cells
    items: Callable[[Iterable[str]], str]
    steps: Callable[[Iterable[str]], str]
    fold: Callable[[str, Sequence[str]], str]  # a title, finished blocks: opened by the reader where that can be


def render_ticket(incident: Mapping[str, object], mark: Dialect) -> str:
    """At most `mark.limit` characters. Whole blocks are left out, from the end, and it says so."""
    kept, used, left_out = list[str](), 0, 0
    for block in _blocks(mark, incident, answer(incident)):
        if left_out or used + len(block) + 2 > mark.limit - SPARE:
            left_out += 1
            continue
        kept.append(block)
        used += len(block) + 2
    if left_out:
        kept.append(
            f"{plural(left_out, 'part')} left out: a ticket holds {mark.limit:,} characters. The HTML report has them."
        )
    return "\n\n".join(kept) + "\n"


def _blocks(mark: Dialect, incident: Mapping[str, object], said: Answer) -> Iterator[str]:
    yield mark.heading(2, mark.plain(said.headline, 400))
    if said.sentence:
        yield mark.plain(said.sentence, 2000)
    if said.seen:
        yield mark.plain(f"{said.seen[0].upper()}{said.seen[1:]}", 600)
    if said.root:
        yield from _diagnosis(mark, said, said.root)
    else:
        yield from _open_question(mark, said)
    if len(said.candidates) > 1:
        yield mark.heading(3, "Other candidates")
        yield mark.items(
            f"{mark.plain(one.title, 300)}: {mark.code(one.cause)} on {mark.code(one.place)}, {one.sureness}, "
            f"{one.status}"
            for one in said.candidates[1:6]
        )
    yield from _replay(mark, incident)
    cascade = build_cascade(incident)
    folded = (
        ("What followed", [_groups(mark, cascade.consequent)] if cascade.consequent else []),
        ("Error lines that no rule explains", list(_unknown(mark, incident))),
        ("What differs between nodes", list(_skew(mark, incident))),
        ("Nodes", list(_nodes(mark, incident))),
        ("Limits of this analysis", [mark.items(mark.plain(note, 400) for note in texts(incident, "notes")[:15])]),
    )
    yield from (mark.fold(title, blocks) for title, blocks in folded if any(blocks))
    yield f"{mark.plain(said.coverage, 200)}. Incident signature {mark.code(text(incident, 'signature') or 'none')}."


def _diagnosis(mark: Dialect, said: Answer, root: Candidate) -> Iterator[str]:
    facts = [
        ("Cause", f"{mark.code(root.cause)} {mark.plain(root.means, 300)}"),
        ("Where", mark.code(root.place)),
        ("When", clock(root.time) or "no time known"),
        ("How sure", root.certainty),
        ("Who acts", mark.plain(root.blame, 200)),
        ("Cascade", mark.plain(said.cascade, 300)),
    ]
    yield mark.table(("Question", "Answer"), [(name, value) for name, value in facts if value.strip()])
    if root.why:
        yield mark.heading(3, "Why")
        yield mark.items(mark.plain(one, 600) for one in root.why[:12])
    if root.remediation:
        yield mark.heading(3, "What to do")
        yield mark.steps(mark.plain(one, 600) for one in root.remediation[:12])
    yield mark.heading(3, "Evidence")
    passages = gather(root.evidence, reach=4)
    for one in passages[:EVIDENCE]:
        yield _evidence(mark, one)
    if rest := sum(map(len, passages[EVIDENCE:])):
        yield f"{plural(rest, 'more line')} in the HTML report."


def _open_question(mark: Dialect, said: Answer) -> Iterator[str]:
    if said.leads:
        yield mark.heading(3, "Where to look")
        yield mark.items(mark.plain(lead, 400) for lead in said.leads[:5])
    if said.verdict == "undiagnosed" and said.unknown:
        yield mark.heading(3, "Unexplained error lines, the most telling first")
        for one in said.unknown:
            yield f"{whole(one, 'count', 1):,}× on {_names(mark, texts(one, 'nodes'))}:"
            yield _evidence(mark, [member(one, "example")], around=0)
    if said.needs:
        yield mark.heading(3, "What would help")
        yield mark.items(mark.plain(need, 400) for need in said.needs)


def _evidence(mark: Dialect, passage: Sequence[Mapping[str, object]], around: int = 2) -> str:
    """A sentence with the place and a fence with the lines; the hit has an arrow."""
    shown = rows(passage, around, 600)[:12]
    wide = max((len(str(row.number)) for row in shown if row.number), default=0)
    lines = [
        f"{'>' if row.hit else ' '} {row.number or '':>{wide}}  {one_line(row.text, 600)}".rstrip() for row in shown
    ]
    first = passage[0]
    on = f" on {mark.code(text(first, 'node'))}" if text(first, "node") else ""
    return f"{mark.code(where(first))}{on}, {when(first)}\n\n{mark.fence(lines)}"


def _replay(mark: Dialect, incident: Mapping[str, object]) -> Iterator[str]:
    said, reasons, command = tell_replay(incident)
    if said:
        yield mark.heading(3, "Replay")
        yield mark.plain(said[0].upper() + said[1:], 300)
        yield mark.items(mark.plain(reason, 400) for reason in reasons[:8])
        if command:
            yield f"Again: {mark.code(command, 400)}"


def _groups(mark: Dialect, groups: Sequence[Group]) -> str:
    table = mark.table(
        ("What", "Lines", "Nodes", "First"),
        [
            (mark.code(group.rule), f"{group.lines:,}", _names(mark, group.nodes), clock(group.first))
            for group in groups[:GROUPS]
        ],
    )
    return table + (
        f"\n\n{plural(len(groups) - GROUPS, 'more kind')} in the HTML report." if len(groups) > GROUPS else ""
    )


def _unknown(mark: Dialect, incident: Mapping[str, object]) -> Iterator[str]:
    found = items(incident, "unclassified")
    if found:
        yield mark.table(
            ("Line", "Count", "Nodes"),
            [
                (
                    mark.code(text(one, "template"), 200),
                    f"{whole(one, 'count', 1):,}",
                    _names(mark, texts(one, "nodes")),
                )
                for one in found[:UNKNOWN]
            ],
        )


def _skew(mark: Dialect, incident: Mapping[str, object]) -> Iterator[str]:
    rows = items(incident, "skew")
    if rows:
        yield mark.table(
            ("Setting", "Value", "Nodes"),
            [
                (
                    mark.code(text(row, "key"), 80),
                    mark.code(value, 120),
                    _names(mark, texts(member(row, "values"), value)),
                )
                for row in rows[:SKEW]
                for value in list(member(row, "values"))[:4]
            ],
        )
        if len(rows) > SKEW:
            yield f"{plural(len(rows) - SKEW, 'more setting')} in the HTML report."


def _nodes(mark: Dialect, incident: Mapping[str, object]) -> Iterator[str]:
    nodes = items(incident, "nodes")
    if not nodes:
        return
    yield mark.table(
        ("Node", "Tasks", "Clock is ahead", "Last line", "Last step", "Silent since"),
        [
            (
                mark.code(text(node, "name")),
                _names(mark, texts(node, "tasks")),
                _ahead(node),
                clock(node.get("last_time")) if node.get("present") is not False else "not in the bundle",
                reached(node),
                clock(node.get("silent_since")),
            )
            for node in nodes[:NODES]
        ],
    )
    if len(nodes) > NODES:
        yield f"{plural(len(nodes) - NODES, 'more node')} in the HTML report."


def _ahead(node: Mapping[str, object]) -> str:
    kept = member(node, "clock")
    return offset(kept) if text(kept, "method") not in ("", "none") else "not known"


def _names(mark: Dialect, names: Sequence[str]) -> str:
    return listed([mark.code(name, 80) for name in names], 3)
