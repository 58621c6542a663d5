"""Convert records of a JSON logger after a prefix: a label, a collector's stamp, or the prefix of the journal.

    worker-1  | {"ts":1795226776.5,"level":"error","msg":"x"}     docker compose, kubectl logs --prefix, pssh
    Nov 21 05:10:06 n3 trainer[7]: {"ts":1795226776.5,"msg":"x"}  the journal
    2026-11-21T05:10:06Z stderr F {"ts":1795226776.5,"msg":"x"}   Docker's json-file, after its own stage; also tables

The prefix stays, and the plain line of the record follows it.
"""

from __future__ import annotations

from itertools import islice

from analyzer.formats import read_line
from analyzer.formats.records.head_lines import whole_lines
from analyzer.formats.records.json_lines import encode_text, read_object
from analyzer.formats.records.json_logger import RecordStyle, format_logger_record

MIN_RECORDS = 3  # of a head: a single record may be a quotation
MAX_PREFIX_BYTES = 300
MAX_HEAD_RECORDS = 400


def find_embedded_records(head: bytes) -> RecordStyle | None:
    """Return the style of the records after prefixes; None if the head has too few of them."""
    if head.count(b' {"') + head.count(b'\t{"') < MIN_RECORDS:
        return None
    style = RecordStyle.of_head(head)
    style.needs_time = True  # a level is not enough to make a text with braces a record
    converter = EmbeddedRecordsConverter(style)
    lines = islice((line for line in whole_lines(head) if line.endswith(b"}")), MAX_HEAD_RECORDS)
    records = list(islice((line for line in lines if converter.convert_line(line) is not line), MIN_RECORDS))
    style.is_labelled = any(map(_names_writer, records))
    return style if len(records) == MIN_RECORDS else None


def _names_writer(line: bytes) -> bool:
    before = read_line(line[: line.find(b'{"', 1)].decode("utf-8", "replace") + "x")
    return bool(before.stream or before.host)


class EmbeddedRecordsConverter:
    """A `LineConverter` of lines that end in a record."""

    name = "embedded-json"

    def __init__(self, style: RecordStyle) -> None:
        self._style = style

    def convert(self, lines: bytes) -> bytes:
        return b"\n".join(map(self.convert_line, lines.split(b"\n"))) if b'{"' in lines else lines

    def finish(self) -> bytes:
        return b""

    def note(self) -> str:
        return ""

    def convert_line(self, line: bytes) -> bytes:
        """Return the line with its record as text; the same object if it does not end in a record."""
        at = line.find(b'{"', 1, MAX_PREFIX_BYTES)
        if at < 0 or not line.rstrip().endswith(b"}") or line[at - 1 : at] not in (b" ", b"\t"):
            return line
        record = next(read_object(line, at), None)
        text = format_logger_record(record, self._style) if record else ""
        return line[:at] + encode_text(text) if text else line
