"""The lines that decide: of a traceback its own frame and its exception, not only its header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.report.written_evidence import ExcerptRow, WrittenEvidence

MAX_DECIDING = 4  # lines of evidence on the first screen
MAX_JOINED_LINES = 2  # lines of one excerpt that are no traceback
MAX_DISTANCE_LINES = 4  # between two lines of one excerpt
_FRAME = re.compile(r'\s*File "(?P<path>[^"]{1,500})", line \d{1,9}')
# Code that was installed, and not written by the job's owner.
_INSTALLED = re.compile(r"/(?:site|dist)-packages/|/lib(?:64)?/python\d|^<frozen |^<string>|/python\d[\d.]*/lib/")


@dataclass(frozen=True, slots=True)
class DecidingExcerpt:
    evidence: WrittenEvidence
    lines: tuple[ExcerptRow, ...]


def choose_deciding_lines(evidence: Sequence[WrittenEvidence]) -> list[DecidingExcerpt]:
    """Return the first lines of evidence; a traceback is its header, the last frame of own code and the exception.

    Lines of one file that are near each other are one excerpt.
    """
    excerpts, shown = list[DecidingExcerpt](), set[tuple[str, int | None]]()
    for line in evidence:
        if (line.file, line.line) in shown:
            continue
        excerpt = DecidingExcerpt(line, tuple(_describe(line, evidence)))
        shown |= {(line.file, row.number) for row in excerpt.lines if row.number is not None}
        if excerpts and _continues(excerpts[-1], excerpt):
            excerpts[-1] = DecidingExcerpt(excerpts[-1].evidence, (*excerpts[-1].lines, *excerpt.lines))
            continue
        excerpts.append(excerpt)
        if len(excerpts) == MAX_DECIDING:
            break
    return excerpts


def _continues(previous: DecidingExcerpt, excerpt: DecidingExcerpt) -> bool:
    """Return whether the excerpt is a single line that soon follows the last line of the previous one."""
    last, line = previous.lines[-1].number, excerpt.evidence.line
    if previous.evidence.file != excerpt.evidence.file or last is None or line is None or len(excerpt.lines) > 1:
        return False
    return len(previous.lines) < MAX_JOINED_LINES and 0 < line - last <= MAX_DISTANCE_LINES


def _describe(line: WrittenEvidence, evidence: Sequence[WrittenEvidence]) -> list[ExcerptRow]:
    lines = [_row("hit", line)]
    block = line.block or []
    if frame := _own_frame(block):
        lines += [ExcerptRow(kind="frame", number=None, text=text) for text in frame]
    exception = next((other for other in evidence if _ends_block(other, line)), None)
    if exception is not None:
        lines.append(_row("exception", exception))
    elif frame and not block[-1].startswith((" ", "\t")):
        lines.append(ExcerptRow(kind="exception", number=None, text=block[-1]))
    return lines


def _row(kind: str, line: WrittenEvidence) -> ExcerptRow:
    return ExcerptRow(kind=kind, number=line.line, text=line.text, evidence=line)


def _own_frame(block: Sequence[str]) -> list[str]:
    """Return the last frame of own code with its source line, or else the last frame; empty without frames."""
    frames = [index for index, text in enumerate(block) if _FRAME.match(text)]
    own = [index for index in frames if not _INSTALLED.search(block[index])]
    if not frames:
        return []
    index = (own or frames)[-1]
    return list(block[index : index + 2]) if index + 1 < len(block) and index + 1 not in frames else [block[index]]


def _ends_block(other: WrittenEvidence, line: WrittenEvidence) -> bool:
    """Return whether `other` is the exception of the traceback at `line`."""
    if other is line or other.file != line.file or not line.block or other.line is None or line.line is None:
        return False
    return line.line < other.line <= line.line + 1000 and other.text in line.block[-1:]
