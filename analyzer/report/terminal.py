"""The incident for a terminal: verdict, reasons, evidence, advice. Every piece is a `Text`, never markup.

Log text may hold escape sequences and rich's own `[markup]`: control characters are shown as pictures, and `Text` reads
no markup. The console itself drops styles if it is not a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from analyzer.report.cascade import build_cascade
from analyzer.report.document import WrittenEvidence, WrittenIncident, WrittenSource
from analyzer.report.evidence import describe_occurrences, format_location, format_times
from analyzer.report.formatting import format_time, plural, to_one_line
from analyzer.report.log_excerpts import excerpt_rows, group_nearby_lines
from analyzer.report.replay_section import describe_replay
from analyzer.report.summary import CauseSummary, IncidentSummary, summarize
from analyzer.wording import join_names

MAX_EXCERPTS, MAX_GROUPS, MAX_SETTINGS = 3, 8, 5
VERDICT_STYLES = {"diagnosed": "bold red", "undiagnosed": "bold yellow", "no-failure": "bold green"}


def render_terminal(incident: WrittenIncident, console: Console) -> Iterator[RenderableType]:
    """Yield the renderables in order; only the width of `console` is used."""
    summary = summarize(incident)
    width = max(console.width, 40)
    yield Text(to_one_line(summary.headline, 500), style=VERDICT_STYLES.get(summary.verdict, "bold"))
    if summary.sentence and summary.sentence != summary.headline:
        yield Text(to_one_line(summary.sentence, 1200))
    if summary.seen:
        yield Text(to_one_line(f"{summary.seen[0].upper()}{summary.seen[1:]}", 600), style="bold")
    if summary.root:
        yield from _render_cause(summary, summary.root, width)
        yield from _render_cascade(incident)
    elif summary.verdict == "undiagnosed":
        yield from _render_unknown(summary, width)
    yield from _render_replay(incident)
    yield from _render_skew(incident)
    if summary.needs:
        yield from _render_list(
            "What would help" if summary.verdict == "undiagnosed" else "What is missing", summary.needs
        )
    yield Text()
    yield Text(f"{summary.coverage}; signature {to_one_line(incident.signature or 'none', 80)}", style="dim")
    yield from _render_unread(incident)
    yield from _render_rule_changes(incident)


def _render_cause(summary: IncidentSummary, root: CauseSummary, width: int) -> Iterator[RenderableType]:
    yield Text()
    facts = [
        ("cause", root.cause),
        ("where", root.place),
        ("when", format_time(root.time) or "time unknown"),
        ("how sure", root.certainty),
        ("who acts", root.blame),
        ("cascade", summary.cascade),
    ]
    yield _two_columns((Text(name, "dim"), Text(to_one_line(value, 400))) for name, value in facts if value)
    yield from _render_list("Why", root.why)
    yield Text()
    yield Text("Evidence", style="bold")
    passages = group_nearby_lines(root.evidence, max_distance=2)
    for excerpt in passages[:MAX_EXCERPTS]:
        yield from _render_excerpt(excerpt, width)
    if remaining := sum(map(len, passages[MAX_EXCERPTS:])):
        yield Text(f" and {plural(remaining, 'more line')}", style="dim")
    yield from _render_list("What to do now", root.remediation)
    if len(summary.candidates) > 1:
        yield from _render_list(
            "Other candidates",
            [f"{excerpt.title} ({excerpt.cause}, {excerpt.sureness})" for excerpt in summary.candidates[1:4]],
        )


def _render_excerpt(excerpt: Sequence[WrittenEvidence], width: int, around: int = 1) -> Iterator[RenderableType]:
    """Yield the place, then the lines. Context lines are cut at the terminal's edge; hits are wrapped."""
    place, time = format_location(excerpt[0]), format_times(excerpt[0])
    separator = "  " if len(place) + len(time) + 3 <= width else "\n "
    yield Text.assemble(" ", (place, "cyan"), (separator + time, "dim"), overflow="fold")
    shown = excerpt_rows(excerpt, around)[:8]
    digits = max((len(str(row.number)) for row in shown if row.number), default=1)
    yield _two_columns(
        (
            Text(f"{'▸' if row.hit else ' '} {row.number or '':>{digits}}"),
            Text(to_one_line(row.text, 1200 if row.hit else width - digits - 6), "bold" if row.hit else "dim"),
        )
        for row in shown
    )


def _render_unknown(summary: IncidentSummary, width: int) -> Iterator[RenderableType]:
    yield from _render_list("Where to look", summary.leads[:5])
    if summary.unknown:
        yield Text()
        yield Text("Unknown error lines, the most significant first", style="bold")
    for template in summary.unknown:
        yield Text(f" {to_one_line(describe_occurrences(template), 300)}", style="dim")
        yield from _render_excerpt([template.example], width, around=0)


def _render_cascade(incident: WrittenIncident) -> Iterator[RenderableType]:
    groups = build_cascade(incident).consequent
    yield from _render_list(
        "What followed",
        [
            f"{group.rule}: {plural(group.lines, 'line')} on {join_names(list(group.nodes), 3) or 'no node'}"
            for group in groups[:MAX_GROUPS]
        ],
    )
    if len(groups) > MAX_GROUPS:
        yield Text(f" and {plural(len(groups) - MAX_GROUPS, 'more kind')}", style="dim")


def _render_replay(incident: WrittenIncident) -> Iterator[RenderableType]:
    verdict, reasons, command = describe_replay(incident)
    if verdict:
        yield from _render_list("Replay", [verdict, *reasons, *([f"again: {command}"] if command else [])])


def _render_skew(incident: WrittenIncident) -> Iterator[RenderableType]:
    """Yield one line for each setting: its values with their nodes, the most common first."""
    differing = incident.skew
    sentences = []
    for row in differing[:MAX_SETTINGS]:
        first_values = islice(row.values.items(), 3)
        shown = [f"{to_one_line(value, 60)} on {join_names(nodes, 2)}" for value, nodes in first_values]
        sentences.append(f"{to_one_line(row.key, 60)}: {'; '.join(shown)}" + ("; …" if len(row.values) > 3 else ""))
    yield from _render_list("What differs between nodes", sentences)
    if len(differing) > MAX_SETTINGS:
        yield Text(f" and {plural(len(differing) - MAX_SETTINGS, 'more setting')}", style="dim")


def _render_list(title: str, sentences: Sequence[str]) -> Iterator[RenderableType]:
    if not sentences:
        return
    yield Text()
    yield Text(title, style="bold")
    yield _two_columns((Text("•"), Text(to_one_line(sentence, 500))) for sentence in sentences[:10])


def _two_columns(pairs: Iterable[tuple[Text, Text]]) -> Table:
    """Return a table of two indented columns; text of the second wraps within its column."""
    table = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True, width=0)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for first, second in pairs:
        table.add_row(Text(" "), first, second)
    return table


def _render_unread(incident: WrittenIncident) -> Iterator[RenderableType]:
    unread = [source for source in incident.sources if source.status not in ("read", "")]
    if unread:
        names = join_names([to_one_line(f"{source.file} ({_describe_problem(source)})", 200) for source in unread], 3)
        yield Text(f"{plural(len(unread), 'file')} not read completely: {names}", style="yellow")


def _describe_problem(source: WrittenSource) -> str:
    return ": ".join(filter(None, (source.status, source.problem)))


def _render_rule_changes(incident: WrittenIncident) -> Iterator[RenderableType]:
    """Yield a line for each file that disables or replaces rules, because that affects the verdict."""
    for change in incident.tool.rule_changes:
        file = to_one_line(change.file, 200)
        for verb, names in (("switches off", change.switched_off), ("replaces", change.replaced)):
            if names:
                yield Text(f"{file} {verb} {join_names([to_one_line(name, 80) for name in names], 6)}", style="yellow")
