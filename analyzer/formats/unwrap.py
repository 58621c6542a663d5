"""From how a file is stored to plain lines: encodings, colours, and formats with one record a line.

One line feed comes out for each that goes in, so that line numbers stay those of the file. What was a line feed
inside a record comes out as a carriage return.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable
from typing import Protocol

from analyzer.formats.unwrap_array import ArrayReader, looks_like_array
from analyzer.formats.unwrap_cri import PartialJoiner, looks_like_cri
from analyzer.formats.unwrap_csv import CsvReader, read_header
from analyzer.formats.unwrap_export import ExportReader, looks_like_export
from analyzer.formats.unwrap_folded import FoldedReader, fold_of
from analyzer.formats.unwrap_json import JsonReader, recognize_json
from analyzer.formats.unwrap_sections import SectionReader, looks_like_sections

LONGEST = 4 << 20  # bytes of one line that are held back; a longer line goes on unread, in pieces
SHORTEST_HEAD = 16  # bytes; fewer tell nothing about an encoding

# ECMA-48: CSI, OSC (ended by BEL or ST), and the two-character escapes that terminals and tput send.
_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,1024}(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>78cDEHMNO])"
)
_RETURNS = re.compile(rb"\r{1,3}\n")
_PROGRESS = re.compile(rb"it/s|s/it|ETA|ms/step|s/step|\d%\||\[[=>.]{4}|\d/\d++ ")


class Unwrapper(Protocol):
    """`feed` takes blocks cut anywhere and gives what is ready; `finish` gives the rest. Neither raises on any bytes.

    `notes` says in sentences what was changed or could not be read; complete after `finish`.
    """

    name: str
    notes: list[str]

    def feed(self, block: bytes) -> bytes: ...

    def finish(self) -> bytes: ...


class Converter(Protocol):
    """Turns whole lines into as many lines. `finish` gives what it held back."""

    name: str

    def convert(self, lines: bytes) -> bytes: ...

    def finish(self) -> bytes: ...

    def note(self) -> str: ...


class ByLine:
    """Feeds a converter with whole lines."""

    def __init__(self, converter: Converter) -> None:
        self.name = converter.name
        self.notes: list[str] = []
        self._converter = converter
        self._carry = b""

    def feed(self, block: bytes) -> bytes:
        end = block.rfind(b"\n") + 1
        if not end:
            self._carry += block
            if len(self._carry) < LONGEST:
                return b""
            whole, self._carry = self._carry, b""
        else:
            whole, self._carry = self._carry + block[:end], block[end:]
        return self._converter.convert(whole)

    def finish(self) -> bytes:
        rest, self._carry = self._carry, b""
        result = (self._converter.convert(rest) if rest else b"") + self._converter.finish()
        if note := self._converter.note():
            self.notes.append(note)
        return result


class ByBytes:
    """A change that needs no whole lines."""

    def __init__(self, name: str, note: str, change: Callable[[bytes, bool], bytes]) -> None:
        self.name = name
        self.notes = [note] if note else []
        self._change = change

    def feed(self, block: bytes) -> bytes:
        return self._change(block, False)

    def finish(self) -> bytes:
        return self._change(b"", True)


class Chain:
    """Several unwrappers, the outermost first."""

    def __init__(self, stages: list[Unwrapper]) -> None:
        self.name = "+".join(each.name for each in stages)
        self.notes: list[str] = []
        self._stages = stages

    def feed(self, block: bytes) -> bytes:
        for each in self._stages:
            block = each.feed(block)
        return block

    def finish(self) -> bytes:
        rest = b""
        for each in self._stages:
            rest = (each.feed(rest) if rest else b"") + each.finish()
            self.notes.extend(each.notes)
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


def unwrapper_for(head: bytes) -> Unwrapper | None:
    """The unwrapper that a file which begins with these bytes needs; None for plain lines, the common case.

    `head` is the beginning of the file: 64 KiB are plenty, all of a smaller file.
    """
    if looks_like_export(head):  # its lengths count bytes, so nothing may change before it
        return ByLine(ExportReader())
    stages: list[Unwrapper] = []
    for choose in (_choose_encoding, _choose_line_ends, _choose_nuls, _choose_escapes):
        if stage := choose(head):
            head = _preview(choose(head), head)
            stages.append(stage)
    stages.extend(ByLine(each) for each in _choose_records(head))
    if not stages:
        return None
    return stages[0] if len(stages) == 1 else Chain(stages)


def read_plain(raw: bytes) -> str:
    """A whole small file as text: its encoding and line ends are undone, its records are left as they are."""
    for choose in (_choose_encoding, _choose_line_ends):
        raw = _preview(choose(raw), raw)
    return raw.decode("utf-8", "replace")


def _preview(stage: Unwrapper | None, head: bytes) -> bytes:
    """What the head looks like behind a stage, to choose the next one."""
    return stage.feed(head) + stage.finish() if stage else head


def _choose_encoding(head: bytes) -> Unwrapper | None:
    if head.startswith(codecs.BOM_UTF8):
        return ByBytes("utf-8-bom", "The file begins with a UTF-8 byte order mark.", _decode("utf-8-sig"))
    for mark, encoding in (
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if head.startswith(mark):
            return ByBytes(encoding, f"The file was decoded from {encoding.upper()}.", _decode(encoding))
    if guess := _guess_utf16(head[:4096]):
        return ByBytes(guess, f"The file was decoded from {guess.upper()}; it has no byte order mark.", _decode(guess))
    return None


def _guess_utf16(head: bytes) -> str | None:
    """Latin text in UTF-16 has a NUL in every other byte, on one side only."""
    if len(head) < SHORTEST_HEAD:
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
        return ByBytes("crlf", "", _drop_returns())
    if b"\n" in head or head.count(b"\r") < 2:
        return None
    pieces = [each for each in head.split(b"\r") if each.strip()]
    drawn = sum(bool(_PROGRESS.search(each)) for each in pieces)
    if len(pieces) < 2 or drawn > len(pieces) // 2:
        return None
    return ByBytes("cr", "Lines end in a carriage return; they are counted as lines.", _end_lines())


def _drop_returns() -> Callable[[bytes, bool], bytes]:
    held = b""

    def change(block: bytes, final: bool) -> bytes:
        nonlocal held
        block = held + block
        # Returns at a block's end wait for what follows; two before a line feed come of a terminal behind a terminal.
        end = block[-3:]
        held = b"" if final else end[len(end.rstrip(b"\r")) :]
        return _RETURNS.sub(b"\n", block[: len(block) - len(held)])

    return change


def _end_lines() -> Callable[[bytes, bool], bytes]:
    active = True

    def change(block: bytes, final: bool) -> bytes:
        nonlocal active
        if not active:
            return block
        end = block.find(b"\n")  # a line feed after all: what follows has ordinary ends
        if end < 0:
            return block.replace(b"\r", b"\n")
        active = False
        return block[:end].replace(b"\r", b"\n") + block[end:]

    return change


def _choose_nuls(head: bytes) -> Unwrapper | None:
    """A log truncated while its writer kept the offset begins with a hole of NULs; disks leave them after a crash."""
    if b"\0" not in head:
        return None
    return ByBytes("nul", "NUL bytes were read as spaces.", lambda block, final: block.replace(b"\0", b" "))


def _choose_escapes(head: bytes) -> Unwrapper | None:
    return ByLine(EscapeRemover()) if b"\x1b" in head and _ESCAPES.search(head) else None


def _choose_records(head: bytes) -> Iterable[Converter]:
    if looks_like_array(head):
        return [ArrayReader()]
    if kind := recognize_json(head):
        # Docker's records become CRI lines, and a record may be one piece of a long line.
        return [JsonReader(kind), PartialJoiner()] if kind == "docker-json" else [JsonReader(kind)]
    if columns := read_header(head):
        return [CsvReader(columns)]
    if looks_like_cri(head):
        return [PartialJoiner(), JsonReader("cri-json")] if recognize_json(head, inside=True) else [PartialJoiner()]
    if looks_like_sections(head):
        return [SectionReader()]
    return [FoldedReader(width)] if (width := fold_of(head)) else []
