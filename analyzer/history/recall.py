"""Match an analysis with the history and store it. An unusable history never stops an analysis."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from pathlib import Path

from analyzer.errors import AnalyzerError
from analyzer.history.match import describe_match, find_itself, find_match
from analyzer.history.record import make_record
from analyzer.history.store import open_store
from analyzer.report.document import WrittenHistory, WrittenIncident

_log = logging.getLogger("analyzer.history")


def recall(
    incident: WrittenIncident, folder: Path, now: datetime | None = None, without_names: bool = False
) -> tuple[WrittenHistory, str]:
    """Return the value of `history` in incident.json, and the problem with the history, or "".

    The incident is matched with the earlier ones and then stored, unless nothing failed. `now` is the time of the
    analysis, by default that of the system clock. `without_names` leaves out the names of machines and people in
    earlier incidents.
    """
    now = now or datetime.now(UTC)
    record = make_record(incident, now.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"))
    if record is None:
        return WrittenHistory(seen=0, sentence="nothing failed, so this incident is not stored"), ""
    try:
        with open_store(folder) as store:
            similar = store.find_similar(record)
            matched, itself = find_match(record, similar), find_itself(record, similar)
            if matched is None:
                _log.info("history %s: no earlier incident has a signature of this one", store.path)
            else:
                numbers = [earlier.number for earlier in matched.records]
                _log.info("history %s: at level %s like incidents %s", store.path, matched.level, numbers[:20])
            problems = [store.problem] if store.problem else []
            if store.writable:
                record = store.add(record)
            else:
                problems.append(f"{store.path} is read-only: this incident is not stored")
            section = describe_match(record, matched, str(store.path), without_names, itself)
            return section, "; ".join(problems)
    except AnalyzerError as error:
        section = WrittenHistory(seen=0, sentence="the history could not be used", problem=error.message)
        return section, error.message
