"""Facts about the job that a reader wants first: its size, versions, duration, attempt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from analyzer.redact.secrets import mask_text
from analyzer.redact.settings import mask_setting_value
from analyzer.report.document import WrittenIncident
from analyzer.report.formatting import format_bytes, format_duration, format_time, parse_time, plural

VERSION_KEYS = ("tensorflow", "TensorFlow", "tensorflow version")
JOB_KEYS = ("job", "job name", "job id", "SLURM_JOB_NAME", "SLURM_JOB_ID")

MAX_SEARCHED_EVENTS = 20_000
# Strategies of tf.distribute, the most distributed first.
STRATEGIES = ("MultiWorkerMirrored", "CollectiveAllReduce", "ParameterServer", "TPU", "CentralStorage", "Mirrored")
_STRATEGY = re.compile(rf"\b({'|'.join(STRATEGIES)})Strategy")


def describe_job(incident: WrittenIncident) -> list[tuple[str, str]]:
    """Return (label, value) pairs; what is not known is left out. The entries of --meta come first."""
    return [(label, value) for label, value in _facts(incident) if value]


def _facts(incident: WrittenIncident) -> Iterator[tuple[str, str]]:
    yield from incident.meta.items()
    yield "job", _setting(incident, JOB_KEYS)
    yield "", plural(len(incident.nodes), "node") if incident.nodes else ""
    tasks = {task for node in incident.nodes for task in node.tasks}
    yield "", plural(len(tasks), "task") if tasks else ""
    yield "TensorFlow", _setting(incident, VERSION_KEYS)
    yield "strategy", _find_strategy(incident)
    # The logs of the job's own programs: a kernel's log reaches back for weeks.
    logs = [source for source in incident.sources if source.kind == "worker"]
    first = min((log.first_time for log in logs if log.first_time), default=None)
    last = max((log.last_time for log in logs if log.last_time), default=None)
    yield "started", format_time(first)
    start, end = parse_time(first), parse_time(last)
    yield "ran for", format_duration(end - start) if start is not None and end is not None else ""
    steps = [node.progress.step for node in incident.nodes if node.progress and node.progress.step is not None]
    yield "last step", f"{max(steps):,}" if steps else ""
    attempt = max((fact.attempt for fact in incident.hard_facts), default=1)
    yield "attempt", str(attempt) if attempt > 1 else ""
    yield "read", format_bytes(sum(source.bytes for source in incident.sources)) if incident.sources else ""


def _find_strategy(incident: WrittenIncident) -> str:
    """Return the strategy of tf.distribute that the logs name: the most distributed one, since one contains others."""
    names = {
        match[1] for event in incident.timeline.events[:MAX_SEARCHED_EVENTS] for match in _STRATEGY.finditer(event.text)
    }
    return next((f"{name}Strategy" for name in STRATEGIES if name in names), "")


def _setting(incident: WrittenIncident, keys: tuple[str, ...]) -> str:
    """Return the value that all nodes have, or all values if nodes differ."""
    for key in keys:
        if value := incident.settings.get(key):
            return value[:80]
        if row := next((row for row in incident.skew if row.key == key), None):
            return " / ".join(list(row.values)[:3])[:80]
    return ""


def mask_meta(entries: Mapping[str, str]) -> dict[str, str]:
    """Return what the caller adds to the header, with likely secrets masked."""
    return {key: mask_text(mask_setting_value(key, value)) for key, value in entries.items()}
