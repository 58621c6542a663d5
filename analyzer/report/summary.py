"""The text of the first screen: what happened, where, how sure, what to do. HTML, Markdown and terminal all use it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.report.cascade import consequent_findings
from analyzer.report.commands import fill_steps
from analyzer.report.document import (
    WrittenEvaluationGap,
    WrittenFinding,
    WrittenHistory,
    WrittenIncident,
    WrittenRootCause,
    WrittenTemplate,
)
from analyzer.report.evidence import is_time_corrected
from analyzer.report.formatting import (
    BLAME_MEANINGS,
    STATUS_MEANINGS,
    describe_confidence,
    format_duration,
    parse_time,
    plural,
)
from analyzer.report.next_steps import find_next_steps
from analyzer.report.source_list import is_anything_read
from analyzer.report.written_evidence import WrittenEvidence
from analyzer.wording import join_names

WOULD_HELP = "What would help"  # heading above the files that would decide
INCOMPLETE_STATUSES = ("failed", "skipped", "partly-read")
SOURCE_KIND_NAMES = {
    "kernel": "Kernel logs (dmesg, journalctl -k)",
    "scheduler": "Scheduler output (Slurm, kubectl, the launcher)",
    "worker": "Logs of the training processes",
    "system": "System logs (syslog, journalctl)",
    "environment": "Settings and versions (TF_CONFIG, env, nvidia-smi)",
    "samples": "Resource samples (tf-postmortem record, sar, nvidia-smi dmon)",
    "core": "Core dumps",
    "unknown": "Logs of other programs on the nodes",
}
MIN_CASCADE_S = 0.0005  # a shorter cascade has no length to show
ALMOST_CERTAIN = 0.9  # from this confidence on, no further files are requested
MAX_UNKNOWN_LINES = 5  # unknown error lines on the first screen of an undiagnosed incident


@dataclass(frozen=True, slots=True)
class CauseSummary:
    """One root cause, with everything but its evidence lines as finished text."""

    index: int  # 0: the answer; 1…: the others
    title: str
    summary: str
    cause: str
    means: str
    rule: str
    node: str
    task: str
    nowhere: str  # shown if neither node nor task is known
    time: str | None  # RFC 3339
    sureness: str
    status: str
    status_means: str
    blame: str
    why: tuple[str, ...]
    against: tuple[str, ...]
    remediation: tuple[str, ...]
    references: tuple[str, ...]
    runner_up: str  # the next candidate, with its probability
    would_decide: str  # the files that would say most, unless the answer is almost certain
    captures: Mapping[str, str]
    evidence: tuple[WrittenEvidence, ...]
    finding: str  # id of the finding, "" if not stated

    @property
    def objections(self) -> tuple[str, ...]:
        """What speaks against it, and the next candidate."""
        return (*self.against, *([f"next candidate: {self.runner_up}"] if self.runner_up else []))

    @property
    def place(self) -> str:
        """`node (task)`, whichever of both is known."""
        if self.node and self.task and self.node != self.task:
            return f"{self.node} ({self.task})"
        return self.node or self.task or self.nowhere

    @property
    def certainty(self) -> str:
        """`likely (0.82); hypothesis: plausible, but not proven by the bundle`."""
        return f"{self.sureness}; {self.status}{': ' if self.status_means else ''}{self.status_means}"


@dataclass(frozen=True, slots=True)
class IncidentSummary:
    verdict: str  # diagnosed | undiagnosed | no-failure
    headline: str
    sentence: str
    candidates: tuple[CauseSummary, ...]
    cascade: str  # "214 lines on 31 nodes are consequences"; "" without a root
    leads: tuple[str, ...]  # where to look, for an undiagnosed incident
    unknown: tuple[WrittenTemplate, ...]  # the most significant unknown error lines
    needs: tuple[str, ...]  # missing inputs that would help, unless the verdict is diagnosed
    coverage: str  # describes what was read
    seen: str  # sentence about earlier similar incidents; "" if there are none

    @property
    def needs_heading(self) -> str:
        return WOULD_HELP if self.verdict == "undiagnosed" else "What is missing"

    @property
    def root(self) -> CauseSummary | None:
        return self.candidates[0] if self.candidates else None


def summarize(incident: WrittenIncident) -> IncidentSummary:
    """Return the words of the first screen. A verdict of `diagnosed` without a root cause counts as `undiagnosed`."""
    candidates = tuple(_summarize_cause(incident, index, root) for index, root in enumerate(incident.root_causes))
    verdict = incident.verdict or ("diagnosed" if candidates else "undiagnosed")
    if verdict == "diagnosed" and not candidates:
        verdict = "undiagnosed"
    unknown = incident.unclassified[:MAX_UNKNOWN_LINES]  # the newest and most local ones come first
    headline, sentence = _headline(verdict, incident, candidates)
    return IncidentSummary(
        verdict=verdict,
        headline=headline,
        sentence=sentence,
        candidates=candidates,
        cascade=_describe_cascade(incident, candidates),
        leads=tuple(find_next_steps(incident)) if verdict == "undiagnosed" else (),
        unknown=tuple(unknown),
        needs=() if verdict == "diagnosed" else tuple(_missing_inputs(incident, verdict)),
        coverage=describe_coverage(incident),
        seen=incident.history.sentence if incident.history and _is_known(incident.history) else "",
    )


def _is_known(history: WrittenHistory) -> bool:
    """Return whether the history has a like incident, or this one from an earlier analysis."""
    return history.seen > 0 or history.analyzed_before is True


def _summarize_cause(incident: WrittenIncident, index: int, root: WrittenRootCause) -> CauseSummary:
    status_word, status_meaning = STATUS_MEANINGS.get(root.status, (root.status or "not stated", ""))
    return CauseSummary(
        index=index,
        title=root.title or root.rule or root.cause or "Unnamed cause",
        summary=root.summary,
        cause=root.cause,
        means=incident.causes.get(root.cause, ""),
        rule=root.rule,
        node=root.node or "",
        task=root.task or "",
        nowhere="no single node" if incident.nodes else "not named in the bundle",
        time=_stated_time(root),
        sureness=describe_confidence(root.confidence),
        status=status_word,
        status_means=status_meaning,
        blame=BLAME_MEANINGS.get(root.blame or "", root.blame or ""),
        why=tuple(root.why),
        against=tuple(root.against),
        remediation=tuple(fill_steps(root)),
        references=tuple(root.references),
        runner_up=_runner_up(root, next(iter(incident.root_causes[index + 1 :]), None)),
        would_decide=_deciding_input(incident, root) if index == 0 else "",
        captures=root.captures,
        evidence=tuple(root.evidence),
        finding=root.finding,
    )


def _stated_time(root: WrittenRootCause) -> str | None:
    """Return the time as the first line states it, unless the correction is significant: readers search for the stated
    time.
    """
    first_line = next((evidence for evidence in root.evidence if evidence.corrected == root.time), None)
    return first_line.time if first_line and first_line.time and not is_time_corrected(first_line) else root.time


def _runner_up(root: WrittenRootCause, following: WrittenRootCause | None) -> str:
    """Return the title of the next candidate, with its probability and why it is not the first."""
    if not root.runner_up:
        return ""
    is_listed = following is not None and following.cause == root.runner_up.cause
    share = f"{following.confidence:.2f}" if following and is_listed else ""
    details = "; ".join(filter(None, (share, root.runner_up.why)))
    name = root.runner_up.title or root.runner_up.cause
    return f"{name} ({details})" if name and details else name or details


def _deciding_input(incident: WrittenIncident, root: WrittenRootCause) -> str:
    """Return the files that would say most about the culprit and the next candidate; "" if none are known.

    These are all logs of a node that has no file, else the kind of file that most rules lack on these nodes.
    """
    if root.confidence >= ALMOST_CERTAIN:
        return ""
    names = dict.fromkeys((root.node, root.runner_up.node if root.runner_up else None))
    nodes = {node.name: node for node in incident.nodes if node.name in names}
    if absent := [name for name, node in nodes.items() if not node.present]:
        return f"the logs of {join_names(absent)}, which the bundle lacks"
    lacking = Counter(
        kind
        for gap in incident.not_evaluated
        if not gap.nodes or nodes.keys() & set(gap.nodes)
        for kind in missing_inputs(gap)
    )
    if not lacking:
        return ""
    [(kind, _)] = lacking.most_common(1)
    of_nodes = f" of {join_names(list(nodes))}" if nodes else ""
    return f"{SOURCE_KIND_NAMES.get(kind, kind)}{of_nodes}"


def _headline(verdict: str, incident: WrittenIncident, candidates: Sequence[CauseSummary]) -> tuple[str, str]:
    if verdict == "diagnosed":
        leading = candidates[0]
        return leading.title, leading.summary if leading.summary.rstrip(".") != leading.title else ""
    errors = sum(template.count for template in incident.unclassified)
    symptoms = Counter(finding.rule for finding in incident.findings if finding.role != "context")
    symptom_list = join_names([f"{name} ×{count}" for name, count in symptoms.most_common()])
    if verdict == "no-failure":
        unexplained_note = f" {plural(errors, 'error line')} without a matching rule did not stop it." if errors else ""
        survived_note = f"The job succeeded, after recovering from these symptoms ({symptom_list})."
        return (
            "No failure found",
            f"{survived_note if symptoms else 'Nothing in the bundle shows a failure of the job.'}{unexplained_note}",
        )
    if (files := incident.sources) and not is_anything_read(incident):
        return "Nothing could be analyzed", (
            f"{plural(len(files), 'file')}, but no log, core dump or scheduler record among them: "
            "nothing shows how the job ended."
        )
    symptom_note = (
        f" Symptoms were recognized ({symptom_list}), but no file shows what triggered them." if symptoms else ""
    )
    match = "matches" if errors == 1 else "match"
    unknown_note = (
        f" {plural(errors, 'error line')} {match} no rule; the most significant ones are below." if errors else ""
    )
    if not (errors or symptoms or any(finding.severity in ("error", "fatal") for finding in incident.findings)):
        return "No cause found", "No line shows an error, and none shows that the job ended well."
    return (
        "No cause found",
        f"The job had errors, but no rule explains them, and this report does not guess.{symptom_note}{unknown_note}",
    )


def _describe_cascade(incident: WrittenIncident, candidates: Sequence[CauseSummary]) -> str:
    """Describe the findings that the root cause explains, counted in lines."""
    if not candidates:
        return ""
    consequent = consequent_findings(incident)
    if not consequent:
        return "no other line in the bundle is a consequence"
    lines = sum(finding.count for finding in consequent)
    nodes = {finding.node for finding in consequent if finding.node}
    on_nodes = f" on {plural(len(nodes), 'node')}" if nodes else ""
    are = "is a consequence" if lines == 1 else "are consequences"
    return f"{plural(lines, 'line')}{on_nodes} {are}{_cascade_length(candidates[0].time, consequent)}"


def _cascade_length(start: str | None, consequent: Sequence[WrittenFinding]) -> str:
    root_time = parse_time(start)
    finding_times = [time for finding in consequent if (time := parse_time(finding.time)) is not None]
    if root_time is None or not finding_times or max(finding_times) < root_time + MIN_CASCADE_S:
        return ""
    latest = "the last new finding came " if len(consequent) > 1 else ""
    return f" ({latest}{format_duration(max(finding_times) - root_time)} after the cause)"


def _missing_inputs(incident: WrittenIncident, verdict: str) -> list[str]:
    """Return sentences about the inputs that the bundle lacks, the most useful first."""
    needs = []
    needs += [
        f"{source_kind}: without them, {plural(count, 'rule')} could not be evaluated"
        for source_kind, count in count_missing_inputs(incident)[:4]
    ]
    absent_nodes = [node.name for node in incident.nodes if not node.present]
    if absent_nodes:
        needs.append(
            f"Logs of {join_names(absent_nodes)}: "
            f"the cluster definition names {plural(len(absent_nodes), 'node')} without any "
            "file in the bundle"
        )
    incomplete_files = [
        source.file for source in incident.sources if source.status in INCOMPLETE_STATUSES and source.bytes != 0
    ]
    if incomplete_files:
        needs.append(f"Complete copies of {join_names(incomplete_files, 3)}: these files could not be read to the end")
    if verdict == "undiagnosed" and incident.unclassified:
        needs.append(
            "If you know what these lines mean, write a rule for them: "
            "`tf-postmortem rules new --from-template REPORT.json:1`"
        )
    return needs


def count_missing_inputs(incident: WrittenIncident) -> list[tuple[str, int]]:
    """Return (missing input, number of rules that could not be evaluated without it), the most wanted first."""
    rules: dict[str, set[str]] = {}
    nodes: dict[str, dict[str, None]] = {}
    for unevaluated in incident.not_evaluated:
        for source_kind in missing_inputs(unevaluated):
            rules.setdefault(source_kind, set()).add(unevaluated.rule)
            nodes.setdefault(source_kind, {}).update(dict.fromkeys(unevaluated.nodes))
    by_rule_count = sorted(rules, key=lambda source_kind: -len(rules[source_kind]))
    return [
        (
            SOURCE_KIND_NAMES.get(source_kind, source_kind)
            + (f" of {join_names(list(nodes[source_kind]), 3)}" if nodes[source_kind] else ""),
            len(rules[source_kind]),
        )
        for source_kind in by_rule_count
    ]


def missing_inputs(unevaluated: WrittenEvaluationGap) -> list[str]:
    """Return the kinds of source that a rule lacks; an older report has one alone."""
    return list(filter(None, [unevaluated.lacks])) if isinstance(unevaluated.lacks, str) else unevaluated.lacks


def describe_coverage(incident: WrittenIncident) -> str:
    """`8 files, 4 nodes, 120,000 lines, 3 h 5 min of log`."""
    sources, nodes = incident.sources, incident.nodes
    parts = [plural(len(sources), "file"), *([plural(len(nodes), "node")] if nodes else [])]
    if lines := sum(source.lines for source in sources):
        parts.append(plural(lines, "line"))
    stamps = [parse_time(stamp) for source in sources for stamp in (source.first_time, source.last_time)]
    times = [time for time in stamps if time is not None]
    if len(times) > 1:
        parts.append(f"{format_duration(max(times) - min(times))} of log")
    return ", ".join(parts)
