"""From how a file is stored to plain lines: encodings, colours, and formats with one record a line.

One line feed comes out for each that goes in, so that line numbers stay those of the file. What was a line feed
inside a record comes out as a carriage return.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable
from typing import Protocol

from analyzer.formats.records.cri_partial import CriPartialJoiner, begins_with_cri
from analyzer.formats.records.csv_export import CsvConverter, find_log_columns
from analyzer.formats.records.folded import FoldedLineJoiner, find_fold_width
from analyzer.formats.records.journal_export import JournalExportConverter, is_journal_export
from analyzer.formats.records.json_array import JsonArrayConverter, is_json_array
from analyzer.formats.records.json_lines import JsonLinesConverter, find_json_kind
from analyzer.formats.records.sections import SectionPrefixer, has_section_header

MAX_HELD_LINE_BYTES = 4 << 20  # bytes of one line that are held back; a longer line goes on unread, in pieces
MIN_HEAD_BYTES = 16  # bytes; fewer tell nothing about an encoding

# ECMA-48: CSI, OSC (ended by BEL or ST), and the two-character escapes that terminals and tput send.
_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,1024}(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>78cDEHMNO])"
)
_CR_LINE_END = re.compile(rb"\r{1,3}\n")
_PROGRESS_BAR = re.compile(rb"it/s|s/it|ETA|ms/step|s/step|\d%\||\[[=>.]{4}|\d/\d++ ")


class Unwrapper(Protocol):
    """`feed` takes blocks cut anywhere and gives what is ready; `finish` gives the rest. Neither raises on any bytes.

    `notes` says in sentences what was changed or could not be read; complete after `finish`.
    """

    name: str
    notes: list[str]

    def feed(self, block: bytes) -> bytes: ...

    def finish(self) -> bytes: ...


class LineConverter(Protocol):
    """Turns whole lines into as many lines. `finish` gives what it held back."""

    name: str

    def convert(self, lines: bytes) -> bytes: ...

    def finish(self) -> bytes: ...

    def note(self) -> str: ...


class LineUnwrapper:
    """Feeds a converter with whole lines."""

    def __init__(self, converter: LineConverter) -> None:
        self.name = converter.name
        self.notes: list[str] = []
        self._converter = converter
        self._partial_line = b""

    def feed(self, block: bytes) -> bytes:
        end = block.rfind(b"\n") + 1
        if not end:
            self._partial_line += block
            if len(self._partial_line) < MAX_HELD_LINE_BYTES:
                return b""
            whole_lines, self._partial_line = self._partial_line, b""
        else:
            whole_lines, self._partial_line = self._partial_line + block[:end], block[end:]
        return self._converter.convert(whole_lines)

    def finish(self) -> bytes:
        rest, self._partial_line = self._partial_line, b""
        result = (self._converter.convert(rest) if rest else b"") + self._converter.finish()
        if note := self._converter.note():
            self.notes.append(note)
        return result


class ByteUnwrapper:
    """A change that needs no whole lines."""

    def __init__(self, name: str, note: str, change: Callable[[bytes, bool], bytes]) -> None:
        self.name = name
        self.notes = [note] if note else []
        self._change = change

    def feed(self, block: bytes) -> bytes:
        return self._change(block, False)

    def finish(self) -> bytes:
        return self._change(b"", True)


class UnwrapperChain:
    """Several unwrappers, the outermost first."""

    def __init__(self, stages: list[Unwrapper]) -> None:
        self.name = "+".join(stage.name for stage in stages)
        self.notes: list[str] = []
        self._stages = stages

    def feed(self, block: bytes) -> bytes:
        for stage in self._stages:
            block = stage.feed(block)
        return block

    def finish(self) -> bytes:
        rest = b""
        for stage in self._stages:
            rest = (stage.feed(rest) if rest else b"") + stage.finish()
            self.notes.extend(stage.notes)
        return rest


class EscapeRemover:
    name = "ansi"

    def __init__(self) -> None:
        self._count = 0

    def convert(self, lines: bytes) -> bytes:
        if b"\x1b" not in lines:
            return lines
        result, count = _ESCAPES.subn(b"", lines)
        self._count += count
        return result

    def finish(self) -> bytes:
        return b""

    def note(self) -> str:
        return f"{self._count} terminal escape sequences were removed." if self._count else ""


def choose_unwrapper(head: bytes) -> Unwrapper | None:
    """The unwrapper that a file which begins with these bytes needs; None for plain lines, the common case.

    `head` is the beginning of the file: 64 KiB are plenty, all of a smaller file.
    """
    if is_journal_export(head):  # its lengths count bytes, so nothing may change before it
        return LineUnwrapper(JournalExportConverter())
    stages: list[Unwrapper] = []
    for choose in (_choose_encoding, _choose_line_ends, _choose_nuls, _choose_escapes):
        if stage := choose(head):
            head = _preview(choose(head), head)
            stages.append(stage)
    stages.extend(LineUnwrapper(converter) for converter in _choose_records(head))
    if not stages:
        return None
    return stages[0] if len(stages) == 1 else UnwrapperChain(stages)


def decode_plain_text(raw: bytes) -> str:
    """A whole small file as text: its encoding and line ends are undone, its records are left as they are."""
    for choose in (_choose_encoding, _choose_line_ends):
        raw = _preview(choose(raw), raw)
    return raw.decode("utf-8", "replace")


def _preview(stage: Unwrapper | None, head: bytes) -> bytes:
    """What the head looks like behind a stage, to choose the next one."""
    return stage.feed(head) + stage.finish() if stage else head


def _choose_encoding(head: bytes) -> Unwrapper | None:
    if head.startswith(codecs.BOM_UTF8):
        return ByteUnwrapper("utf-8-bom", "The file begins with a UTF-8 byte order mark.", _decode("utf-8-sig"))
    for mark, encoding in (
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if head.startswith(mark):
            return ByteUnwrapper(encoding, f"The file was decoded from {encoding.upper()}.", _decode(encoding))
    if guess := _guess_utf16(head[:4096]):
        return ByteUnwrapper(
            guess, f"The file was decoded from {guess.upper()}; it has no byte order mark.", _decode(guess)
        )
    return None


def _guess_utf16(head: bytes) -> str | None:
    """Latin text in UTF-16 has a NUL in every other byte, on one side only."""
    if len(head) < MIN_HEAD_BYTES:
        return None
    half = len(head) // 2
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd > 0.6 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.6 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def _decode(encoding: str) -> Callable[[bytes, bool], bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    return lambda block, final: decoder.decode(block, final).encode("utf-8", "replace")


def _choose_line_ends(head: bytes) -> Unwrapper | None:
    """Lines that end in CR LF (Windows, every pseudo-terminal), which would read as one more segment each, or in CR
    alone (old Mac, some serial consoles). A progress bar that redraws itself is none of the latter."""
    if b"\r\n" in head:
        return ByteUnwrapper("crlf", "", _make_crlf_remover())
    if b"\n" in head or head.count(b"\r") < 2:
        return None
    pieces = [piece for piece in head.split(b"\r") if piece.strip()]
    bar_count = sum(bool(_PROGRESS_BAR.search(piece)) for piece in pieces)
    if len(pieces) < 2 or bar_count > len(pieces) // 2:
        return None
    return ByteUnwrapper("cr", "Lines end in a carriage return; they are counted as lines.", _make_cr_replacer())


def _make_crlf_remover() -> Callable[[bytes, bool], bytes]:
    held_returns = b""

    def change(block: bytes, final: bool) -> bytes:
        nonlocal held_returns
        block = held_returns + block
        # Returns at a block's end wait for what follows; two before a line feed come of a terminal behind a terminal.
        end = block[-3:]
        held_returns = b"" if final else end[len(end.rstrip(b"\r")) :]
        return _CR_LINE_END.sub(b"\n", block[: len(block) - len(held_returns)])

    return change


def _make_cr_replacer() -> Callable[[bytes, bool], bytes]:
    replacing = True

    def change(block: bytes, final: bool) -> bytes:
        nonlocal replacing
        if not replacing:
            return block
        end = block.find(b"\n")  # a line feed after all: what follows has ordinary ends
        if end < 0:
            return block.replace(b"\r", b"\n")
        replacing = False
        return block[:end].replace(b"\r", b"\n") + block[end:]

    return change


def _choose_nuls(head: bytes) -> Unwrapper | None:
    """A log truncated while its writer kept the offset begins with a hole of NULs; disks leave them after a crash."""
    if b"\0" not in head:
        return None
    return ByteUnwrapper("nul", "NUL bytes were read as spaces.", lambda block, final: block.replace(b"\0", b" "))


def _choose_escapes(head: bytes) -> Unwrapper | None:
    return LineUnwrapper(EscapeRemover()) if b"\x1b" in head and _ESCAPES.search(head) else None


def _choose_records(head: bytes) -> Iterable[LineConverter]:
    if is_json_array(head):
        return [JsonArrayConverter()]
    if kind := find_json_kind(head):
        # Docker's records become CRI lines, and a record may be one piece of a long line.
        return [JsonLinesConverter(kind), CriPartialJoiner()] if kind == "docker-json" else [JsonLinesConverter(kind)]
    if columns := find_log_columns(head):
        return [CsvConverter(columns)]
    if begins_with_cri(head):
        return (
            [CriPartialJoiner(), JsonLinesConverter("cri-json")]
            if find_json_kind(head, behind_cri=True)
            else [CriPartialJoiner()]
        )
    if has_section_header(head):
        return [SectionPrefixer()]
    return [FoldedLineJoiner(width)] if (width := find_fold_width(head)) else []
