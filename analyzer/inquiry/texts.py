"""The lines that questions may ask for: those of a bundle's files, or those that a report quotes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from analyzer.bundle import Input, Loss, Readable, open_bundle
from analyzer.bundle.peek import Peekable
from analyzer.formats.unwrap import choose_encoding
from analyzer.redact.key_blocks import KeyBlockMasker
from analyzer.report.document import WrittenIncident
from analyzer.report.written_evidence import WrittenEvidence
from analyzer.scratch import scratch_folder

MAX_LINE_BYTES = 16_384  # bytes of a line that are kept
BLOCK_BYTES = 1 << 20


class NumberedLine(NamedTuple):
    file: str
    number: int  # 1-based, from the start of the file
    text: str
    before: str  # the line above, which may say that this one is a password; empty if it is not at hand


class LineSource(Protocol):
    """Where lines come from. `is_complete`: whether it has all lines of the files."""

    is_complete: bool

    def lines(self, files: Collection[str]) -> Iterator[NumberedLine]:
        """Yield the lines of these files, by file and number. No other file is opened."""
        ...


class BundleLines:
    """The lines of the files of a bundle, read again for each question in one pass."""

    is_complete = True

    def __init__(self, inputs: Sequence[Input]) -> None:
        self._inputs = inputs

    def lines(self, files: Collection[str]) -> Iterator[NumberedLine]:
        wanted = set(files)
        with scratch_folder() as folder:
            for member in open_bundle(self._inputs, scratch=folder):
                if isinstance(member, Loss) or member.path not in wanted:
                    continue
                wanted.discard(member.path)
                before = ""
                for number, text in enumerate(read_lines(member.stream), 1):
                    yield NumberedLine(member.path, number, text, before)
                    before = text
                if not wanted:
                    return


class QuotedLines:
    """The lines that a report quotes: its evidence and what stands around it, and the last lines of a log."""

    is_complete = False

    def __init__(self, incident: WrittenIncident) -> None:
        self._lines: dict[str, dict[int, str]] = {}
        for event in incident.timeline.events:
            if event.line is not None:
                self._lines.setdefault(event.file, {})[event.line] = event.text
        for evidence in _all_evidence(incident):
            of_file = self._lines.setdefault(evidence.file, {})
            if evidence.context:
                of_file.update(enumerate(evidence.context.lines, evidence.context.first_line))
            if evidence.line is not None:
                of_file[evidence.line] = evidence.text
        for last in incident.last_lines:
            self._lines.setdefault(last.file, {}).update(last.numbered())

    def lines(self, files: Collection[str]) -> Iterator[NumberedLine]:
        for file in files:
            lines = self._lines.get(file, {})
            for number, text in sorted(lines.items()):
                yield NumberedLine(file, number, text, lines.get(number - 1, ""))


def _all_evidence(incident: WrittenIncident) -> Iterator[WrittenEvidence]:
    for finding in incident.findings:
        yield from finding.evidence
    for root in incident.root_causes:
        yield from root.evidence
    yield from (template.example for template in incident.unclassified)


def read_lines(stream: Readable) -> Iterator[str]:
    """Yield the lines of a text as they stand in the file, with private keys overwritten; a damaged file ends at the
    damage.
    """
    blocks = KeyBlockMasker()
    peekable = Peekable(stream)
    make = choose_encoding(peekable.peek(4096))
    decoder = make() if make else None
    partial_line = b""
    with suppress(OSError):
        while block := peekable.read(BLOCK_BYTES):
            full_lines, feed, partial_line = (partial_line + (decoder.feed(block) if decoder else block)).rpartition(
                b"\n"
            )
            if feed:
                yield from map(_to_text, blocks.mask(full_lines + feed)[:-1].split(b"\n"))
            partial_line = partial_line[:MAX_LINE_BYTES]
    if decoder:
        partial_line += decoder.finish()
    if partial_line:
        yield _to_text(blocks.mask(partial_line))


def _to_text(line: bytes) -> str:
    return line[:MAX_LINE_BYTES].decode("utf-8", "replace").rstrip("\r")
