"""Unwrapping: makes plain lines of a file, whatever its encoding, its colours and its record format.

The output has one line feed for each line feed of the input, so that line numbers stay those of the file. A line feed
inside a record becomes a carriage return.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from analyzer.formats.records.cri_partial import CriPartialJoiner, begins_with_cri
from analyzer.formats.records.csv_export import CsvConverter
from analyzer.formats.records.dated_lines import DateConverter, find_stamp_reader
from analyzer.formats.records.embedded_json import EmbeddedRecordsConverter, find_embedded_records
from analyzer.formats.records.fenced_sections import FencedSectionsConverter, find_fenced_names
from analyzer.formats.records.folded import FoldedLineJoiner, find_fold_width
from analyzer.formats.records.gpu_table import GpuTableConverter, find_gpu_columns, find_queried_columns
from analyzer.formats.records.grep_output import GrepOutputConverter, find_grep_output
from analyzer.formats.records.indented_sections import IndentedSectionsConverter, has_indented_sections
from analyzer.formats.records.journal_export import JournalExportConverter, is_journal_export
from analyzer.formats.records.journal_verbose import JournalVerboseConverter, is_journal_verbose
from analyzer.formats.records.json_document import JsonDocumentConverter, has_labelled_streams, is_json_document
from analyzer.formats.records.json_lines import JsonLinesConverter, find_json_kind
from analyzer.formats.records.json_logger import RecordStyle
from analyzer.formats.records.log_tables import find_log_table
from analyzer.formats.records.logfmt_records import LogfmtConverter, find_logfmt_style
from analyzer.formats.records.markup import MarkupConverter, find_markup
from analyzer.formats.records.metrics_table import find_metrics_table
from analyzer.formats.records.newest_first import LineOrder, OldestFirstSorter, is_newest_first
from analyzer.formats.records.notebook import NotebookConverter, is_notebook
from analyzer.formats.records.pasted_sections import PastedSectionsConverter, find_pasted_sections
from analyzer.formats.records.process_sections import ProcessSectionsConverter, has_process_sections
from analyzer.formats.records.quote_marks import QuoteMarkRemover, is_quotation
from analyzer.formats.records.quoted_output import QuotedOutputConverter, find_quoting_machines
from analyzer.formats.records.sections import SectionPrefixer, find_section_headers
from analyzer.formats.records.sql_rows import SqlConverter, find_sql_rows
from analyzer.formats.records.writer_column import (
    WriterColumnConverter,
    find_column_of_starts,
    find_writer_column,
)
from analyzer.formats.records.writer_prefix import WriterPrefixConverter, find_writer_prefix
from analyzer.formats.records.yaml_events import YamlEventsConverter, find_event_indent
from analyzer.formats.records.yaml_records import YamlRecordsConverter, has_yaml_records

MAX_HELD_LINE_BYTES = 4 << 20  # of a line that is not complete yet; a longer line is passed on in pieces
MIN_HEAD_BYTES = 16  # fewer bytes say nothing about an encoding

# ECMA-48: CSI, OSC and APC (ended by BEL or ST), and the two-character escapes that terminals and tput send.
_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\]_][^\x07\x1b\n]{0,1024}(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>78cDEHMNO])"
)
_BUILDKITE_STAMP = re.compile(rb"^\x1b_bk;t=(\d{10})(\d{3})\x07", re.M)  # milliseconds since the epoch
_CR_LINE_END = re.compile(rb"\r{1,3}\n")
_PROGRESS_BAR = re.compile(rb"it/s|s/it|ETA|ms/step|s/step|\d%\||\[[=>.]{4}|\d/\d++ ")


class Unwrapper(Protocol):
    """Makes plain lines of a stream of bytes.

    `feed` takes a block, which may be cut anywhere, and returns what is ready. `finish` returns the rest. Neither
    raises for any bytes. `notes` are sentences that say what was changed or could not be read; they are complete after
    `finish`. `name` is the names of the stages, joined by `+`. `line_order` is, after `finish`, the number in the file
    of each line that was returned; it is empty if the lines are in the order of the file. `ends_complete` is, after
    `finish`, whether the last record is whole although no line feed may follow it.
    """

    name: str
    notes: list[str]

    @property
    def line_order(self) -> LineOrder: ...

    @property
    def ends_complete(self) -> bool: ...

    def feed(self, block: bytes) -> bytes: ...

    def finish(self) -> bytes: ...


class LineConverter(Protocol):
    """Makes as many lines of whole lines. `finish` returns what was held back; `note` is a sentence or empty.

    One that changes the order of the lines has `line_order`, one of records has `ends_complete`, as an unwrapper has.
    """

    name: str

    def convert(self, lines: bytes) -> bytes: ...

    def finish(self) -> bytes: ...

    def note(self) -> str: ...


class LineUnwrapper:
    """An unwrapper that gives whole lines to a converter."""

    def __init__(self, converter: LineConverter) -> None:
        self.name = converter.name
        self.notes: list[str] = []
        self._converter = converter
        self._partial_line = b""

    @property
    def line_order(self) -> LineOrder:
        return self._converter.line_order if isinstance(self._converter, OldestFirstSorter) else ()

    @property
    def ends_complete(self) -> bool:
        return getattr(self._converter, "ends_complete", False)

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
        unfinished, self._partial_line = self._partial_line, b""
        result = (self._converter.convert(unfinished) if unfinished else b"") + self._converter.finish()
        if note := self._converter.note():
            self.notes.append(note)
        return result


class ByteUnwrapper:
    """An unwrapper that needs no whole lines. `change` takes a block and whether it is the last one."""

    def __init__(self, name: str, note: str, change: Callable[[bytes, bool], bytes]) -> None:
        self.name = name
        self.notes = [note] if note else []
        self._change = change

    @property
    def line_order(self) -> LineOrder:
        return ()

    @property
    def ends_complete(self) -> bool:
        return False

    def feed(self, block: bytes) -> bytes:
        return self._change(block, False)

    def finish(self) -> bytes:
        return self._change(b"", True)


class UnwrapperChain:
    """Several unwrappers, one behind the other, the outermost first."""

    def __init__(self, stages: list[Unwrapper]) -> None:
        self.name = "+".join(stage.name for stage in stages)
        self.notes: list[str] = []
        self._stages = stages

    @property
    def line_order(self) -> LineOrder:
        return self._stages[-1].line_order  # a stage that sorts comes last

    @property
    def ends_complete(self) -> bool:
        return any(stage.ends_complete for stage in self._stages)

    def feed(self, block: bytes) -> bytes:
        for stage in self._stages:
            block = stage.feed(block)
        return block

    def finish(self) -> bytes:
        unfinished = b""
        for stage in self._stages:
            unfinished = (stage.feed(unfinished) if unfinished else b"") + stage.finish()
            self.notes.extend(stage.notes)
        return unfinished


class EscapeRemover:
    """Removes the escape sequences by which programs colour their output and move the cursor."""

    name = "ansi"

    def __init__(self) -> None:
        self._count = 0

    def convert(self, lines: bytes) -> bytes:
        if b"\x1b" not in lines:
            return lines
        if b"\x1b_bk;t=" in lines:
            lines = _BUILDKITE_STAMP.sub(rb"\1.\2 ", lines)
        result, count = _ESCAPES.subn(b"", lines)
        self._count += count
        return result

    def finish(self) -> bytes:
        return b""

    def note(self) -> str:
        return f"{self._count} terminal escape sequences were removed." if self._count else ""


UnwrapperFactory = Callable[[], Unwrapper]  # unwrappers keep state: each reading of the file needs a new one


def choose_unwrapper(head: bytes) -> Unwrapper | None:
    """Return the unwrapper that a file needs, or None if its lines are plain, as most are.

    head: the beginning of the file. 64 KiB are enough; of a smaller file it must be all.
    """
    make = _choose_factory(head)
    return make() if make else None


def unwrap_head(head: bytes) -> tuple[Unwrapper | None, bytes]:
    """Return the unwrapper that a file needs, unused, and the file's head as plain lines."""
    make = _choose_factory(head)
    return (make(), _preview(make, head)) if make else (None, head)


def _choose_factory(head: bytes) -> UnwrapperFactory | None:
    if is_journal_export(head):  # its lengths count bytes, so nothing may change before it
        return lambda: LineUnwrapper(JournalExportConverter())
    stages: list[UnwrapperFactory] = []
    for choose in (choose_encoding, _choose_line_ends, _choose_nuls, _choose_escapes):
        if make := choose(head):
            head = _preview(make, head)
            stages.append(make)
    for make in _choose_records(head):
        head = _preview(make, head)
        stages.append(make)
    if style := find_embedded_records(head):
        stages.append(lambda: LineUnwrapper(EmbeddedRecordsConverter(replace(style, levels=set()))))
        head = _preview(stages[-1], head)
    if is_newest_first(head):
        stages.append(lambda: LineUnwrapper(OldestFirstSorter()))
    if len(stages) < 2:
        return stages[0] if stages else None
    return lambda: UnwrapperChain([make() for make in stages])


def decode_plain_text(raw: bytes) -> str:
    """Return a whole small file as text with line feeds at its line ends. Records are left as they are."""
    for choose in (choose_encoding, _choose_line_ends):
        if make := choose(raw):
            raw = _preview(make, raw)
    return raw.decode("utf-8", "replace")


def _preview(make: UnwrapperFactory, head: bytes) -> bytes:
    """Return the head as it is behind a stage, by which the next stage is chosen."""
    stage = make()
    return stage.feed(head) + stage.finish()


def choose_encoding(head: bytes) -> UnwrapperFactory | None:
    """Return what makes UTF-8 of a file with this head; None if it needs no decoding."""
    if head.startswith(codecs.BOM_UTF8):
        return _make_decoder("utf-8-bom", "The file begins with a UTF-8 byte order mark.", "utf-8-sig")
    for mark, encoding in (
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if head.startswith(mark):
            return _make_decoder(encoding, f"The file was decoded from {encoding.upper()}.", encoding)
    if guess := _guess_utf16(head[:4096]):
        return _make_decoder(guess, f"The file was decoded from {guess.upper()}; it has no byte order mark.", guess)
    return None


def _make_decoder(name: str, note: str, encoding: str) -> UnwrapperFactory:
    return lambda: ByteUnwrapper(name, note, _decode(encoding))


def _guess_utf16(head: bytes) -> str | None:
    """Return the encoding of Latin text in UTF-16: every other byte is a NUL, on one side only."""
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


def _choose_line_ends(head: bytes) -> UnwrapperFactory | None:
    """Return a stage for lines that end in CR LF or in CR alone.

    CR LF comes from Windows and from every pseudo-terminal; its CR would be read as one more segment of the line. CR
    alone comes from old Macs and some serial consoles. Progress bars also write CR alone to draw themselves anew:
    a file that consists mostly of such bars is left as it is.
    """
    if b"\r\n" in head:
        return lambda: ByteUnwrapper("crlf", "", _make_crlf_remover())
    if b"\n" in head or head.count(b"\r") < 2:
        return None
    pieces = [piece for piece in head.split(b"\r") if piece.strip()]
    bar_count = sum(bool(_PROGRESS_BAR.search(piece)) for piece in pieces)
    if len(pieces) < 2 or bar_count > len(pieces) // 2:
        return None
    note = "Lines end in a carriage return; they are counted as lines."
    return lambda: ByteUnwrapper("cr", note, _make_cr_replacer())


def _make_crlf_remover() -> Callable[[bytes, bool], bytes]:
    held_returns = b""

    def change(block: bytes, final: bool) -> bytes:
        nonlocal held_returns
        block = held_returns + block
        # Returns at the end of a block wait for the next block. A terminal behind a terminal writes two before a line
        # feed.
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
        end = block.find(b"\n")  # from the first line feed on, lines have ordinary ends
        if end < 0:
            return block.replace(b"\r", b"\n")
        replacing = False
        return block[:end].replace(b"\r", b"\n") + block[end:]

    return change


def _choose_nuls(head: bytes) -> UnwrapperFactory | None:
    """Return a stage that replaces NULs.

    A log that was truncated while its writer kept its offset begins with a hole of NULs. Disks leave NULs after a
    crash.
    """
    if b"\0" not in head:
        return None
    note = "NUL bytes were read as spaces."
    return lambda: ByteUnwrapper("nul", note, lambda block, final: block.replace(b"\0", b" "))


def _choose_escapes(head: bytes) -> UnwrapperFactory | None:
    return (lambda: LineUnwrapper(EscapeRemover())) if b"\x1b" in head and _ESCAPES.search(head) else None


def _choose_records(head: bytes) -> list[UnwrapperFactory]:
    """Return the stages for the file's record format; none for plain lines."""
    if is_notebook(head):
        notebook: UnwrapperFactory = lambda: LineUnwrapper(NotebookConverter())  # noqa: E731
        return [notebook, *_choose_line_stages(_preview(notebook, head))]
    if is_json_document(head):
        stages: list[UnwrapperFactory] = [lambda: LineUnwrapper(JsonDocumentConverter(RecordStyle.of_head(head)))]
        if names := find_fenced_names(_preview(stages[0], head), is_chat=True):
            return [*stages, lambda: LineUnwrapper(FencedSectionsConverter(names))]
        return [*stages, lambda: LineUnwrapper(OldestFirstSorter())] if has_labelled_streams(head) else stages
    if kind := find_json_kind(head):
        # Docker's records become CRI lines, and a record may be one piece of a long line.
        joiner = [_join_cri] if kind == "docker-json" else []
        return [lambda: LineUnwrapper(JsonLinesConverter(kind, RecordStyle.of_head(head))), *joiner]
    if (indent := find_event_indent(head)) is not None:
        return [lambda: LineUnwrapper(YamlEventsConverter(indent))]
    if has_yaml_records(head):
        records: UnwrapperFactory = lambda: LineUnwrapper(YamlRecordsConverter(RecordStyle.of_head(head)))  # noqa: E731
        return [records]
    if is_journal_verbose(head):
        return [lambda: LineUnwrapper(JournalVerboseConverter())]
    if table := find_log_table(head):
        return [lambda: LineUnwrapper(CsvConverter(table))]
    if metrics := find_metrics_table(head):
        return [lambda: LineUnwrapper(CsvConverter(metrics))]
    if columns := find_gpu_columns(head):
        return [lambda: LineUnwrapper(GpuTableConverter(columns))]
    if rows := find_sql_rows(head):
        return [lambda: LineUnwrapper(SqlConverter(rows))]
    if style := find_logfmt_style(head):
        return [lambda: LineUnwrapper(LogfmtConverter(style))]
    if begins_with_cri(head):
        if find_json_kind(head, behind_cri=True):
            return [_join_cri, lambda: LineUnwrapper(JsonLinesConverter("cri-json"))]
        return [_join_cri]
    return _choose_line_stages(head)


def _choose_line_stages(head: bytes) -> list[UnwrapperFactory]:
    """Return the stages for a file that has no record format: times and names of writers in forms of its own."""
    if names := find_quoting_machines(head):
        return [lambda: LineUnwrapper(QuotedOutputConverter(names))]
    if has_indented_sections(head):
        return [lambda: LineUnwrapper(IndentedSectionsConverter())]
    stages: list[UnwrapperFactory] = []
    if queried := find_queried_columns(head):
        stages.append(lambda: LineUnwrapper(GpuTableConverter(queried)))
        head = _preview(stages[-1], head)
    if (is_escaped := find_markup(head)) is not None:
        stages.append(lambda: LineUnwrapper(MarkupConverter(is_escaped)))
        head = _preview(stages[-1], head)
    if is_quotation(head):
        stages.append(lambda: LineUnwrapper(QuoteMarkRemover()))
        head = _preview(stages[-1], head)
    if (width := find_fold_width(head)) is not None:
        stages.append(lambda: LineUnwrapper(FoldedLineJoiner(width)))
        head = _preview(stages[-1], head)
    if read_stamp := find_stamp_reader(head):
        stages.append(lambda: LineUnwrapper(DateConverter(read_stamp)))
        head = _preview(stages[-1], head)
    if (shared_parts := find_grep_output(head)) is not None:
        return [*stages, lambda: LineUnwrapper(GrepOutputConverter(shared_parts))]
    if fenced := find_fenced_names(head):  # what is quoted may have sections, too
        return [*stages, lambda: LineUnwrapper(FencedSectionsConverter(fenced))]
    if (header_parts := find_section_headers(head)) is not None:
        return [*stages, lambda: LineUnwrapper(SectionPrefixer(header_parts))]
    return stages + (_choose_prefix(head) or _choose_sections(head))


def _choose_prefix(head: bytes) -> list[UnwrapperFactory]:
    """Return the stage for lines that name their writers, if nearly all do so in a form that no column has."""
    prefix = find_writer_prefix(head)
    if prefix is None or (prefix.is_column and find_writer_column(head)):
        return []
    return [lambda: LineUnwrapper(WriterPrefixConverter(prefix))]


def _choose_sections(head: bytes) -> list[UnwrapperFactory]:
    """Return the stages for parts of a file that belong to machines, and for a column in which lines name them."""
    stages: list[UnwrapperFactory] = []
    if sections := find_pasted_sections(head):
        stages.append(lambda: LineUnwrapper(PastedSectionsConverter(sections)))
        head = _preview(stages[-1], head)
    if column := find_writer_column(head):
        stages.append(lambda: LineUnwrapper(WriterColumnConverter(column)))
    elif not sections and has_process_sections(head):
        stages.append(lambda: LineUnwrapper(ProcessSectionsConverter()))
    elif not sections and (started := find_column_of_starts(head)):
        stages.append(lambda: LineUnwrapper(WriterColumnConverter(started)))
    return stages


def _join_cri() -> Unwrapper:
    return LineUnwrapper(CriPartialJoiner())
