"""Find the causes after which a program continued as before: it wrote the same kinds of lines as before the cause.

    [eval] ckpt-8: mse=0.5982                       before
    OOM when allocating tensor with shape[..]       the cause: the program caught it
    [eval] ckpt-16: mse=0.4498                      after it, until the end of the log

Lines that state a step are judged elsewhere. The lines here may say anything, in any language. The comparison uses the
lines that the reader keeps: those around each cause, and the last lines of each source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from analyzer.formats import read_line
from analyzer.incident import Finding
from analyzer.model import Event, Kind, Severity, Source

MIN_LINES_BEHIND = 2  # lines after the cause, of kinds that also occur before it
MIN_WORDS = 2  # words of letters; a line with fewer has no kind of its own
_NUMBER = re.compile(r"\d[\d.,:+-]*")
_find_words = re.compile(r"[^\W\d_]{2,}").findall
Lines = tuple[int, tuple[str, ...]]  # number of the first one, texts


def find_continued(
    findings: Iterable[Finding], sources: Iterable[Source], context: Mapping[tuple[str, int], Lines]
) -> frozenset[str]:
    """Return the ids of the findings after which their program continued.

    Files of other nodes do not count: the log of an operator that names the pod says nothing about its program.

    Args:
        findings: the findings of the incident.
        sources: the files of the incident.
        context: (file, line) → lines around it.
    """
    by_file = {source.file: source for source in sources}
    line_counts = {source.file: source.lines for source in by_file.values()}
    return frozenset(
        finding.id
        for finding in findings
        if finding.cause and finding.evidence[0].kind in (Kind.WORKER, Kind.UNKNOWN)
        if _is_own_file(finding, by_file)
        if _went_on(finding.evidence[0], _last_of_same_writer(finding.evidence), line_counts, context)
    )


def _is_own_file(finding: Finding, by_file: Mapping[str, Source]) -> bool:
    source = by_file.get(finding.evidence[0].locus.file)
    return source is None or not source.node or not finding.node or source.node == finding.node


def _last_of_same_writer(evidence: Sequence[Event]) -> Event:
    """Return the last event by the writer of the first event. Other events may be lines of its peers."""
    first = evidence[0]
    return [event for event in evidence if (event.locus.file, event.stream) == (first.locus.file, first.stream)][-1]


def _went_on(
    first: Event, last: Event, line_counts: Mapping[str, int], context: Mapping[tuple[str, int], Lines]
) -> bool:
    around = context.get((first.locus.file, first.locus.line or 0))
    tail = context.get((last.locus.file, line_counts.get(last.locus.file, 0)))
    if around is None or tail is None:
        return False
    end = (last.locus.line or 0) + len(last.block)
    before = set(_kinds_of(around, first.stream, 0, (first.locus.line or 0) - 1))
    return (
        sum(kind in before for kind in _kinds_of(tail, first.stream, end + 1, tail[0] + len(tail[1])))
        >= MIN_LINES_BEHIND
    )


def _kinds_of(lines: Lines, stream: str, first: int, last: int) -> Iterable[str]:
    """Yield the kinds of a writer's harmless lines between two line numbers: their messages without numbers."""
    begin, texts = lines
    for number, text in enumerate(texts, begin):
        if first <= number <= last:
            line = read_line(text)
            is_harmless = (line.severity or Severity.INFO) < Severity.WARNING
            if is_harmless and line.stream in ("", stream) and len(_find_words(line.message)) >= MIN_WORDS:
                yield _NUMBER.sub("#", line.message.strip())
