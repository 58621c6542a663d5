"""Find the field of a file's JSON records that names their writer, if it has an unusual name.

    {"t": 1793002000.1, "from": "gx-7", "msg": "step 1 loss 0.5"}          a private launcher
    {"timestamp": 1793002000.1, "name": "data", "context": {"rank": "1", "data": "step 1 loss 0.5\\n"}}          Flux
    {"h": "gx-7", "o": "step 1 loss 0.5"}          without a time

It is learned from the file, like a column of writers: it has few names, which recur in turn and differ in a number,
which the text states as hosts, or under each of which a program starts. Numbers count if the key means a rank.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from analyzer.formats.records.origin import format_origin
from analyzer.formats.records.writer_column import find_writers
from analyzer.formats.records.writer_names import find_started_writers, has_starts, stated_hosts

MIN_RECORDS = 12
MIN_NAMED_SHARE = 0.6  # of the records
MAX_HEAD_CHARS = 1 << 17
MAX_RANK_DIGITS = 6
_find_fields = re.compile(
    r'"(?P<key>[A-Za-z_@][\w.@-]{0,40})"\s{0,4}:\s{0,4}(?:"(?P<text>[^"\\\n]{1,120})"|(?P<number>\d{1,6}))(?=\s{0,100}[,}])'
).finditer
_find_texts = re.compile(r'"([A-Za-z_@][\w.@-]{0,40})"\s{0,4}:\s{0,4}"((?:[^"\\\n]|\\.)*+)"').finditer
_drop_separators = re.compile(r"[-_.@]").sub
RANK_KEYS = frozenset(
    ("rank", "globalrank", "worldrank", "mpirank", "workerrank", "procid", "slurmprocid", "taskrank", "rankid",
     "workerid", "workerindex", "processindex", "replicaid", "replicaindex", "pmirank", "horovodrank"),
)  # fmt: skip
# Keys with values that are numbered alike but name no writer.
NO_WRITER_KEYS = frozenset(
    ("device", "gpu", "stream", "level", "levelname", "severity", "logger", "loggername", "thread", "threadname",
     "phase", "stage", "event", "msg", "message", "text", "data", "line", "file", "filename", "func", "module", "time",
     "timestamp", "ts", "id", "version", "type", "path", "url", "model", "run", "runid", "experiment", "jobid", "job"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class WriterField:
    """The key and the names of the writers; without names, it has ranks. `text_key` is the key of the longest texts."""

    key: str
    text_key: str
    names: frozenset[str] = frozenset()

    def prefix_of(self, record: Mapping[str, object]) -> str:
        """Return the prefix for the writer of a record, or an empty text."""
        objects = (value for value in record.values() if isinstance(value, dict))
        value = next((fields[self.key] for fields in (record, *objects) if self.key in fields), None)
        text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if self.names:
            return format_origin(text, "", "") if text in self.names else ""
        return f"[rank{text}]: " if text.isdecimal() and len(text) <= MAX_RANK_DIGITS else ""


def find_writer_field(head: bytes) -> WriterField | None:
    """Return the field that names the writers of the records in a file's head; None if none does."""
    text = head[:MAX_HEAD_CHARS].decode("utf-8", "replace")
    values: dict[str, list[str]] = defaultdict(list)
    for match in _find_fields(text):
        values[match["key"]].append(match["text"] or match["number"])
    least = MIN_NAMED_SHARE * max(map(len, values.values()), default=0)
    if least < MIN_NAMED_SHARE * MIN_RECORDS:
        return None
    stated = stated_hosts(head[:MAX_HEAD_CHARS])
    for key, texts in values.items():
        bare_key = _drop_separators("", key.lower())
        if len(texts) < least or bare_key in NO_WRITER_KEYS:
            continue
        if bare_key in RANK_KEYS and len(set(texts)) > 1 and sum(map(str.isdecimal, texts)) >= least:
            return WriterField(key, _find_text_key(text, key))
        if names := find_writers(texts, least, stated):
            return WriterField(key, _find_text_key(text, key), names)
    return _find_field_of_starts(text, least) if has_starts(head) else None


def _find_field_of_starts(text: str, least: float) -> WriterField | None:
    """Return the field whose values distinguish the starts of programs."""
    records = [[(match["key"], match["text"] or "") for match in _find_fields(line)] for line in text.split("\n")]
    lines = list(zip(records, text.split("\n"), strict=True))
    for key in dict.fromkeys(key for fields in records for key, value in fields if value):
        named_texts = [(value, line) for fields, line in lines for name, value in fields if name == key]
        if _drop_separators("", key.lower()) in NO_WRITER_KEYS:
            continue
        if names := find_started_writers(named_texts, least):
            return WriterField(key, _find_text_key(text, key), names)
    return None


def _find_text_key(text: str, writer_key: str) -> str:
    """Return the key with the largest total length of texts; "" if only the writer's key has texts."""
    sizes: Counter[str] = Counter()
    for match in _find_texts(text):
        sizes[match[1]] += len(match[2])
    del sizes[writer_key]
    return sizes.most_common(1)[0][0] if sizes else ""
