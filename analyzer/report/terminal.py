"""The incident for a terminal: the verdict, why, its evidence, what now. Every piece is a `Text`, never markup.

Log text may hold escape sequences and rich's own `[markup]`: control characters are shown as pictures, and `Text` reads
no markup. Styles are dropped by the console itself where it is no terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from analyzer.report.answer import Answer, Candidate, answer
from analyzer.report.cascade import build_cascade
from analyzer.report.evidence import unknown_place, when, where
from analyzer.report.passages import gather, rows
from analyzer.report.replay import tell_replay
from analyzer.report.tolerant import items, member, text, texts
from analyzer.report.wording import clock, listed, one_line, plural

EVIDENCE, GROUPS, SETTINGS = 3, 8, 5
STYLE = {"diagnosed": "bold red", "undiagnosed": "bold yellow", "no-failure": "bold green"}


def render_terminal(incident: Mapping[str, object], console: Console) -> Iterator[RenderableType]:
    """Yields what to print, in order; `console` is asked for its width alone."""
    said = answer(incident)
    width = max(console.width, 40)
    yield Text(one_line(said.headline, 500), style=STYLE.get(said.verdict, "bold"))
    if said.sentence and said.sentence != said.headline:
        yield Text(one_line(said.sentence, 1200))
    if said.seen:
        yield Text(one_line(f"{said.seen[0].upper()}{said.seen[1:]}", 600), style="bold")
    if said.root:
        yield from _diagnosis(said, said.root, width)
        yield from _cascade(incident)
    elif said.verdict == "undiagnosed":
        yield from _unknown(said, width)
    yield from _replay(incident)
    yield from _skew(incident)
    if said.needs:
        yield from _list("What would help" if said.verdict == "undiagnosed" else "What this could not see", said.needs)
    yield Text()
    yield Text(f"{said.coverage}; signature {one_line(text(incident, 'signature') or 'none', 80)}", style="dim")
    yield from _unread(incident)
    yield from _changes(incident)


def _diagnosis(said: Answer, root: Candidate, width: int) -> Iterator[RenderableType]:
    yield Text()
    facts = [
        ("cause", root.cause),
        ("where", root.place),
        ("when", clock(root.time) or "no time known"),
        ("how sure", root.certainty),
        ("who acts", root.blame),
        ("cascade", said.cascade),
    ]
    yield _columns((Text(name, "dim"), Text(one_line(value, 400))) for name, value in facts if value)
    yield from _list("Why", root.why)
    yield Text()
    yield Text("Evidence", style="bold")
    passages = gather(root.evidence, reach=2)
    for one in passages[:EVIDENCE]:
        yield from _evidence(one, width)
    if rest := sum(map(len, passages[EVIDENCE:])):
        yield Text(f" and {plural(rest, 'more line')}", style="dim")
    yield from _list("What to do now", root.remediation)
    if len(said.candidates) > 1:
        yield from _list(
            "Other candidates",
            [f"{one.title} ({one.cause}, {one.sureness})" for one in said.candidates[1:4]],
        )


def _evidence(passage: Sequence[Mapping[str, object]], width: int, around: int = 1) -> Iterator[RenderableType]:
    """The place, then the lines: a neighbour is cut at the terminal's edge, the hit wraps beside its number."""
    place, time = where(passage[0]), when(passage[0])
    apart = "  " if len(place) + len(time) + 3 <= width else "\n "
    yield Text.assemble(" ", (place, "cyan"), (apart + time, "dim"), overflow="fold")
    shown = rows(passage, around)[:8]
    digits = max((len(str(row.number)) for row in shown if row.number), default=1)
    yield _columns(
        (
            Text(f"{'▸' if row.hit else ' '} {row.number or '':>{digits}}"),
            Text(one_line(row.text, 1200 if row.hit else width - digits - 6), "bold" if row.hit else "dim"),
        )
        for row in shown
    )


def _unknown(said: Answer, width: int) -> Iterator[RenderableType]:
    yield from _list("Where to look", said.leads[:5])
    if said.unknown:
        yield Text()
        yield Text("Unexplained error lines, the most telling first", style="bold")
    for one in said.unknown:
        yield Text(f" {one_line(unknown_place(one), 300)}", style="dim")
        yield from _evidence([member(one, "example")], width, around=0)


def _cascade(incident: Mapping[str, object]) -> Iterator[RenderableType]:
    groups = build_cascade(incident).consequent
    yield from _list(
        "What followed",
        [
            f"{group.rule}: {plural(group.lines, 'line')} on {listed(list(group.nodes), 3) or 'no node'}"
            for group in groups[:GROUPS]
        ],
    )
    if len(groups) > GROUPS:
        yield Text(f" and {plural(len(groups) - GROUPS, 'more kind')}", style="dim")


def _replay(incident: Mapping[str, object]) -> Iterator[RenderableType]:
    said, reasons, command = tell_replay(incident)
    if said:
        yield from _list("Replay", [said, *reasons, *([f"again: {command}"] if command else [])])


def _skew(incident: Mapping[str, object]) -> Iterator[RenderableType]:
    """One line a setting: each value with its nodes, the commonest first."""
    differing = items(incident, "skew")
    sentences = []
    for row in differing[:SETTINGS]:
        values = member(row, "values")
        shown = [f"{one_line(value, 60)} on {listed(texts(values, value), 2)}" for value in list(values)[:3]]
        sentences.append(f"{one_line(text(row, 'key'), 60)}: {'; '.join(shown)}" + ("; …" if len(values) > 3 else ""))
    yield from _list("What differs between nodes", sentences)
    if len(differing) > SETTINGS:
        yield Text(f" and {plural(len(differing) - SETTINGS, 'more setting')}", style="dim")


def _list(title: str, sentences: Sequence[str]) -> Iterator[RenderableType]:
    if not sentences:
        return
    yield Text()
    yield Text(title, style="bold")
    yield _columns((Text("•"), Text(one_line(sentence, 500))) for sentence in sentences[:10])


def _columns(pairs: Iterable[tuple[Text, Text]]) -> Table:
    """Two columns, indented, of which the second wraps inside itself."""
    table = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True, width=0)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for first, second in pairs:
        table.add_row(Text(" "), first, second)
    return table


def _unread(incident: Mapping[str, object]) -> Iterator[RenderableType]:
    marred = [one for one in items(incident, "sources") if text(one, "status") not in ("read", "")]
    if marred:
        names = listed([one_line(f"{text(one, 'file')} ({_why(one)})", 200) for one in marred], 3)
        yield Text(f"{plural(len(marred), 'file')} not read whole: {names}", style="yellow")


def _why(source: Mapping[str, object]) -> str:
    return ": ".join(filter(None, (text(source, "status"), text(source, "problem"))))


def _changes(incident: Mapping[str, object]) -> Iterator[RenderableType]:
    """Who reads the verdict should know which rules had no say in it."""
    for change in items(member(incident, "tool"), "rule_changes"):
        file = one_line(text(change, "file"), 200)
        for verb, key in (("switches off", "switched_off"), ("replaces", "replaced")):
            if names := texts(change, key):
                yield Text(f"{file} {verb} {listed([one_line(name, 80) for name in names], 6)}", style="yellow")
