"""What may be asked about one incident. Each answer is a text of at most MAX_CHARS characters; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Protocol

from analyzer.errors import UsageError
from analyzer.inquiry.texts import LineSource, NumberedLine
from analyzer.redact.secrets import mask_text
from analyzer.redact.settings import mask_values_on_next_lines
from analyzer.report.brief import render_brief
from analyzer.report.controls import show_controls
from analyzer.report.document import WrittenEvent, WrittenIncident
from analyzer.report.formatting import clip, format_time, parse_time, plural, to_one_line

MAX_CHARS = 20_000  # of an answer
MAX_LINES, MAX_EVENTS, MAX_HITS, MAX_FILES = 200, 200, 60, 200
MAX_LINE_CHARS, MAX_QUERY_CHARS = 600, 200
MAX_SEARCHED_CHARS = 2_000_000_000  # of all files; a search stops there and says so
SEVERITIES = ("debug", "info", "warning", "error", "fatal")


class NameHider(Protocol):
    """Redaction, or nothing."""

    def hide(self, text: str) -> str:
        """Return an answer without the names that are to be redacted. Raises AnalyzerError if one would stay."""
        ...

    def hide_name(self, name: str) -> str:
        """Return a name of the incident, such as a file, as answers show it."""
        ...

    def reveal(self, text: str) -> str:
        """Return a question's text with the original names in place of those that answers show."""
        ...


class IncidentQuestions:
    """The questions about one incident.

    incident: as written, with the original names.
    source: the lines of its files.
    explain: returns lines that say why a rule fired on the bundle or did not; None if only a report is at hand.
    names: what is redacted.
    """

    def __init__(
        self,
        incident: WrittenIncident,
        source: LineSource,
        explain: Callable[[str], Iterable[str]] | None,
        names: NameHider,
    ) -> None:
        self._incident, self._source, self._explain, self._names = incident, source, explain, names
        self._files = {names.hide_name(source.file): source.file for source in incident.sources}

    def facts(self) -> str:
        """How each node ended, the hypotheses with reasons for and against, the deciding lines, and what is missing."""
        return self._answer([render_brief(self._incident)])

    def files(self, first: int = 1) -> str:
        """The files of the incident with their node, kind, number of lines and times, from the `first`-th on."""
        rows = [
            f"{source.file}  {source.node or '-'}  {source.kind}  {plural(source.lines, 'line')}  "
            f"{source.first_time or '-'} to {source.last_time or '-'}  {source.status}"
            for source in self._incident.sources
        ]
        return self._answer(_page(rows, first, MAX_FILES, "files"))

    def timeline(
        self, start: str = "", end: str = "", node: str = "", severity: str = "warning", first: int = 1
    ) -> str:
        """Events of all nodes in corrected order.

        `start` and `end` are RFC 3339 times in UTC, `node` a name, `severity` the least: debug, info, warning, error or
        fatal. At most 200 events from the `first`-th on; the answer says how many there are.
        """
        if severity not in SEVERITIES:
            raise UsageError(
                f"severity {severity}: choose {', '.join(SEVERITIES)}", "the tool's description lists them"
            )
        shown = SEVERITIES[SEVERITIES.index(severity) :]
        since, until = _read_time(start, "start"), _read_time(end, "end")
        wanted = self._names.reveal(node)
        rows = [
            f"{event.corrected or event.time or 'no time'}  {event.severity}  {event.node or '-'}  "
            f"{event.file}:{event.line or ''}  {to_one_line(event.text, MAX_LINE_CHARS)}"
            for event in self._incident.timeline.events
            if event.severity in shown and _is_within(event, since, until) and wanted in ("", event.node)
        ]
        return self._answer(_page(rows, first, MAX_EVENTS, "events"))

    def lines(self, file: str, first: int = 1, count: int = 50) -> str:
        """At most 200 lines of one file of the incident, `count` from line `first` on. `files` lists the names."""
        first, count, path = max(first, 1), min(max(count, 1), MAX_LINES), self._find_file(file)
        lines = list(islice((line for line in self._source.lines([path]) if line.number >= first), count))
        if not lines:
            return self._answer([f"{path} has no line from {first} on{self._limits()}"])
        rows = (f"{line.number:>7}  {_shown(line)}" for line in lines)
        return self._answer([f"{path}, lines {lines[0].number} to {lines[-1].number}{self._limits()}:", *rows])

    def search(self, text: str, file: str = "") -> str:
        """The first 60 lines that hold the text, in any case, in all files or in one of them."""
        wanted = self._names.reveal(text[:MAX_QUERY_CHARS]).casefold()
        if not wanted.strip():
            raise UsageError("the text to search for is empty", "give at least one character")
        files = [self._find_file(file)] if file else [row.file for row in self._incident.sources if row.lines]
        return self._answer(self._search(wanted, files))

    def why_not(self, rule: str) -> str:
        """Why a rule fired on the incident or did not: each part of its condition, its lines, and what it misses."""
        if self._explain is None:
            raise UsageError("a report alone cannot say why a rule did not fire", "start the server with the bundle")
        return self._answer(self._explain(rule))

    def _search(self, wanted: str, files: list[str]) -> Iterator[str]:
        searched = hits = 0
        for line in self._source.lines(files):
            searched += len(line.text)
            if wanted in line.text.casefold():
                hits += 1
                if hits > MAX_HITS:
                    yield f"only the first {MAX_HITS} lines are shown; search in one file, or for a longer text"
                    return
                yield f"{line.file}:{line.number}  {_shown(line)}"
            if searched > MAX_SEARCHED_CHARS:
                yield f"the search stopped in {line.file} after {MAX_SEARCHED_CHARS:,} characters"
                return
        yield f"{plural(hits, 'line')} found in {plural(len(files), 'file')}{self._limits()}"

    def _find_file(self, file: str) -> str:
        """Return the path of a file of the incident. Raises UsageError for any other name."""
        if file not in self._files:
            raise UsageError(f"the incident has no file {file!r}", "`files` lists them")
        return self._files[file]

    def _limits(self) -> str:
        return "" if self._source.is_complete else " (of the lines that the report quotes)"

    def _answer(self, rows: Iterable[str]) -> str:
        text = self._names.hide(show_controls("\n".join(rows)))
        cut_note = "\n(truncated: request less at once)"
        return text if len(text) <= MAX_CHARS else clip(text, MAX_CHARS - len(cut_note)) + cut_note


def _shown(line: NumberedLine) -> str:
    _, text = mask_values_on_next_lines((line.before, line.text))
    return to_one_line(mask_text(text), MAX_LINE_CHARS)


def _page(rows: list[str], first: int, count: int, what: str) -> list[str]:
    """Return a head line and at most `count` rows from the `first`-th on, as many as fit into an answer."""
    first, used, shown = max(first, 1), 200, list[str]()
    for row in rows[first - 1 : first - 1 + count]:
        used += len(row) + 1
        if used > MAX_CHARS:
            break
        shown.append(row)
    last = first + len(shown) - 1
    more = f"; first={last + 1} continues" if last < len(rows) else ""
    return [f"{what} {first} to {last} of {len(rows):,}{more}" if shown else f"no {what} (of {len(rows):,})", *shown]


def _read_time(text: str, name: str) -> float | None:
    time = parse_time(text) if text else None
    if text and time is None:
        raise UsageError(f"{name} {text!r} is not a time", f"as in {format_time('2026-01-31T07:38:01Z')}")
    return time


def _is_within(event: WrittenEvent, since: float | None, until: float | None) -> bool:
    time = parse_time(event.corrected or event.time)
    if time is None:
        return since is None and until is None
    return (since is None or time >= since) and (until is None or time <= until)
