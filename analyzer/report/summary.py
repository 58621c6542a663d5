"""The first screen in words: what happened, where, how sure, what now. HTML, Markdown and terminal all say this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.report.cascade import consequent_findings
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
from analyzer.report.tolerant import items, member, number, text, texts, whole_number
from analyzer.wording import join_names

READ_STATUSES, INCOMPLETE_STATUSES = ("read", "partly-read"), ("failed", "skipped", "partly-read")
SOURCE_KIND_NAMES = {
    "kernel": "Kernel logs (dmesg, journalctl -k)",
    "scheduler": "What the scheduler says (Slurm, kubectl, the launcher)",
    "worker": "Logs of the training processes",
    "system": "System logs (syslog, journalctl)",
    "environment": "Settings and versions (TF_CONFIG, env, nvidia-smi)",
    "samples": "Resource samples (tf-postmortem record, sar, nvidia-smi dmon)",
    "core": "Core dumps",
}
MAX_UNKNOWN_LINES = 5  # unexplained lines on an undiagnosed first screen


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
    nowhere: str  # what is said where neither is known
    time: object  # RFC 3339 or None
    sureness: str
    status: str
    status_means: str
    blame: str
    why: tuple[str, ...]
    remediation: tuple[str, ...]
    references: tuple[str, ...]
    runner_up: str
    captures: Mapping[str, object]
    evidence: tuple[Mapping[str, object], ...]
    finding: str  # id of the finding, "" if not said

    @property
    def place(self) -> str:
        """`node (task)`, whichever of both is known."""
        if self.node and self.task and self.node != self.task:
            return f"{self.node} ({self.task})"
        return self.node or self.task or self.nowhere

    @property
    def certainty(self) -> str:
        """`likely (0.82); hypothesis: plausible, but the bundle does not prove it`."""
        return f"{self.sureness}; {self.status}{': ' if self.status_means else ''}{self.status_means}"


@dataclass(frozen=True, slots=True)
class IncidentSummary:
    verdict: str  # diagnosed | undiagnosed | no-failure
    headline: str
    sentence: str
    candidates: tuple[CauseSummary, ...]
    cascade: str  # "214 lines on 31 nodes follow from it"; "" without a root
    leads: tuple[str, ...]  # where to look, for an undiagnosed incident
    unknown: tuple[Mapping[str, object], ...]  # the most telling error lines that no rule explains
    needs: tuple[str, ...]  # what would help, for a verdict that is not a diagnosis
    coverage: str  # what was read
    seen: str  # what the history says of it; "" without one, or where it was not seen before

    @property
    def root(self) -> CauseSummary | None:
        return self.candidates[0] if self.candidates else None


def summarize(incident: Mapping[str, object]) -> IncidentSummary:
    """Never raises on an incident of another version: what it does not say is left out."""
    causes = member(incident, "causes")
    candidates = tuple(
        _summarize_cause(incident, index, root_cause, causes)
        for index, root_cause in enumerate(items(incident, "root_causes"))
    )
    verdict = text(incident, "verdict") or ("diagnosed" if candidates else "undiagnosed")
    if verdict == "diagnosed" and not candidates:
        verdict = "undiagnosed"
    unknown = items(incident, "unclassified")[:MAX_UNKNOWN_LINES]  # the newest and most local ones come first
    headline, sentence = _headline(verdict, incident, candidates)
    return IncidentSummary(
        verdict,
        headline,
        sentence,
        candidates,
        _describe_cascade(incident, candidates),
        tuple(find_next_steps(incident)) if verdict == "undiagnosed" else (),
        tuple(unknown),
        () if verdict == "diagnosed" else tuple(_missing_inputs(incident, verdict)),
        describe_coverage(incident),
        text(member(incident, "history"), "sentence") if whole_number(member(incident, "history"), "seen") else "",
    )


def _summarize_cause(
    incident: Mapping[str, object], index: int, root: Mapping[str, object], causes: Mapping[str, object]
) -> CauseSummary:
    cause, rule, status = text(root, "cause"), text(root, "rule"), text(root, "status")
    status_word, status_meaning = STATUS_MEANINGS.get(status, (status or "not stated", ""))
    captures = root.get("captures")
    return CauseSummary(
        index=index,
        title=text(root, "title") or rule or cause or "Unnamed cause",
        summary=text(root, "summary"),
        cause=cause,
        means=text(causes, cause) or text(root, "means"),
        rule=rule,
        node=text(root, "node"),
        task=text(root, "task"),
        nowhere="no single node" if items(incident, "nodes") else "not named in the bundle",
        time=_stated_time(root),
        sureness=describe_confidence(number(root, "confidence")),
        status=status_word,
        status_means=status_meaning,
        blame=BLAME_MEANINGS.get(text(root, "blame"), text(root, "blame")),
        why=tuple(texts(root, "why")),
        remediation=tuple(texts(root, "remediation")),
        references=tuple(texts(root, "references")),
        runner_up=_runner_up(root),
        captures=captures if isinstance(captures, Mapping) else {},
        evidence=tuple(items(root, "evidence")),
        finding=text(root, "finding"),
    )


def _stated_time(root: Mapping[str, object]) -> object:
    """As its first line states it, where the correction tells nothing: a reader looks for that time."""
    first_line = next(
        (evidence for evidence in items(root, "evidence") if evidence.get("corrected") == root.get("time")), {}
    )
    return first_line["time"] if first_line.get("time") and not is_time_corrected(first_line) else root.get("time")


def _runner_up(root: Mapping[str, object]) -> str:
    runner_up = root.get("runner_up")
    if isinstance(runner_up, Mapping):
        name, why = (
            text(runner_up, "title") or text(runner_up, "cause") or text(runner_up, "rule"),
            text(runner_up, "why"),
        )
        return f"{name} ({why})" if name and why else name or why
    return "" if runner_up is None else str(runner_up)


def _headline(verdict: str, incident: Mapping[str, object], candidates: Sequence[CauseSummary]) -> tuple[str, str]:
    if verdict == "diagnosed":
        leading = candidates[0]
        return leading.title, leading.summary if leading.summary.rstrip(".") != leading.title else ""
    errors = sum(whole_number(row, "count", 1) for row in items(incident, "unclassified"))
    symptoms = Counter(text(row, "rule") for row in items(incident, "findings") if text(row, "role") != "context")
    symptom_list = join_names([f"{name} ×{count}" for name, count in symptoms.most_common()])
    if verdict == "no-failure":
        unexplained_note = f" {plural(errors, 'error line')} that no rule explains did not stop it." if errors else ""
        survived_note = f"The job ended well, whatever it survived ({symptom_list})."
        return (
            "No failure found",
            f"{survived_note if symptoms else 'Nothing in the bundle shows that the job failed.'}{unexplained_note}",
        )
    if (files := items(incident, "sources")) and not any(text(row, "status") in READ_STATUSES for row in files):
        return "Nothing could be judged", (
            f"In {plural(len(files), 'file')} there is no log, no kernel log, no core and no record that the program "
            "can read: how the job ended cannot be told from them."
        )
    symptom_note = (
        f" Symptoms were recognized ({symptom_list}), but nothing says what set them off." if symptoms else ""
    )
    unknown_note = f" {plural(errors, 'error line')} that no rule explains, the most telling below." if errors else ""
    return (
        "No cause found",
        f"The job shows trouble, and no rule explains it: this report does not guess.{symptom_note}{unknown_note}",
    )


def _describe_cascade(incident: Mapping[str, object], candidates: Sequence[CauseSummary]) -> str:
    """Every line of a finding that the root explains follows from it."""
    if not candidates:
        return ""
    consequent = consequent_findings(incident)
    if not consequent:
        return "nothing else in the bundle follows from it"
    lines = sum(whole_number(finding, "count", 1) for finding in consequent)
    nodes = {text(finding, "node") for finding in consequent} - {""}
    on_nodes = f" on {plural(len(nodes), 'node')}" if nodes else ""
    verb = "follows" if lines == 1 else "follow"
    return f"{plural(lines, 'line')}{on_nodes} {verb} from it{_cascade_length(candidates[0].time, consequent)}"


def _cascade_length(start: object, consequent: Sequence[Mapping[str, object]]) -> str:
    root_time = parse_time(start)
    finding_times = [time for finding in consequent if (time := parse_time(finding.get("time"))) is not None]
    if root_time is None or not finding_times or max(finding_times) <= root_time:
        return ""
    last_kind = "the last kind of them " if len(consequent) > 1 else ""
    return f", {last_kind}after {format_duration(max(finding_times) - root_time)}"


def _missing_inputs(incident: Mapping[str, object], verdict: str) -> list[str]:
    """What the bundle lacks, most useful first."""
    needs = []
    needs += [
        f"{source_kind}: without them, {plural(count, 'rule')} could not be judged"
        for source_kind, count in count_missing_inputs(incident)[:4]
    ]
    absent_nodes = [text(node, "name") for node in items(incident, "nodes") if node.get("present") is False]
    if absent_nodes:
        needs.append(
            f"Logs of {join_names(absent_nodes)}: "
            f"the cluster of the job names {plural(len(absent_nodes), 'node')} of which "
            "the bundle holds nothing"
        )
    incomplete_files = [
        text(source, "file") for source in items(incident, "sources") if text(source, "status") in INCOMPLETE_STATUSES
    ]
    if incomplete_files:
        needs.append(f"Whole copies of {join_names(incomplete_files, 3)}: they could not be read to the end")
    if verdict == "undiagnosed" and items(incident, "unclassified"):
        needs.append(
            "If you know these lines, a rule for them makes the next report say so: "
            "`tf-postmortem rules new --from-template REPORT.json:1`"
        )
    return needs


def count_missing_inputs(incident: Mapping[str, object]) -> list[tuple[str, int]]:
    """(what the bundle lacks, how many rules could not be judged for it), the most wanted first."""
    rules: dict[str, set[str]] = {}
    nodes: dict[str, dict[str, None]] = {}
    for unevaluated in items(incident, "not_evaluated"):
        for source_kind in missing_inputs(unevaluated):
            rules.setdefault(source_kind, set()).add(text(unevaluated, "rule"))
            nodes.setdefault(source_kind, {}).update(dict.fromkeys(texts(unevaluated, "nodes")))
    by_rule_count = sorted(rules, key=lambda source_kind: -len(rules[source_kind]))
    return [
        (
            SOURCE_KIND_NAMES.get(source_kind, source_kind)
            + (f" of {join_names(list(nodes[source_kind]), 3)}" if nodes[source_kind] else ""),
            len(rules[source_kind]),
        )
        for source_kind in by_rule_count
    ]


def missing_inputs(unevaluated: Mapping[str, object]) -> list[str]:
    """The sources that a rule could not be judged without, under whichever of the usual keys they stand."""
    for key in ("lacks", "lacking", "missing", "source", "sources", "reason", "why"):
        if kinds := texts(unevaluated, key):
            return kinds
    return []


def describe_coverage(incident: Mapping[str, object]) -> str:
    """`8 files, 4 nodes, 120,000 lines, 3 h 5 min of log`."""
    sources, nodes = items(incident, "sources"), items(incident, "nodes")
    parts = [plural(len(sources), "file"), *([plural(len(nodes), "node")] if nodes else [])]
    if lines := sum(whole_number(source, "lines") for source in sources):
        parts.append(plural(lines, "line"))
    stamps = [parse_time(source.get(key)) for source in sources for key in ("first_time", "last_time")]
    times = [time for time in stamps if time is not None]
    if len(times) > 1:
        parts.append(f"{format_duration(max(times) - min(times))} of log")
    return ", ".join(parts)
