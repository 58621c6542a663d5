"""The written incident, made from what was concluded. Times are RFC 3339 in UTC with microseconds, or None."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from analyzer import __version__
from analyzer.core_dump import core_to_json
from analyzer.incident import (
    EvaluationGap,
    Factor,
    Finding,
    HardFact,
    Incident,
    ProcessEnd,
    RootCause,
    RunnerUp,
    Skew,
    Template,
)
from analyzer.model import Clock, Event, Kind, Node, ReachedStep, Source
from analyzer.redact.secrets import mask_secrets, mask_text
from analyzer.redact.truncation import truncate
from analyzer.report.decode import rewrite_incident
from analyzer.report.document import (
    SCHEMA_VERSION,
    ProgressCurve,
    WrittenAccusation,
    WrittenAccuser,
    WrittenClock,
    WrittenClockJump,
    WrittenCore,
    WrittenEvaluationGap,
    WrittenEvent,
    WrittenFactor,
    WrittenFinding,
    WrittenHardFact,
    WrittenHypothesis,
    WrittenIncident,
    WrittenNode,
    WrittenNoise,
    WrittenProcessEnd,
    WrittenProgress,
    WrittenRootCause,
    WrittenRuleChange,
    WrittenRulePack,
    WrittenRunnerUp,
    WrittenSkew,
    WrittenSource,
    WrittenTemplate,
    WrittenTimeline,
    WrittenTool,
)
from analyzer.report.encode import to_plain
from analyzer.report.formatting import format_stamp
from analyzer.report.last_lines import choose_last_lines
from analyzer.report.ranks_of_hosts import name_ranks_by_hosts
from analyzer.report.resources import write_resources
from analyzer.report.written_evidence import WrittenContext, WrittenEvidence
from analyzer.untrusted.numbers import read_whole

CACHED_TEXTS = 1024  # texts whose masked form is kept: names of nodes and files recur
MAX_EVENT_CHARS = 300  # characters of an event's line
MAX_NAMES = 20  # of a node
MAX_BLOCK_LINES = 60  # continuation lines of an evidence
MAX_ACCUSATIONS = 2000
MAX_ACCUSERS = 20  # that a hard fact lists
MAX_TEXT_CHARS = 2000  # characters of a line that an evidence keeps
MAX_HYPOTHESES = 20
MAX_PROGRESS_POINTS = 500  # progress points of a node
_EXACT_CLOCK = Clock()


def to_json(incident: Incident) -> dict[str, Any]:
    """Return the incident as plain JSON values, without secrets."""
    plain: dict[str, Any] = to_plain(write_incident(incident))
    return plain


def write_incident(incident: Incident) -> WrittenIncident:
    """Return the written incident, in which every string that looks like a secret is masked."""
    writer = _IncidentWriter(incident)
    causes = incident.causes
    cause_ids = {root.finding.cause for root in incident.root_causes} | {finding.cause for finding in incident.findings}
    events = writer.events()
    written = WrittenIncident(
        schema_version=SCHEMA_VERSION,
        tool=WrittenTool(
            name="tf-postmortem",
            version=__version__,
            rule_packs=[WrittenRulePack(**pack) for pack in incident.rule_packs],
            rule_changes=[WrittenRuleChange(**change) for change in incident.rule_changes],
        ),
        verdict=incident.verdict,
        root_causes=[writer.root(root) for root in incident.root_causes],
        hypotheses=list(writer.hypotheses()),
        findings=[writer.finding(finding) for finding in incident.findings],
        hard_facts=[writer.hard_fact(fact) for fact in incident.hard_facts],
        last_lines=list(choose_last_lines(incident)),
        nodes=[writer.node(node) for node in incident.nodes],
        sources=[],
        cores=msgspec.convert([core_to_json(core) for core in incident.cores], list[WrittenCore]),
        skew=[_write_skew(skew) for skew in incident.skew],
        settings=dict(incident.settings),
        unclassified=[writer.template(template) for template in incident.unclassified],
        not_evaluated=[_write_gap(gap) for gap in incident.not_evaluated],
        noise=[WrittenNoise(**noise) for noise in incident.noise],
        signature=incident.signatures.get("usual", ""),
        signatures=dict(incident.signatures),
        identity_conflicts=list(incident.identity_conflicts),
        notes=list(incident.notes),
        timeline=writer.timeline(events),
        resources=write_resources(incident, format_stamp),
        causes={name: causes[name].means for name in sorted(filter(None, cause_ids)) if name in causes},
    )
    written = rewrite_incident(written, mask_secrets)
    # There may be hundreds of thousands of these, and few of their fields can hold a secret.
    written.sources = [_write_source(source) for source in incident.sources]
    written.timeline.events = writer.event_rows(events)
    return name_ranks_by_hosts(written)


@functools.lru_cache(CACHED_TEXTS)
def _mask(text: str | None) -> str | None:
    return text and mask_text(text)


def _write_source(source: Source) -> WrittenSource:
    return WrittenSource(
        file=mask_text(source.file),
        node=_mask(source.node),
        kind=source.kind.value,
        bytes=source.bytes,
        unread=source.unread,
        lines=source.lines,
        timed_lines=source.timed_lines,
        first_time=format_stamp(source.first_time),
        last_time=format_stamp(source.last_time),
        status=source.status,
        problem=_mask(source.problem),
    )


class _IncidentWriter:
    """Writes the parts of an incident. It holds the clocks of the nodes and the nodes of the files."""

    def __init__(self, incident: Incident) -> None:
        self.incident = incident
        self.clocks: dict[str, Clock] = {node.name: node.clock for node in incident.nodes}
        self.node_of_file = {source.file: source.node for source in incident.sources}
        self.sorted_files = {source.file: source for source in incident.sources if source.line_order}

    def corrected(self, event: Event) -> float | None:
        return None if event.time is None else self.clocks.get(event.node, _EXACT_CLOCK).correct(event.time)

    def line_in_file(self, file: str, line: int | None) -> int | None:
        """Return the number in the file of a line that was read: records may be read in another order."""
        source = self.sorted_files.get(file)
        return source.line_in_file(line) if source else line

    def context(self, event: Event) -> WrittenContext | None:
        """Return the lines around the event, those that are its neighbours in the file."""
        if (around := self.incident.context.get(event.locus)) is None:
            return None
        first, texts = around
        if event.locus.file not in self.sorted_files:
            return WrittenContext(first, list(texts))
        numbered = {self.line_in_file(event.locus.file, first + at) or 0: text for at, text in enumerate(texts)}
        start = end = self.line_in_file(event.locus.file, event.locus.line) or 0
        while start - 1 in numbered:
            start -= 1
        while end + 1 in numbered:
            end += 1
        return WrittenContext(start, [numbered[line] for line in range(start, end + 1)])

    def root(self, root: RootCause) -> WrittenRootCause:
        finding = root.finding
        return WrittenRootCause(
            cause=finding.cause or "",
            rule=finding.rule,
            pack=finding.pack,
            node=finding.node,
            task=finding.task,
            time=format_stamp(finding.time),
            confidence=root.confidence,
            status=root.status,
            title=finding.title,
            summary=finding.summary,
            why=[self.reason(root, reason) for reason in root.why],
            against=[self.reason(root, reason) for reason in root.against],
            remediation=list(root.remediation),
            references=list(root.references),
            blame=root.blame,
            runner_up=_write_runner_up(root.runner_up) if root.runner_up else UNSET,
            evidence=[line for event in finding.evidence for line in self.evidence_lines(event)],
            explains=list(root.explains),
            finding=finding.id,
            captures=dict(finding.captures),
        )

    def hypotheses(self) -> Iterator[WrittenHypothesis]:
        """Yield the most probable hypotheses, and "none of these" behind them."""
        for hypothesis in self.incident.hypotheses[:MAX_HYPOTHESES]:
            yield WrittenHypothesis(
                cause=hypothesis.finding.cause,
                node=hypothesis.finding.node,
                task=hypothesis.finding.task,
                finding=hypothesis.finding.id,
                probability=round(hypothesis.probability, 4),
                factors=[self.factor(factor) for factor in hypothesis.factors],
            )
        if self.incident.none_factors:
            other = 1.0 - sum(hypothesis.probability for hypothesis in self.incident.hypotheses)
            factors = [self.factor(factor) for factor in self.incident.none_factors]
            yield WrittenHypothesis(cause=None, node=None, probability=round(max(0.0, other), 4), factors=factors)

    def factor(self, factor: Factor) -> WrittenFactor:
        written = WrittenFactor(name=factor.name, points=round(factor.points, 2), reason=factor.reason)
        if factor.evidence and factor.evidence.locus.line:
            locus = factor.evidence.locus
            written.file, written.line = locus.file, self.line_in_file(locus.file, locus.line) or 0
        return written

    def reason(self, root: RootCause, reason: str) -> str:
        """Return the reason with the file and line that it rests on, unless it names a line itself."""
        factors = (
            factor
            for hypothesis in self.incident.hypotheses
            if hypothesis.finding.cause == root.finding.cause and hypothesis.finding.rule == root.finding.rule
            for factor in hypothesis.factors
            if factor.reason == reason and factor.evidence
        )
        factor = next(factors, None)
        if factor is None or factor.evidence is None or not factor.evidence.locus.line:
            return reason
        locus = factor.evidence.locus
        return f"{reason} ({locus.file}:{self.line_in_file(locus.file, locus.line)})"

    def finding(self, finding: Finding) -> WrittenFinding:
        return WrittenFinding(
            id=finding.id,
            rule=finding.rule,
            pack=finding.pack,
            cause=finding.cause,
            role=finding.role.value,
            severity=finding.severity.label,
            node=finding.node,
            task=finding.task,
            time=format_stamp(finding.time),
            count=finding.count,
            count_is=finding.count_is,
            captures=dict(finding.captures),
            title=finding.title,
            summary=finding.summary,
            evidence=[self.evidence(event) for event in finding.evidence],
            explained_by=list(finding.explained_by),
            replay=dict(finding.replay) if finding.replay else UNSET,
        )

    def hard_fact(self, fact: HardFact) -> WrittenHardFact:
        return WrittenHardFact(
            node=fact.node,
            task=fact.task,
            attempt=fact.attempt,
            ended=self._process_end(fact.end) if fact.end else None,
            last_line=self.evidence(fact.last_line) if fact.last_line else None,
            last_step=fact.last_step,
            last_step_time=format_stamp(fact.last_step_time),
            last_step_line=self.evidence(fact.last_step_line) if fact.last_step_line else None,
            silent_since=format_stamp(fact.silent_since),
            core=fact.core,
            accused_by=[
                WrittenAccuser(
                    node=accusation.accuser or None,
                    how=accusation.event.captures.get("how", "lost"),
                    time=format_stamp(self.corrected(accusation.event)),
                    file=accusation.event.locus.file,
                    line=accusation.event.locus.line,
                )
                for accusation in fact.accusations[:MAX_ACCUSERS]
            ],
            accusers=len(fact.accusations),
            explained_by=list(fact.explained_by),
        )

    def _process_end(self, end: ProcessEnd) -> WrittenProcessEnd:
        return WrittenProcessEnd(
            how=end.how,
            by=end.witness,
            status=end.status,
            signal=end.signal,
            time=format_stamp(end.time),
            evidence=self.evidence(end.evidence),
        )

    def evidence_lines(self, event: Event) -> Iterator[WrittenEvidence]:
        """Yield the event's line and, for a traceback, also the line of the exception."""
        yield (written := self.evidence(event, context=True))
        if event.exception:
            line, text = event.exception
            yield msgspec.structs.replace(
                written,
                line=self.line_in_file(event.locus.file, line),
                text=truncate(text, MAX_TEXT_CHARS),
                block=UNSET,
                context=UNSET,
            )

    def evidence(self, event: Event, context: bool = False) -> WrittenEvidence:
        """Return the event's line; with `context`, the lines around it too."""
        # A derived event is placed on the node that it is about, and has the time of that node's clock. Its line is in
        # a file that another node may own, by whose clock the line was written.
        node = self.node_of_file.get(event.locus.file) or event.node or None
        time, corrected, clock = event.time, self.corrected(event), self.clocks.get(event.node, _EXACT_CLOCK)
        if event.kind is Kind.DERIVED and node and node != event.node and corrected is not None:
            clock = self.clocks.get(node, _EXACT_CLOCK)
            time = clock.clock_reading(corrected)
        return WrittenEvidence(
            node=node,
            file=event.locus.file,
            line=self.line_in_file(event.locus.file, event.locus.line),
            time=format_stamp(time),
            corrected=format_stamp(corrected),
            error_s=clock.error,
            text=truncate(event.text, MAX_TEXT_CHARS),
            block=[truncate(line, MAX_TEXT_CHARS) for line in event.block[:MAX_BLOCK_LINES]] if event.block else UNSET,
            context=(self.context(event) if context else None) or UNSET,
        )

    def node(self, node: Node) -> WrittenNode:
        return WrittenNode(
            name=node.name,
            hosts=list(node.hosts),
            addresses=list(node.addresses),
            tasks=list(node.tasks),
            clock=_write_clock(node.clock),
            first_time=format_stamp(node.first_time),
            last_time=format_stamp(node.last_time),
            silent_since=format_stamp(node.silent_since),
            progress=_write_reached_step(node.reached_step) if node.reached_step else None,
            utc_offset_s=node.zone,
            present=node.present,
            names=list(node.names[:MAX_NAMES]),
            named_by=node.named_by,
        )

    def template(self, template: Template) -> WrittenTemplate:
        return WrittenTemplate(
            template=template.template,
            count=template.count,
            nodes=list(template.nodes),
            first_time=format_stamp(template.first_time),
            new=template.is_new,
            why=list(template.why),
            example=self.evidence(template.example, context=True),
        )

    def events(self) -> list[tuple[Event, float | None]]:
        """Yield the events that a line states, with their corrected times."""
        return [(event, self.corrected(event)) for event in self.incident.events if event.kind is not Kind.DERIVED]

    def event_rows(self, events: Sequence[tuple[Event, float | None]]) -> list[WrittenEvent]:
        """Return the events without secrets, each with a finding that rests on it."""
        finding_of_signal = {
            (event.locus, event.signal): finding.id for finding in self.incident.findings for event in finding.evidence
        }
        mask_line = functools.lru_cache(CACHED_TEXTS)(mask_text)  # several signals may match one line
        return [
            WrittenEvent(
                node=_mask(event.node) or None,
                task=_mask(event.task),
                time=format_stamp(event.time),
                corrected=format_stamp(corrected),
                inferred=event.inferred,
                signal=event.signal,
                severity=event.severity.label,
                file=_mask(event.locus.file) or "",
                line=self.line_in_file(event.locus.file, event.locus.line),
                text=mask_line(truncate(event.text, MAX_EVENT_CHARS)),
                finding=finding_of_signal.get((event.locus, event.signal)),
            )
            for event, corrected in events
        ]

    def timeline(self, events: Sequence[tuple[Event, float | None]]) -> WrittenTimeline:
        """Return the timeline without its events."""
        times = [time for _, time in events if time is not None]
        return WrittenTimeline(
            progress=self._progress(events),
            accusations=[
                WrittenAccusation(
                    accuser=accusation.accuser,
                    accused=accusation.accused,
                    time=format_stamp(self.corrected(accusation.event)),
                    file=accusation.event.locus.file,
                    line=self.line_in_file(accusation.event.locus.file, accusation.event.locus.line),
                    text=truncate(accusation.event.text, MAX_EVENT_CHARS),
                )
                for accusation in self.incident.accusations[:MAX_ACCUSATIONS]
            ],
            start=format_stamp(min(times, default=None)),
            end=format_stamp(max(times, default=None)),
        )

    def _progress(self, events: Sequence[tuple[Event, float | None]]) -> list[ProgressCurve]:
        """Return each task's steps over the corrected times of its events."""
        points: dict[tuple[str, str | None], list[tuple[float, int]]] = {}
        # By task: the steps of earlier epochs, and the last step seen.
        counted: dict[tuple[str, str | None], tuple[int, int]] = {}
        for event, time in events:
            step = read_whole(event.captures.get("step"))
            if step is not None and time is not None:
                key = (event.node, event.task)
                earlier_steps, last_step = counted.get(key, (0, 0))
                if step < last_step:  # a progress bar that restarts with each epoch
                    earlier_steps += last_step
                counted[key] = (earlier_steps, step)
                task_points = points.setdefault(key, [])
                if not task_points or task_points[-1] != (time, earlier_steps + step):  # several signals match a line
                    task_points.append((time, earlier_steps + step))
        return [
            ProgressCurve(
                node=node or None,
                task=task,
                points=[(format_stamp(time), step) for time, step in thin_out(task_points)],
            )
            for (node, task), task_points in points.items()
        ]


def thin_out(points: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    """Return at most MAX_PROGRESS_POINTS points and one, evenly chosen; the first and the last are among them."""
    kept = list(points[:: len(points) // MAX_PROGRESS_POINTS + 1])
    return kept if kept[-1] == points[-1] else [*kept, points[-1]]


def _write_reached_step(reached: ReachedStep) -> WrittenProgress:
    pace = reached.seconds_per_step
    return WrittenProgress(
        epoch=reached.epoch,
        step=reached.step,
        time=format_stamp(reached.time),
        seconds_per_step=None if pace is None else round(pace, 6),
    )


def _write_clock(clock: Clock) -> WrittenClock:
    return WrittenClock(
        offset_s=clock.offset,
        error_s=clock.error,
        method=clock.method,
        drift_ppm=round(clock.drift * 1e6, 3),
        at=format_stamp(clock.reference_time or None),
        jumps=[WrittenClockJump(format_stamp(set_at), seconds) for set_at, seconds in clock.jumps],
    )


def _write_runner_up(runner_up: RunnerUp) -> WrittenRunnerUp:
    return WrittenRunnerUp(cause=runner_up.cause, node=runner_up.node, title=runner_up.title, why=runner_up.why)


def _write_skew(skew: Skew) -> WrittenSkew:
    return WrittenSkew(skew["key"], {value: list(nodes) for value, nodes in skew["values"].items()})


def _write_gap(gap: EvaluationGap) -> WrittenEvaluationGap:
    return WrittenEvaluationGap(rule=gap["rule"], lacks=list(gap["lacks"]), nodes=list(gap["nodes"]))
