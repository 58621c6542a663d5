"""Earlier incidents like this one, and what a report says of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.history.record import Note, Record
from analyzer.incident import SIGNATURE_LEVELS

_NUMBER = re.compile(r"(?:[A-Z][A-Z0-9]{0,9}-|#)?\d{1,9}")
SHOWN = 20  # earlier incidents that a report lists


@dataclass(frozen=True, slots=True)
class Match:
    """Earlier incidents that agree at `level` and at no finer one, the latest first; never empty."""

    level: str
    records: tuple[Record, ...]

    @property
    def ticket(self) -> str:
        """The latest that a person gave to any of them."""
        return next((note.ticket for note in self._notes() if note.ticket), "")

    @property
    def note(self) -> str:
        return next((note.text for note in self._notes() if note.text), "")

    def _notes(self) -> list[Note]:
        return sorted((note for record in self.records for note in record.notes), key=lambda note: note.at)[::-1]


def match(record: Record, earlier: Sequence[Record]) -> Match | None:
    """The finest level at which any of `earlier` agrees with `record`; the record itself is none of them."""
    others = sorted((one for one in earlier if one.fingerprint != record.fingerprint), key=lambda one: one.when)
    for level in SIGNATURE_LEVELS:
        alike = [one for one in others if one.signatures.get(level) and one.signatures[level] == _of(record, level)]
        if alike:
            return Match(level, tuple(reversed(alike)))
    return None


def _of(record: Record, level: str) -> str | None:
    return record.signatures.get(level)


def describe(record: Record, found: Match | None, database: str, nameless: bool = False) -> dict[str, object]:
    """What incident.json holds under `history`; `sentence` is what every report says.

    `nameless` leaves out all that may name a machine or a person.
    """
    if found is None:
        return {"number": record.number, "seen": 0, "sentence": "not seen before"}
    said: dict[str, object] = {
        "number": record.number,
        "level": found.level,
        "means": SIGNATURE_LEVELS[found.level],
        "seen": len(found.records),
        "since": found.records[-1].when,
        "ticket": _ticket(found, nameless) or None,
        "sentence": _say(found, nameless),
    }
    if nameless:
        return said
    return {
        **said,
        "database": database,
        "note": found.note or None,
        "earlier": [brief(one) for one in found.records[:SHOWN]],
    }


def _say(found: Match, nameless: bool) -> str:
    last, first = found.records[0], found.records[-1]
    times = "once" if len(found.records) == 1 else f"{len(found.records)} times"
    since = f"since {_day(first.when)}" if first is not last else "before"
    where = "" if nameless else f"on {last.node or 'no single node'} "
    parts = [
        f"{SIGNATURE_LEVELS[found.level]} was seen {times} {since}",
        f"last {where}on {_day(last.when)}",
        *([f"ticket {ticket}"] if (ticket := _ticket(found, nameless)) else []),
        *([f"cause {last.cause}"] if last.cause else []),
        *([f"note: {found.note}"] if found.note and not nameless else []),
    ]
    return ", ".join(parts)


def _ticket(found: Match, nameless: bool) -> str:
    """OPS-41 or #41 names nobody; an address, or words, may."""
    return "" if nameless and not _NUMBER.fullmatch(found.ticket) else found.ticket


def _day(when: str) -> str:
    return when[:16].replace("T", " ") + " UTC"


def brief(record: Record) -> dict[str, object]:
    """One incident of the history as JSON."""
    return {
        "number": record.number,
        "happened": record.happened or None,
        "seen": record.seen,
        "verdict": record.verdict,
        "cause": record.cause or None,
        "rule": record.rule or None,
        "title": record.title,
        "node": record.node or None,
        "task": record.task or None,
        "signatures": dict(record.signatures),
        "notes": [{"at": note.at, "ticket": note.ticket or None, "text": note.text or None} for note in record.notes],
    }
