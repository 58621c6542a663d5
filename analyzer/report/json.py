"""The incident as one JSON object: the contract that scripts and the reports rely on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from analyzer import __version__
from analyzer.core_dump import core_to_json
from analyzer.incident import Finding, Incident, RootCause, Template
from analyzer.model import Clock, Event, Kind, Node, ReachedStep
from analyzer.redact.secrets import mask_secrets
from analyzer.redact.truncation import truncate
from analyzer.report.resources import write_resources
from analyzer.report.rows import EventRow, SourceRow, format_stamp
from analyzer.report.tolerant import items, member
from analyzer.untrusted.numbers import read_whole

SCHEMA_VERSION = "1"
MAX_TEXT_CHARS = 2000  # characters of a line that an evidence keeps
MAX_PROGRESS_POINTS = 500  # progress points of a node
_EXACT_CLOCK = Clock()


def to_json(incident: Incident) -> dict[str, object]:
    """Times are RFC 3339 in UTC with microseconds, or None. What looks like a secret is masked."""
    written = to_lazy_json(incident)
    timeline = member(written, "timeline")
    return {
        **written,
        "sources": [dict(row) for row in items(written, "sources")],
        "timeline": {**timeline, "events": [dict(row) for row in items(timeline, "events")]},
    }


def to_lazy_json(incident: Incident) -> dict[str, object]:
    """The same, of which the rows of `sources` and `timeline.events` are mappings and no dicts: they take a tenth of
    the place, and what nobody asks for is not made.
    """
    writer = _IncidentWriter(incident)
    causes = incident.causes
    events = writer.events()
    cause_ids = {root.finding.cause for root in incident.root_causes} | {finding.cause for finding in incident.findings}
    written: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "tool": {
            "name": "tf-postmortem",
            "version": __version__,
            "rule_packs": [dict(pack) for pack in incident.rule_packs],
            "rule_changes": [dict(change) for change in incident.rule_changes],
        },
        "verdict": incident.verdict,
        "root_causes": [writer.root(root) for root in incident.root_causes],
        "findings": [writer.finding(finding) for finding in incident.findings],
        "nodes": [writer.node(node) for node in incident.nodes],
        "sources": [],
        "cores": [core_to_json(core) for core in incident.cores],
        "skew": [dict(row) for row in incident.skew],
        "settings": dict(incident.settings),
        "unclassified": [writer.template(template) for template in incident.unclassified],
        "not_evaluated": [dict(unevaluated) for unevaluated in incident.not_evaluated],
        "noise": [dict(row) for row in incident.noise],
        "signature": incident.signatures.get("usual", ""),
        "signatures": dict(incident.signatures),
        "notes": list(incident.notes),
        "timeline": writer.timeline(events),
        "resources": write_resources(incident, format_stamp),
        "causes": {name: causes[name].get("means", "") for name in sorted(filter(None, cause_ids)) if name in causes},
    }
    masked = mask_secrets(written)
    return {
        **masked,
        "sources": [SourceRow(source) for source in incident.sources],
        "timeline": {"events": list(writer.event_rows(events)), **member(masked, "timeline")},
    }


class _IncidentWriter:
    """Knows the nodes' clocks and the files' nodes while an incident is written."""

    def __init__(self, incident: Incident) -> None:
        self.incident = incident
        self.clocks: dict[str, Clock] = {node.name: node.clock for node in incident.nodes}
        self.node_of_file = {source.file: source.node for source in incident.sources}

    def corrected(self, event: Event) -> float | None:
        return None if event.time is None else self.clocks.get(event.node, _EXACT_CLOCK).correct(event.time)

    def root(self, root: RootCause) -> dict[str, object]:
        finding = root.finding
        return {
            "cause": finding.cause,
            "rule": finding.rule,
            "pack": finding.pack,
            "node": finding.node,
            "task": finding.task,
            "time": format_stamp(finding.time),
            "confidence": root.confidence,
            "status": root.status,
            "title": finding.title,
            "summary": finding.summary,
            "why": list(root.why),
            "remediation": list(root.remediation),
            "references": list(root.references),
            "blame": root.blame,
            **({"runner_up": asdict(root.runner_up)} if root.runner_up else {}),
            "evidence": [line for event in finding.evidence for line in self.evidence_lines(event)],
            "explains": list(root.explains),
            "finding": finding.id,
            "captures": dict(finding.captures),
        }

    def finding(self, finding: Finding) -> dict[str, object]:
        return {
            "id": finding.id,
            "rule": finding.rule,
            "pack": finding.pack,
            "cause": finding.cause,
            "role": finding.role.value,
            "severity": finding.severity.label,
            "node": finding.node,
            "task": finding.task,
            "time": format_stamp(finding.time),
            "count": finding.count,
            "captures": dict(finding.captures),
            "title": finding.title,
            "summary": finding.summary,
            "evidence": [self.evidence(event) for event in finding.evidence],
            "explained_by": list(finding.explained_by),
            **({"replay": dict(finding.replay)} if finding.replay else {}),
        }

    def evidence_lines(self, event: Event) -> Iterator[dict[str, object]]:
        """Its line; of a traceback the line of the exception too."""
        yield (written := self.evidence(event, context=True))
        if event.exception:
            line, text = event.exception
            yield {
                **{k: v for k, v in written.items() if k not in ("block", "context")},
                "line": line,
                "text": truncate(text, MAX_TEXT_CHARS),
            }

    def evidence(self, event: Event, context: bool = False) -> dict[str, object]:
        # A derived event is placed on the node that it speaks of; the line stands where it stands.
        node = self.node_of_file.get(event.locus.file) or event.node or None
        written: dict[str, object] = {
            "node": node,
            "file": event.locus.file,
            "line": event.locus.line,
            "time": format_stamp(event.time),
            "corrected": format_stamp(self.corrected(event)),
            "error_s": self.clocks.get(event.node, _EXACT_CLOCK).error,
            "text": truncate(event.text, MAX_TEXT_CHARS),
        }
        if event.block:
            written["block"] = [truncate(line, MAX_TEXT_CHARS) for line in event.block[:60]]
        if context and (context_lines := self.incident.context.get(event.locus)):
            written["context"] = {"first_line": context_lines[0], "lines": list(context_lines[1])}
        return written

    def node(self, node: Node) -> dict[str, object]:
        return {
            "name": node.name,
            "hosts": list(node.hosts),
            "addresses": list(node.addresses),
            "tasks": list(node.tasks),
            "clock": _write_clock(node.clock),
            "first_time": format_stamp(node.first_time),
            "last_time": format_stamp(node.last_time),
            "silent_since": format_stamp(node.silent_since),
            "progress": _write_reach(node.reached_step) if node.reached_step else None,
            "utc_offset_s": node.zone,
            "present": node.present,
        }

    def template(self, template: Template) -> dict[str, object]:
        return {
            "template": template.template,
            "count": template.count,
            "nodes": list(template.nodes),
            "first_time": format_stamp(template.first_time),
            "new": template.is_new,
            "why": list(template.why),
            "example": self.evidence(template.example, context=True),
        }

    def events(self) -> list[tuple[Event, float | None]]:
        """Each that a line says, with its corrected time."""
        return [(event, self.corrected(event)) for event in self.incident.events if event.kind is not Kind.DERIVED]

    def event_rows(self, events: Sequence[tuple[Event, float | None]]) -> Iterator[EventRow]:
        finding_of_signal = {
            (event.locus, event.signal): finding.id for finding in self.incident.findings for event in finding.evidence
        }
        return (EventRow(event, time, finding_of_signal.get((event.locus, event.signal))) for event, time in events)

    def timeline(self, events: Sequence[tuple[Event, float | None]]) -> dict[str, object]:
        """All but its events."""
        times = [time for _, time in events if time is not None]
        return {
            "progress": self._progress(events),
            "accusations": [
                {
                    "accuser": accusation.accuser,
                    "accused": accusation.accused,
                    "time": format_stamp(self.corrected(accusation.event)),
                    "file": accusation.event.locus.file,
                    "line": accusation.event.locus.line,
                    "text": truncate(accusation.event.text, 300),
                }
                for accusation in self.incident.accusations[:2000]
            ],
            "start": format_stamp(min(times, default=None)),
            "end": format_stamp(max(times, default=None)),
        }

    def _progress(self, events: Sequence[tuple[Event, float | None]]) -> list[dict[str, object]]:
        """Steps over the corrected times of events."""
        points: dict[tuple[str, str | None], list[tuple[float, int]]] = {}
        finished_steps: dict[
            tuple[str, str | None], tuple[int, int]
        ] = {}  # steps of earlier epochs, and the last step seen
        for event, time in events:
            step = read_whole(event.captures.get("step"))
            if step is not None and time is not None:
                key = (event.node, event.task)
                earlier_steps, last_step = finished_steps.get(key, (0, 0))
                if step < last_step:  # a bar that starts again with each epoch
                    earlier_steps += last_step
                finished_steps[key] = (earlier_steps, step)
                points.setdefault(key, []).append((time, earlier_steps + step))
        return [
            {
                "node": node or None,
                "task": task,
                "points": [
                    [format_stamp(time), step]
                    for time, step in task_points[:: len(task_points) // MAX_PROGRESS_POINTS + 1]
                ],
            }
            for (node, task), task_points in points.items()
        ]


def _write_reach(reach: ReachedStep) -> dict[str, object]:
    return {
        "epoch": reach.epoch,
        "step": reach.step,
        "time": format_stamp(reach.time),
        "seconds_per_step": None if reach.seconds_per_step is None else round(reach.seconds_per_step, 6),
    }


def _write_clock(clock: Clock) -> dict[str, object]:
    """`offset_s` holds at `at`; `jumps`: when, by the node's own time, its clock was set, and by how much."""
    return {
        "offset_s": clock.offset,
        "error_s": clock.error,
        "method": clock.method,
        "drift_ppm": round(clock.drift * 1e6, 3),
        "at": format_stamp(clock.reference_time or None),
        "jumps": [{"time": format_stamp(set_at), "seconds": seconds} for set_at, seconds in clock.jumps],
    }
