"""Find earlier incidents similar to this one, and describe them for a report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.history.record import IncidentRecord, Note
from analyzer.incident import SIGNATURE_LEVELS
from analyzer.report.document import WrittenEarlierIncident, WrittenHistory, WrittenHistoryNote

_TICKET_NUMBER = re.compile(r"(?:[A-Z][A-Z0-9]{0,9}-|#)?\d{1,9}")
MAX_EARLIER_INCIDENTS = 20  # earlier incidents that a report lists


@dataclass(frozen=True, slots=True)
class HistoryMatch:
    """Earlier incidents with an equal signature at `level` and at no finer level, the latest first; never empty."""

    level: str
    records: tuple[IncidentRecord, ...]

    @property
    def ticket(self) -> str:
        """The latest ticket that a person added to any of them."""
        return next((note.ticket for note in self._notes_latest_first() if note.ticket), "")

    @property
    def note(self) -> str:
        return next((note.text for note in self._notes_latest_first() if note.text), "")

    def _notes_latest_first(self) -> list[Note]:
        return sorted((note for record in self.records for note in record.notes), key=lambda note: note.at)[::-1]


def find_match(record: IncidentRecord, earlier: Sequence[IncidentRecord]) -> HistoryMatch | None:
    """Return the earlier incidents that agree with `record` at the finest level, without `record` itself; None if none
    do.
    """
    earlier_incidents = sorted(
        (earlier_record for earlier_record in earlier if earlier_record.fingerprint != record.fingerprint),
        key=lambda earlier_record: earlier_record.sort_time,
    )
    for level in SIGNATURE_LEVELS:
        similar = [
            earlier_record
            for earlier_record in earlier_incidents
            if earlier_record.signatures.get(level) and earlier_record.signatures[level] == _signature(record, level)
        ]
        if similar:
            return HistoryMatch(level, tuple(reversed(similar)))
    return None


def find_itself(record: IncidentRecord, earlier: Sequence[IncidentRecord]) -> IncidentRecord | None:
    """Return the stored record of this incident, if it was analyzed before."""
    return next((other for other in earlier if other.fingerprint == record.fingerprint), None)


def _write_again(itself: IncidentRecord, without_names: bool) -> str:
    """Return `this is incident 1, OPS-41: the note`."""
    match = HistoryMatch("exact", (itself,))
    ticket = _shown_ticket(match, without_names)
    note = "" if without_names else match.note
    named = ", ".join(filter(None, (f"incident {itself.number}", ticket)))
    return f"this is {named}{': ' if note else ''}{note} (analyzed before)"


def _signature(record: IncidentRecord, level: str) -> str | None:
    return record.signatures.get(level)


def describe_match(
    record: IncidentRecord,
    match: HistoryMatch | None,
    database: str,
    without_names: bool = False,
    itself: IncidentRecord | None = None,
) -> WrittenHistory:
    """Return the value of `history` in incident.json. Every report shows its `sentence`.

    `without_names` leaves out everything that may name a machine or a person. `itself` is the stored record of this
    incident with its notes, if it was analyzed before.
    """
    again = _write_again(itself, without_names) if itself else ""
    if match is None:
        sentence = again or "not seen before"
        return WrittenHistory(number=record.number, seen=0, analyzed_before=bool(again), sentence=sentence)
    described = WrittenHistory(
        number=record.number,
        analyzed_before=bool(again),
        level=match.level,
        means=SIGNATURE_LEVELS[match.level],
        seen=len(match.records),
        since=match.records[-1].sort_time,
        ticket=_shown_ticket(match, without_names) or None,
        sentence="; ".join(filter(None, (again, _write_sentence(match, without_names)))),
    )
    if not without_names:
        described.database = database
        described.note = match.note or None
        described.earlier = [write_record(earlier_record) for earlier_record in match.records[:MAX_EARLIER_INCIDENTS]]
    return described


def _write_sentence(match: HistoryMatch, without_names: bool) -> str:
    last, first = match.records[0], match.records[-1]
    times = "once" if len(match.records) == 1 else f"{len(match.records)} times"
    since = f"since {_format_minute(first.sort_time)}" if first is not last else "before"
    where = "" if without_names else f"on {last.node or 'no single node'} "
    parts = [
        f"{SIGNATURE_LEVELS[match.level]} was seen {times} {since}",
        f"last {where}on {_format_minute(last.sort_time)}",
        *([f"ticket {ticket}"] if (ticket := _shown_ticket(match, without_names)) else []),
        *([f"cause {last.cause}"] if last.cause else []),
        *([f"note: {match.note}"] if match.note and not without_names else []),
    ]
    return ", ".join(parts)


def _shown_ticket(match: HistoryMatch, without_names: bool) -> str:
    """Return the ticket. Without names, only ids such as OPS-41 or #41 are shown: other texts may name a person."""
    return "" if without_names and not _TICKET_NUMBER.fullmatch(match.ticket) else match.ticket


def _format_minute(when: str) -> str:
    return when[:16].replace("T", " ") + " UTC"


def write_record(record: IncidentRecord) -> WrittenEarlierIncident:
    """Return an incident of the history in the form in which a report lists it."""
    return WrittenEarlierIncident(
        number=record.number,
        happened=record.happened or None,
        seen=record.seen,
        verdict=record.verdict,
        cause=record.cause or None,
        rule=record.rule or None,
        title=record.title,
        node=record.node or None,
        task=record.task or None,
        signatures=dict(record.signatures),
        notes=[
            WrittenHistoryNote(at=note.at, ticket=note.ticket or None, text=note.text or None) for note in record.notes
        ],
    )
