"""The incident for a terminal: verdict, reasons, evidence, advice. Every piece is a `Text`, never markup.

Log text may hold escape sequences and rich's own `[markup]`: control characters are shown as pictures, and `Text` reads
no markup. The console itself drops styles if it is not a terminal.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TextIO

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from analyzer.report.cascade import build_cascade
from analyzer.report.document import WrittenIncident, WrittenSource
from analyzer.report.endings import describe_row, list_endings
from analyzer.report.evidence import describe_occurrences, format_location, format_times
from analyzer.report.formatting import format_time, plural, to_one_line
from analyzer.report.log_excerpts import MAX_LINE_CHARS, excerpt_rows, group_nearby_lines
from analyzer.report.replay_section import describe_replay
from analyzer.report.summary import WOULD_HELP, CauseSummary, IncidentSummary, summarize
from analyzer.report.written_evidence import WrittenEvidence, format_cells
from analyzer.wording import join_names

MAX_EXCERPTS, MAX_GROUPS, MAX_SETTINGS = 3, 8, 5
UNLIMITED_WIDTH = 1_000_000  # columns; no line of a report is as long
VERDICT_STYLES = {"diagnosed": "bold red", "undiagnosed": "bold yellow", "no-failure": "bold green"}


@dataclass(frozen=True, slots=True)
class Screen:
    """Where the text goes. `width` is in columns; UNLIMITED_WIDTH is no screen, and nothing is cut."""

    width: int

    def line(self, text: str, limit: int) -> str:
        """Return the text in one line: at most `limit` characters on a screen."""
        return to_one_line(text, UNLIMITED_WIDTH if self.width >= UNLIMITED_WIDTH else limit)


def print_terminal(incident: WrittenIncident, file: TextIO) -> None:
    """Print the incident to a terminal. Elsewhere, in a file or a pipe, no line is wrapped, padded or cut.

    The console honours NO_COLOR, COLUMNS and TERM.
    """
    if file.isatty():
        console = Console(file=file)
        for part in render_terminal(incident, console):
            console.print(part)
        return
    file.write(render_plain(incident))


def render_plain(incident: WrittenIncident) -> str:
    """Return the text for a file or a pipe, in which each sentence and each log line is one line."""
    console = Console(file=io.StringIO(), width=UNLIMITED_WIDTH, color_system=None, force_terminal=False)
    with console.capture() as printed:
        for part in render_terminal(incident, console):
            console.print(part)
    return "".join(f"{line.rstrip()}\n" for line in printed.get().splitlines())


def render_terminal(incident: WrittenIncident, console: Console) -> Iterator[RenderableType]:
    """Yield the renderables in order; only the width of `console` is used."""
    summary, screen = summarize(incident), Screen(max(console.width, 40))
    yield Text(screen.line(summary.headline, 500), style=VERDICT_STYLES.get(summary.verdict, "bold"))
    if summary.sentence and summary.sentence != summary.headline:
        yield Text(screen.line(summary.sentence, 1200))
    if incident.meta:
        entries = (f"{key} {value}" for key, value in incident.meta.items())
        yield Text(screen.line(", ".join(entries), 600))
    if summary.seen:
        yield Text(screen.line(f"{summary.seen[0].upper()}{summary.seen[1:]}", 600), style="bold")
    if summary.root:
        yield from _render_cause(summary, summary.root, screen, list(_render_ends(screen, incident)))
        yield from _render_cascade(screen, incident)
    elif summary.verdict == "undiagnosed":
        yield from _render_ends(screen, incident)
        yield from _render_unknown(summary, screen)
    yield from _render_replay(screen, incident)
    yield from _render_skew(screen, incident)
    if summary.needs:
        yield from _render_list(screen, summary.needs_heading, summary.needs)
    yield Text()
    yield Text(f"{summary.coverage}; signature {screen.line(incident.signature or 'none', 80)}", style="dim")
    yield from _render_unread(screen, incident)
    yield from _render_rule_changes(screen, incident)


def _render_cause(
    summary: IncidentSummary, root: CauseSummary, screen: Screen, ends: Sequence[RenderableType]
) -> Iterator[RenderableType]:
    """Yield the facts, among them `ends`, which hold whatever the cause is, then the reasons, the lines and the
    steps.
    """
    yield Text()
    facts = [
        ("cause", root.cause),
        ("where", root.place),
        ("when", format_time(root.time) or "time unknown"),
        ("how sure", root.certainty),
        ("who acts", root.blame),
        ("cascade", summary.cascade),
    ]
    yield _two_columns((Text(name, "dim"), Text(screen.line(value, 400))) for name, value in facts if value)
    yield from ends
    yield from _render_list(screen, "For", root.why)
    yield from _render_list(screen, "Against", root.objections)
    yield from _render_list(screen, WOULD_HELP, [root.would_decide] if root.would_decide else [])
    yield Text()
    yield Text("Evidence", style="bold")
    passages = group_nearby_lines(root.evidence, max_distance=2)
    for excerpt in passages[:MAX_EXCERPTS]:
        yield from _render_excerpt(excerpt, screen)
    if remaining := sum(map(len, passages[MAX_EXCERPTS:])):
        yield Text(f" and {plural(remaining, 'more line')}", style="dim")
    yield from _render_list(screen, "What to do now", root.remediation)
    if len(summary.candidates) > 1:
        yield from _render_list(
            screen,
            "Other candidates",
            [f"{excerpt.title} ({excerpt.cause}, {excerpt.sureness})" for excerpt in summary.candidates[1:4]],
        )


def _render_ends(screen: Screen, incident: WrittenIncident) -> Iterator[RenderableType]:
    endings = list_endings(incident)
    title = "How each node ended" + (f" (the answer {endings.explains})" if endings.explains else "")
    yield from _render_list(screen, screen.line(title, 400), [describe_row(row) for row in endings.rows])


def _render_excerpt(excerpt: Sequence[WrittenEvidence], screen: Screen, around: int = 1) -> Iterator[RenderableType]:
    """Yield the place, then the lines. Context lines are cut at the terminal's edge; hits are wrapped."""
    place, time = format_location(excerpt[0]), format_times(excerpt[0])
    separator = "  " if len(place) + len(time) + 3 <= screen.width else "\n "
    yield Text.assemble(" ", (place, "cyan"), (separator + time, "dim"), overflow="fold")
    shown = excerpt_rows(excerpt, around, max(screen.width, MAX_LINE_CHARS))[:8]
    yield _two_columns(
        (
            Text(f"{'▸' if row.hit else ' '} {cells}"),
            Text(
                screen.line(row.text, 1200 if row.hit else screen.width - len(cells) - 6),
                "bold" if row.hit else "dim",
            ),
        )
        for row, cells in zip(shown, format_cells(shown, min_width=1), strict=True)
    )


def _render_unknown(summary: IncidentSummary, screen: Screen) -> Iterator[RenderableType]:
    yield from _render_list(screen, "Where to look", summary.leads[:5])
    if summary.unknown:
        yield Text()
        yield Text("Unknown error lines, the most significant first", style="bold")
    for template in summary.unknown:
        yield Text(f" {screen.line(describe_occurrences(template), 300)}", style="dim")
        yield from _render_excerpt([template.example], screen, around=0)


def _render_cascade(screen: Screen, incident: WrittenIncident) -> Iterator[RenderableType]:
    groups = build_cascade(incident).consequent
    yield from _render_list(
        screen,
        "What followed",
        [
            f"{group.rule}: {plural(group.lines, 'line')} on {join_names(list(group.nodes), 3) or 'no node'}"
            for group in groups[:MAX_GROUPS]
        ],
    )
    if len(groups) > MAX_GROUPS:
        yield Text(f" and {plural(len(groups) - MAX_GROUPS, 'more kind')}", style="dim")


def _render_replay(screen: Screen, incident: WrittenIncident) -> Iterator[RenderableType]:
    verdict, reasons, command = describe_replay(incident)
    if verdict:
        yield from _render_list(screen, "Replay", [verdict, *reasons, *([f"again: {command}"] if command else [])])


def _render_skew(screen: Screen, incident: WrittenIncident) -> Iterator[RenderableType]:
    """Yield one line for each setting: its values with their nodes, the most common first."""
    differing = incident.skew
    sentences = []
    for row in differing[:MAX_SETTINGS]:
        first_values = islice(row.values.items(), 3)
        shown = [f"{screen.line(value, 60)} on {join_names(nodes, 2)}" for value, nodes in first_values]
        sentences.append(f"{screen.line(row.key, 60)}: {'; '.join(shown)}" + ("; …" if len(row.values) > 3 else ""))
    yield from _render_list(screen, "What differs between nodes", sentences)
    if len(differing) > MAX_SETTINGS:
        yield Text(f" and {plural(len(differing) - MAX_SETTINGS, 'more setting')}", style="dim")


def _render_list(screen: Screen, title: str, sentences: Sequence[str]) -> Iterator[RenderableType]:
    if not sentences:
        return
    yield Text()
    yield Text(title, style="bold")
    yield _two_columns((Text("•"), Text(screen.line(sentence, 500))) for sentence in sentences[:10])


def _two_columns(pairs: Iterable[tuple[Text, Text]]) -> Table:
    """Return a table of two indented columns; text of the second wraps within its column."""
    table = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True, width=0)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for first, second in pairs:
        table.add_row(Text(" "), first, second)
    return table


def _render_unread(screen: Screen, incident: WrittenIncident) -> Iterator[RenderableType]:
    unread = [source for source in incident.sources if source.status not in ("read", "")]
    if unread:
        names = join_names([screen.line(f"{source.file} ({_describe_problem(source)})", 200) for source in unread], 3)
        yield Text(f"{plural(len(unread), 'file')} not read completely: {names}", style="yellow")


def _describe_problem(source: WrittenSource) -> str:
    return ": ".join(filter(None, (source.status, source.problem)))


def _render_rule_changes(screen: Screen, incident: WrittenIncident) -> Iterator[RenderableType]:
    """Yield a line for each file that disables or replaces rules, because that affects the verdict."""
    for change in incident.tool.rule_changes:
        file = screen.line(change.file, 200)
        for verb, names in (("switches off", change.switched_off), ("replaces", change.replaced)):
            if names:
                yield Text(f"{file} {verb} {join_names([screen.line(name, 80) for name in names], 6)}", style="yellow")
