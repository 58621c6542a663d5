"""The SQLite file in which incidents are stored.

Several processes may use it at once: writers wait for each other (`BEGIN IMMEDIATE` with a busy timeout), and in WAL
mode readers never wait. If the file system cannot share memory (some network file systems), SQLite keeps its older
journal, which is as safe. A damaged file is set aside. A folder without write permission is used read-only.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from analyzer.errors import AnalyzerError, UsageError
from analyzer.history.record import IncidentRecord, Note
from analyzer.history.schema import DATABASE_VERSION, read_version, upgrade
from analyzer.incident import SIGNATURE_LEVELS

DATABASE_FILE = "history.sqlite"
LOCK_TIMEOUT_S = 30.0  # seconds that a writer waits for another writer
_RECORD_COLUMNS = ("fingerprint", "happened", "seen", "verdict", "cause", "rule", "title", "node", "task")
_ALL_COLUMNS = (*_RECORD_COLUMNS, *SIGNATURE_LEVELS)
_COLUMN_LIST = ", ".join(_ALL_COLUMNS)
# SQLite stores any type in any column, and another program may have written numbers or bytes.
_TEXT_COLUMNS = ", ".join(f"coalesce(CAST({name} AS TEXT), '')" for name in _ALL_COLUMNS)
_UPDATED_COLUMNS = [name for name in _ALL_COLUMNS if name not in ("fingerprint", "seen")]


class HistoryStore:
    """An open history. `writable` is False if it can only be read; `problem` says what was wrong with the file."""

    def __init__(self, connection: sqlite3.Connection, path: Path, writable: bool, problem: str = "") -> None:
        self._connection = connection
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        self.path, self.writable, self.problem = path, writable, problem

    def close(self) -> None:
        self._connection.close()

    def add(self, record: IncidentRecord) -> IncidentRecord:
        """Store the record, or update it if the same logs were analyzed before. Return it with its number."""
        column_values = [
            *(getattr(record, name) for name in _RECORD_COLUMNS),
            *(record.signatures.get(level, "") for level in SIGNATURE_LEVELS),
        ]
        values = list(map(_to_utf8, column_values))
        with self._transaction() as connection:
            connection.execute(
                f"INSERT INTO incidents ({_COLUMN_LIST}) SELECT {', '.join('?' * len(values))} WHERE NOT EXISTS "
                "(SELECT 1 FROM incidents WHERE fingerprint = ?)",
                [*values, record.fingerprint],
            )
            connection.execute(
                f"UPDATE incidents SET ({', '.join(_UPDATED_COLUMNS)}) = "
                f"({', '.join('?' * len(_UPDATED_COLUMNS))}) WHERE fingerprint = ?",
                [*map(dict(zip(_ALL_COLUMNS, values, strict=True)).__getitem__, _UPDATED_COLUMNS), record.fingerprint],
            )
            row = connection.execute(
                "SELECT number FROM incidents WHERE fingerprint = ?", (record.fingerprint,)
            ).fetchone()
        return replace(record, number=int(row[0]))

    def find_similar(self, record: IncidentRecord) -> list[IncidentRecord]:
        """Return all records that agree with `record` at any level, including `record` itself."""
        wanted = [(level, record.signatures[level]) for level in SIGNATURE_LEVELS if record.signatures.get(level)]
        where = " OR ".join(f"{level} = ?" for level, _ in wanted) or "0"
        return self._read(f"WHERE {where}", [_to_utf8(value) for _, value in wanted])

    def read_all(self) -> list[IncidentRecord]:
        return self._read("", ())

    def find(self, name: str) -> list[IncidentRecord]:
        """Return the records with this number, or with a signature that begins with this text."""
        if name.isdecimal() and len(name) < 10:
            return self._read("WHERE number = ?", (int(name),))
        prefix = "".join(char for char in name.lower() if char in "0123456789abcdef")
        if prefix != name.lower() or len(prefix) < 4:
            return []
        return self._read("WHERE " + " OR ".join(f"{level} LIKE ?" for level in SIGNATURE_LEVELS), [f"{prefix}%"] * 3)

    def add_note(self, numbers: Iterable[int], note: Note) -> None:
        with self._transaction() as connection:
            rows = [(number, *map(_to_utf8, (note.at, note.ticket, note.text))) for number in numbers]
            connection.executemany("INSERT INTO notes (incident, at, ticket, text) VALUES (?, ?, ?, ?)", rows)

    def delete(self, numbers: Iterable[int]) -> None:
        with self._transaction() as connection:
            connection.executemany("DELETE FROM incidents WHERE number = ?", [(number,) for number in numbers])

    def _read(self, where: str, values: Iterable[object]) -> list[IncidentRecord]:
        rows = self._connection.execute(
            f"SELECT number, {_TEXT_COLUMNS} FROM incidents {where} ORDER BY number", tuple(values)
        ).fetchall()
        notes: dict[int, list[Note]] = {}
        for number, at, ticket, text in self._connection.execute(
            "SELECT incident, CAST(at AS TEXT), CAST(ticket AS TEXT), CAST(text AS TEXT) FROM notes ORDER BY rowid"
        ):
            notes.setdefault(number, []).append(Note(at or "", ticket or "", text or ""))
        return [
            IncidentRecord(
                **dict(zip(_RECORD_COLUMNS, row[1:], strict=False)),
                signatures={level: value for level, value in zip(SIGNATURE_LEVELS, row[-3:], strict=True) if value},
                number=int(row[0]),
                notes=tuple(notes.get(row[0], ())),
            )
            for row in rows
        ]

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        if not self.writable:
            raise AnalyzerError(f"{self.path} is read-only", "choose a history that you may write to")
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._connection
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


def _to_utf8(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot hold: a report's JSON or an argument may contain them."""
    return text.encode("utf-8", "replace").decode()


@contextmanager
def open_store(folder: Path, create: bool = True) -> Iterator[HistoryStore]:
    """Yield the history in `folder`; if there is none and `create` is true, create it.

    Raises UsageError if there is none and `create` is false. Raises AnalyzerError if a newer program wrote it, another
    process locks it for longer than LOCK_TIMEOUT_S, it turns out to be damaged, or the disk fails.
    """
    try:
        with closing(_open(folder, create)) as store:
            yield store
    except sqlite3.DatabaseError as error:
        hint = (
            "another process may have locked it, or the disk may be full; its content is not lost"
            if isinstance(error, sqlite3.OperationalError)
            else f"it is damaged: move {DATABASE_FILE} away, and the next analysis creates a new one"
        )
        raise AnalyzerError(f"the history in {folder} cannot be used: {error}", hint) from error


def _open(folder: Path, create: bool) -> HistoryStore:
    path = folder / DATABASE_FILE
    if create:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise AnalyzerError(
                f"cannot create the folder {folder}: {error.strerror}", "choose a folder that you can write to"
            ) from None
    elif not path.exists():
        raise UsageError(f"there is no history in {folder}", "`analyze --history DIR` creates one")
    problem = ""
    for _ in range(3):  # another process may have set the file aside meanwhile
        try:
            return _connect(path, problem)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # its messages quote tables
            if isinstance(error, sqlite3.OperationalError) and not _is_damage_error(error):
                raise
            problem = _set_damaged_file_aside(path, str(error)) or problem
    raise AnalyzerError(f"{path} cannot be opened: {problem}", "choose another folder for the history")


def _connect(path: Path, problem: str) -> HistoryStore:
    try:
        _create_file(path)
        connection = sqlite3.connect(path, timeout=LOCK_TIMEOUT_S, isolation_level=None)
        _ensure_wal(connection, path)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
    except OSError:  # without write permission, there is no lock
        return _connect_read_only(path, problem)
    except sqlite3.OperationalError as error:
        if _is_damage_error(error) or not path.exists() or any(word in str(error) for word in ("locked", "full")):
            raise
        return _connect_read_only(path, problem)
    try:
        _check_database(connection, path)
        if read_version(connection) < DATABASE_VERSION:
            upgrade(connection)
    except sqlite3.OperationalError as error:
        connection.close()
        if "readonly" not in str(error):
            raise
        return _connect_read_only(path, problem)
    except BaseException:
        connection.close()
        raise
    return HistoryStore(connection, path, True, problem)


def _create_file(path: Path) -> None:
    """Create an empty file (for SQLite, a database without tables) that only its owner may open: it has machine names.

    If the group may write to the folder, the folder is shared, and the group may open the file too. Raises OSError.
    """
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    try:
        folder = path.parent.stat()
        if folder.st_mode & stat.S_IWGRP:
            with suppress(OSError):  # fails for a group without this user; then others cannot use the file
                os.fchown(descriptor, -1, folder.st_gid)
                os.fchmod(descriptor, 0o660)
    finally:
        os.close(descriptor)


def _ensure_wal(connection: sqlite3.Connection, path: Path) -> None:
    """Switch the journal to WAL. SQLite does not wait for other processes here, so a lock admits one at a time."""
    if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
        return
    with _file_lock(path):
        connection.execute("PRAGMA journal_mode = WAL")


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    _create_file(lock_path := path.with_name(f"{path.name}.lock"))
    with lock_path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _connect_read_only(path: Path, problem: str) -> HistoryStore:
    """Return a read-only history, for a folder without write permission. A log left by a writer is not read."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
    _check_database(connection, path)
    if read_version(connection) < DATABASE_VERSION:
        connection.close()
        raise AnalyzerError(f"{path} has an older format and is read-only", "its owner can convert it by using it once")
    return HistoryStore(connection, path, False, problem)


def _check_database(connection: sqlite3.Connection, path: Path) -> None:
    """Raise DatabaseError if the file is damaged, and AnalyzerError if a newer program wrote it."""
    if (version := read_version(connection)) > DATABASE_VERSION:
        connection.close()
        raise AnalyzerError(
            f"{path} was written by a newer tf-postmortem "
            f"(its format is version {version}; this program supports {DATABASE_VERSION})",
            "use the newer program, or choose another folder",
        )
    if version < 0:
        raise sqlite3.DatabaseError(f"its format is version {version}")
    check_result = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if check_result != "ok":
        raise sqlite3.DatabaseError(check_result)


def _is_damage_error(error: sqlite3.DatabaseError) -> bool:
    return any(word in str(error) for word in ("not a database", "malformed", "disk image", "corrupt"))


def _set_damaged_file_aside(path: Path, reason: str) -> str:
    """Move a damaged file away. Of several processes that find it, the first one moves it.

    Return the sentence that reports it, or "" if another process was faster.
    """
    try:
        with _file_lock(path):
            if not _is_damaged(path):
                return ""
            names = (path.with_name(f"{path.name}.damaged-{number}") for number in range(1, 10_000))
            new_path = next(name for name in names if not name.exists())
            path.rename(new_path)
            for suffix in ("-wal", "-shm"):  # they belong to the old file, and SQLite would read them into the new one
                sidecar = path.with_name(path.name + suffix)
                if sidecar.exists():
                    sidecar.rename(new_path.with_name(new_path.name + suffix))
    except OSError as error:
        raise AnalyzerError(
            f"{path} is damaged ({reason}) and cannot be set aside: {error.strerror}", "choose another folder"
        ) from None
    return f"{path} was damaged ({reason}); it is kept as {new_path.name}, and a new history was created"


def _is_damaged(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path, timeout=LOCK_TIMEOUT_S, isolation_level=None)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        return not isinstance(error, sqlite3.OperationalError) or _is_damage_error(error)
