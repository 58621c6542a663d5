"""The tables, as steps from one version to the next. SQLite's `user_version` is the number of steps done.

A released step never changes; a change of the tables is a new step at the end.
"""

from __future__ import annotations

import sqlite3

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE incidents (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            fingerprint TEXT NOT NULL UNIQUE,
            happened TEXT NOT NULL, seen TEXT NOT NULL,
            verdict TEXT NOT NULL, cause TEXT NOT NULL, rule TEXT NOT NULL, title TEXT NOT NULL,
            node TEXT NOT NULL, task TEXT NOT NULL,
            exact TEXT NOT NULL, usual TEXT NOT NULL, coarse TEXT NOT NULL)""",
        "CREATE INDEX incidents_usual ON incidents (usual)",
        "CREATE INDEX incidents_coarse ON incidents (coarse)",
        """CREATE TABLE notes (
            incident INTEGER NOT NULL REFERENCES incidents (number) ON DELETE CASCADE,
            at TEXT NOT NULL, ticket TEXT NOT NULL, text TEXT NOT NULL)""",
        "CREATE INDEX notes_incident ON notes (incident)",
    ),
)
DATABASE_VERSION = len(MIGRATIONS)


def read_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def upgrade(connection: sqlite3.Connection) -> None:
    """Do all missing steps in one transaction. A second process waits and finds them done."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number in range(read_version(connection), DATABASE_VERSION):
            for statement in MIGRATIONS[number]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {DATABASE_VERSION}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
