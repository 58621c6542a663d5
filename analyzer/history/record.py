"""An incident in the form in which the history stores it: a few columns of the written incident."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzer.incident import SIGNATURE_LEVELS
from analyzer.report.document import WrittenIncident


@dataclass(frozen=True, slots=True)
class Note:
    """A person's note about an incident; `at` is RFC 3339."""

    at: str
    ticket: str
    text: str


@dataclass(frozen=True, slots=True)
class IncidentRecord:
    """An incident as the history stores it. Times are RFC 3339, "" if unknown.

    `fingerprint` identifies the logs: the same logs analyzed twice are one incident. `number` is 0 until the store
    assigns one.
    """

    fingerprint: str
    happened: str
    seen: str
    verdict: str
    cause: str
    rule: str
    title: str
    node: str
    task: str
    signatures: Mapping[str, str]
    number: int = 0
    notes: tuple[Note, ...] = field(default=())

    @property
    def sort_time(self) -> str:
        """The time of the incident, or else of its first analysis."""
        return self.happened or self.seen


def make_record(incident: WrittenIncident, now: str) -> IncidentRecord | None:
    """Return the record of an incident, or None if nothing failed. `now` is RFC 3339."""
    signatures = _signatures(incident)
    if incident.verdict == "no-failure" or not signatures:
        return None
    root = next(iter(incident.root_causes), None)
    unknown = next((template.template for template in incident.unclassified[:1]), "")
    return IncidentRecord(
        fingerprint=_fingerprint(incident),
        happened=(root and root.time) or incident.timeline.end or "",
        seen=now,
        verdict=incident.verdict,
        cause=root.cause if root else "",
        rule=root.rule if root else "",
        title=(root and root.title) or unknown or "no rule and no error line",
        node=(root and root.node) or "",
        task=(root and root.task) or "",
        signatures=signatures,
    )


def _signatures(incident: WrittenIncident) -> dict[str, str]:
    """Return level → id. A report of an older version has only the level `usual`."""
    signatures = {level: name for level in SIGNATURE_LEVELS if (name := incident.signatures.get(level))}
    return signatures or ({"usual": incident.signature} if incident.signature else {})


def _fingerprint(incident: WrittenIncident) -> str:
    """Return a digest of the sizes and times of the logs. Names do not count: a repacked bundle is the
    same incident.
    """
    rows = sorted(
        f"{source.lines} {source.first_time or ''} {source.last_time or ''}"
        for source in incident.sources
        if source.status in ("read", "partly-read")
    )
    cores = sorted(f"{'' if core.pid is None else core.pid} {core.signature or ''}" for core in incident.cores)
    return hashlib.sha256("\n".join([*rows, *cores]).encode("utf-8", "surrogatepass")).hexdigest()
