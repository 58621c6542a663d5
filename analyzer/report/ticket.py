"""The incident as text for a ticket. This module has the content; a `Dialect` has the markup of a tracker.

Log text appears only in fences and code spans, where it cannot mention people, link, or start a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from analyzer.report.cascade import FindingGroup, build_cascade
from analyzer.report.document import WrittenIncident, WrittenNode
from analyzer.report.endings import describe_row, list_endings
from analyzer.report.evidence import format_location, format_times
from analyzer.report.formatting import format_clock_offset, format_last_step, format_time, plural, to_one_line
from analyzer.report.log_excerpts import excerpt_rows, group_nearby_lines
from analyzer.report.replay_section import describe_replay
from analyzer.report.summary import WOULD_HELP, CauseSummary, IncidentSummary, summarize
from analyzer.report.written_evidence import WrittenEvidence, format_cells
from analyzer.wording import join_names

RESERVED_CHARS = 500  # characters reserved for the last line
MAX_EXCERPTS, MAX_NODES, MAX_GROUPS, MAX_UNKNOWN, MAX_SKEW = 8, 60, 20, 10, 15


@dataclass(frozen=True, slots=True)
class Dialect:
    """The markup of a tracker. `limit`: the maximum number of characters of a text."""

    limit: int
    heading: Callable[[int, str], str]  # level, formatted text
    plain: Callable[[str, int], str]  # text, maximum length: without markup
    code: Callable[..., str]  # text, maximum length (160): fits a table cell; "" for ""
    fence: Callable[[Sequence[str]], str]  # lines as they are
    table: Callable[[Sequence[str], Sequence[Sequence[str]]], str]  # header, rows of formatted cells
    items: Callable[[Iterable[str]], str]
    steps: Callable[[Iterable[str]], str]
    fold: Callable[[str, Sequence[str]], str]  # title, formatted blocks: folded if the tracker can


def render_ticket(incident: WrittenIncident, dialect: Dialect) -> str:
    """Return the text, at most `dialect.limit` characters.

    Blocks that do not fit are dropped from the end, and the last line says how many.
    """
    kept_blocks, used_chars, left_out = list[str](), 0, 0
    for block in _ticket_blocks(dialect, incident, summarize(incident)):
        if left_out or used_chars + len(block) + 2 > dialect.limit - RESERVED_CHARS:
            left_out += 1
            continue
        kept_blocks.append(block)
        used_chars += len(block) + 2
    if left_out:
        kept_blocks.append(
            f"{plural(left_out, 'part')} left out: a ticket has at most {dialect.limit:,} characters. "
            "The HTML report has them."
        )
    return "\n\n".join(kept_blocks) + "\n"


def _ticket_blocks(dialect: Dialect, incident: WrittenIncident, summary: IncidentSummary) -> Iterator[str]:
    yield dialect.heading(2, dialect.plain(summary.headline, 400))
    yield f"Report of tf-postmortem {dialect.plain(incident.tool.version, 40)}"  # `bundle/own_outputs.py` knows it
    if incident.meta:
        yield dialect.items(
            f"{dialect.plain(key, 80)}: {dialect.plain(value, 500)}" for key, value in incident.meta.items()
        )
    if summary.sentence:
        yield dialect.plain(summary.sentence, 2000)
    if summary.seen:
        yield dialect.plain(f"{summary.seen[0].upper()}{summary.seen[1:]}", 600)
    if summary.root:
        yield from _cause_blocks(dialect, summary, summary.root)
    else:
        yield from _undiagnosed_blocks(dialect, summary)
    if len(summary.candidates) > 1:
        yield dialect.heading(3, "Other candidates")
        yield dialect.items(
            f"{dialect.plain(candidate.title, 300)}: {dialect.code(candidate.cause)} on "
            f"{dialect.code(candidate.place)}, {candidate.sureness}, {dialect.plain(candidate.status, 40)}"
            for candidate in summary.candidates[1:6]
        )
    yield from _replay_blocks(dialect, incident)
    yield from _ends_blocks(dialect, incident)
    cascade = build_cascade(incident)
    folded = (
        ("What followed", [_format_groups(dialect, cascade.consequent)] if cascade.consequent else []),
        ("Unknown errors", list(_unknown_blocks(dialect, incident))),
        ("What differs between nodes", list(_skew_blocks(dialect, incident))),
        ("Nodes", list(_node_blocks(dialect, incident))),
        (
            "Limits of this analysis",
            [dialect.items(dialect.plain(note, 400) for note in incident.notes[:15])],
        ),
    )
    yield from (dialect.fold(title, blocks) for title, blocks in folded if any(blocks))
    signature = dialect.code(incident.signature or "none")
    yield f"{dialect.plain(summary.coverage, 200)}. Incident signature {signature}."


def _cause_blocks(dialect: Dialect, summary: IncidentSummary, root: CauseSummary) -> Iterator[str]:
    facts = [
        ("Cause", f"{dialect.code(root.cause)} {dialect.plain(root.means, 300)}"),
        ("Where", dialect.code(root.place)),
        ("When", format_time(root.time) or "time unknown"),
        ("How sure", dialect.plain(root.certainty, 300)),
        ("Who acts", dialect.plain(root.blame, 200)),
        ("Cascade", dialect.plain(summary.cascade, 300)),
    ]
    yield dialect.table(("Question", "Answer"), [(name, value) for name, value in facts if value.strip()])
    if root.why:
        yield dialect.heading(3, "For")
        yield dialect.items(dialect.plain(reason, 600) for reason in root.why[:12])
    if root.objections:
        yield dialect.heading(3, "Against")
        yield dialect.items(dialect.plain(reason, 600) for reason in root.objections[:12])
    if root.would_decide:
        yield dialect.heading(3, WOULD_HELP)
        yield dialect.plain(root.would_decide, 400)
    if root.remediation:
        yield dialect.heading(3, "What to do")
        yield dialect.steps(dialect.plain(step, 600) for step in root.remediation[:12])
    yield dialect.heading(3, "Evidence")
    passages = group_nearby_lines(root.evidence, max_distance=4)
    for excerpt in passages[:MAX_EXCERPTS]:
        yield _format_excerpt(dialect, excerpt)
    if remaining := sum(map(len, passages[MAX_EXCERPTS:])):
        yield f"{plural(remaining, 'more line')} in the HTML report."


def _undiagnosed_blocks(dialect: Dialect, summary: IncidentSummary) -> Iterator[str]:
    if summary.leads:
        yield dialect.heading(3, "Where to look")
        yield dialect.items(dialect.plain(lead, 400) for lead in summary.leads[:5])
    if summary.verdict == "undiagnosed" and summary.unknown:
        yield dialect.heading(3, "Unknown error lines, the most significant first")
        for template in summary.unknown:
            yield f"{template.count:,}× on {_list_names(dialect, template.nodes)}:"
            yield _format_excerpt(dialect, [template.example], around=0)
    if summary.needs:
        yield dialect.heading(3, summary.needs_heading)
        yield dialect.items(dialect.plain(need, 400) for need in summary.needs)


def _format_excerpt(dialect: Dialect, excerpt: Sequence[WrittenEvidence], around: int = 2) -> str:
    """Format a sentence with the place and a fence with the lines; hits have an arrow."""
    shown = excerpt_rows(excerpt, around, 600)[:12]
    lines = [
        f"{'>' if row.hit else ' '} {cells}  {to_one_line(row.text, 600)}".rstrip()
        for row, cells in zip(shown, format_cells(shown), strict=True)
    ]
    first = excerpt[0]
    on_node = f" on {dialect.code(first.node)}" if first.node else ""
    return f"{dialect.code(format_location(first))}{on_node}, {format_times(first)}\n\n{dialect.fence(lines)}"


def _ends_blocks(dialect: Dialect, incident: WrittenIncident) -> Iterator[str]:
    endings = list_endings(incident)
    if incident.hard_facts and endings.rows:
        yield dialect.heading(3, "How each node ended")
        if endings.explains:
            yield dialect.plain(f"The answer {endings.explains}.", 400)
        yield dialect.items(dialect.plain(describe_row(row), 400) for row in endings.rows)


def _replay_blocks(dialect: Dialect, incident: WrittenIncident) -> Iterator[str]:
    verdict, reasons, command = describe_replay(incident)
    if verdict:
        yield dialect.heading(3, "Replay")
        yield dialect.plain(verdict[0].upper() + verdict[1:], 300)
        yield dialect.items(dialect.plain(reason, 400) for reason in reasons[:8])
        if command:
            yield f"Again: {dialect.code(command, 400)}"


def _format_groups(dialect: Dialect, groups: Sequence[FindingGroup]) -> str:
    table = dialect.table(
        ("What", "Lines", "Nodes", "First"),
        [
            (dialect.code(group.rule), f"{group.lines:,}", _list_names(dialect, group.nodes), format_time(group.first))
            for group in groups[:MAX_GROUPS]
        ],
    )
    return table + (
        f"\n\n{plural(len(groups) - MAX_GROUPS, 'more kind')} in the HTML report." if len(groups) > MAX_GROUPS else ""
    )


def _unknown_blocks(dialect: Dialect, incident: WrittenIncident) -> Iterator[str]:
    if incident.unclassified:
        yield dialect.table(
            ("Line", "Count", "Nodes"),
            [
                (
                    dialect.code(template.template, 200),
                    f"{template.count:,}",
                    _list_names(dialect, template.nodes),
                )
                for template in incident.unclassified[:MAX_UNKNOWN]
            ],
        )


def _skew_blocks(dialect: Dialect, incident: WrittenIncident) -> Iterator[str]:
    rows = incident.skew
    if rows:
        yield dialect.table(
            ("Setting", "Value", "Nodes"),
            [
                (
                    dialect.code(row.key, 80),
                    dialect.code(value, 120),
                    _list_names(dialect, nodes),
                )
                for row in rows[:MAX_SKEW]
                for value, nodes in islice(row.values.items(), 4)
            ],
        )
        if len(rows) > MAX_SKEW:
            yield f"{plural(len(rows) - MAX_SKEW, 'more setting')} in the HTML report."


def _node_blocks(dialect: Dialect, incident: WrittenIncident) -> Iterator[str]:
    nodes = incident.nodes
    if not nodes:
        return
    yield dialect.table(
        ("Node", "Tasks", "Clock is ahead", "Last line", "Last step", "Silent since"),
        [
            (
                dialect.code(node.name),
                _list_names(dialect, node.tasks),
                _format_clock_offset(node),
                format_time(node.last_time) if node.present else "not in the bundle",
                format_last_step(node),
                format_time(node.silent_since),
            )
            for node in nodes[:MAX_NODES]
        ],
    )
    if len(nodes) > MAX_NODES:
        yield f"{plural(len(nodes) - MAX_NODES, 'more node')} in the HTML report."


def _format_clock_offset(node: WrittenNode) -> str:
    return format_clock_offset(node.clock) if node.clock.method not in ("", "none") else "unknown"


def _list_names(dialect: Dialect, names: Sequence[str]) -> str:
    return join_names([dialect.code(name, 80) for name in names], 3)
