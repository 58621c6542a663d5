"""Histories: a damaged database is set aside or said, and what a history is given it gives back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from random import Random

from analyzer.errors import AnalyzerError
from analyzer.history import Note, open_store, write_record
from analyzer.history.recall import recall
from analyzer.history.store import DATABASE_FILE
from analyzer.report.decode import decode_incident
from analyzer.report.encode import to_plain
from tests.fuzz import odd
from tests.fuzz.incidents import report_seeds
from tests.fuzz.prose import respell
from tests.fuzz.target import Target, workplace
from tests.fuzz.trees import twist_json

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
KEPT = ("verdict", "root_causes", "unclassified", "signatures", "signature", "timeline", "sources", "cores", "findings")
MAGIC = b"SQLite format 3\0"


@cache
def _incidents() -> Sequence[Mapping[str, object]]:
    reports = [json.loads(seed) for seed in report_seeds()[:4]]
    return [
        {key: value if len(str(value)) < 3000 else [] for key, value in report.items() if key in KEPT}
        for report in reports
    ]


@cache
def seeds() -> Sequence[bytes]:
    """Lists of incidents as JSON, and databases that hold some."""
    lists = [json.dumps([incident, incident, *_incidents()]).encode() for incident in _incidents()]
    folder = workplace()
    for incident in _incidents():
        recall(decode_incident(incident)[0], folder, NOW)
    with open_store(folder) as store:
        store.add_note([1, 2], Note("2026-03-01T10:00:00Z", "OPS-1", "words"))
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("VACUUM")
    return [*lists, (folder / DATABASE_FILE).read_bytes()]


def change_table(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """A database that SQLite finds sound and that holds, or lacks, what none of ours would."""
    if not data.startswith(MAGIC):
        return data
    path = workplace() / "changed.sqlite"
    path.write_bytes(data)
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        for _ in range(chance.choice((1, 2))):
            connection.execute(chance.choice(_STATEMENTS), (_value(chance),))
        connection.commit()
    return path.read_bytes()


def _value(chance: Random) -> object:
    return chance.choice((None, -1, 0, 1 << 62, 1.5, b"\xff\x00", odd.word(chance).encode("utf-8", "replace").decode()))


_COLUMNS = ("number", "happened", "seen", "verdict", "title", "node", "exact", "usual", "fingerprint")
_STATEMENTS = (
    *(f"UPDATE OR IGNORE incidents SET {column} = ? WHERE number < 3" for column in _COLUMNS),
    *(f"UPDATE notes SET {column} = ?" for column in ("incident", "at", "ticket", "text")),
    "UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE ? IS NOT 0",
    "UPDATE sqlite_schema SET sql = replace(sql, 'title TEXT', 'titel TEXT') WHERE ? IS NOT 0",
    "DELETE FROM sqlite_schema WHERE name = 'notes' AND ? IS NOT 0",
    "DELETE FROM sqlite_schema WHERE type = 'index' AND ? IS NOT 0",
)


def check(data: bytes) -> None:
    folder = workplace()
    incidents = [decode_incident(report)[0] for report in _incidents()[:1]]
    if data.startswith(MAGIC):
        (folder / DATABASE_FILE).write_bytes(data)
    else:
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            return
        incidents = (
            [decode_incident(report)[0] for report in document[:9] if isinstance(report, dict)]
            if isinstance(document, list)
            else []
        )
    for incident in incidents:
        recalled, _ = recall(incident, folder, NOW)
        json.dumps(to_plain(recalled), allow_nan=False).encode("utf-8", "surrogatepass")
    with suppress(AnalyzerError):
        _use(folder)


def _use(folder: Path) -> None:
    """What `tf-postmortem history` does."""
    with open_store(folder, create=False) as store:
        records = store.read_all()
        for record in records:
            json.dumps(to_plain(write_record(record)), allow_nan=False)
            assert (
                record.number in [found_record.number for found_record in store.find(str(record.number))]
                or not 0 < record.number < 10**9
            )
            store.find_similar(record)
        for name in ("1", "abcd", "%%%%", "9" * 30, "\udcff"):
            store.find(name)
        if store.writable and records:
            store.add_note([records[0].number], Note("2026-03-01T10:00:00Z", "", "x"))
            store.delete([records[0].number])
            assert len(store.read_all()) == len(records) - 1


TARGET = Target("histories", seeds, check, (twist_json, respell, change_table))
