"""An incident as the history keeps it: a few columns, taken from the object of incident.json."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from analyzer.incident import SIGNATURE_LEVELS
from analyzer.report.tolerant import items, member, text


@dataclass(frozen=True, slots=True)
class Note:
    """What a person wrote of an incident; `at` is RFC 3339."""

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
        """When it happened, else when it was first analyzed."""
        return self.happened or self.seen


def make_record(incident: Mapping[str, object], now: str) -> IncidentRecord | None:
    """Return the record of an incident, or None if nothing failed. `now` is RFC 3339."""
    verdict = text(incident, "verdict")
    signatures = _signatures(incident)
    if verdict == "no-failure" or not signatures:
        return None
    root = next(iter(items(incident, "root_causes")), {})
    unknown = next(iter(items(incident, "unclassified")), {})
    return IncidentRecord(
        fingerprint=_fingerprint(incident),
        happened=text(root, "time") or text(member(incident, "timeline"), "end"),
        seen=now,
        verdict=verdict,
        cause=text(root, "cause"),
        rule=text(root, "rule"),
        title=text(root, "title") or text(unknown, "template") or "no rule and no error line",
        node=text(root, "node"),
        task=text(root, "task"),
        signatures=signatures,
    )


def _signatures(incident: Mapping[str, object]) -> dict[str, str]:
    written = member(incident, "signatures")
    signatures = {level: text(written, level) for level in SIGNATURE_LEVELS if text(written, level)}
    return signatures or ({"usual": usual} if (usual := text(incident, "signature")) else {})


def _fingerprint(incident: Mapping[str, object]) -> str:
    """Return a digest of the logs' sizes and times, not their names: a bundle packed anew is the same incident."""
    rows = sorted(
        f"{text(source, 'lines')} {text(source, 'first_time')} {text(source, 'last_time')}"
        for source in items(incident, "sources")
        if text(source, "status") in ("read", "partly-read")
    )
    cores = sorted(f"{text(core, 'pid')} {text(core, 'signature')}" for core in items(incident, "cores"))
    return hashlib.sha256("\n".join([*rows, *cores]).encode("utf-8", "surrogatepass")).hexdigest()
