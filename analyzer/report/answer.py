"""The first screen in words: what happened, where, how sure, what now. HTML, Markdown and terminal all say this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.report.cascade import consequent_findings
from analyzer.report.evidence import differ
from analyzer.report.leads import find_leads
from analyzer.report.tolerant import items, member, moment, number, text, texts, whole
from analyzer.report.wording import BLAME, STATUS, duration, listed, plural, sureness

READ, UNREAD = ("read", "partly-read"), ("failed", "skipped", "partly-read")
KINDS = {
    "kernel": "Kernel logs (dmesg, journalctl -k)",
    "scheduler": "What the scheduler says (Slurm, kubectl, the launcher)",
    "worker": "Logs of the training processes",
    "system": "System logs (syslog, journalctl)",
    "environment": "Settings and versions (TF_CONFIG, env, nvidia-smi)",
    "samples": "Resource samples (tf-postmortem record, sar, nvidia-smi dmon)",
    "core": "Core dumps",
}
UNKNOWN = 5  # unexplained lines on an undiagnosed first screen


@dataclass(frozen=True, slots=True)
class Candidate:
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
class Answer:
    verdict: str  # diagnosed | undiagnosed | no-failure
    headline: str
    sentence: str
    candidates: tuple[Candidate, ...]
    cascade: str  # "214 lines on 31 nodes follow from it"; "" without a root
    leads: tuple[str, ...]  # where to look, for an undiagnosed incident
    unknown: tuple[Mapping[str, object], ...]  # the most telling error lines that no rule explains
    needs: tuple[str, ...]  # what would help, for a verdict that is not a diagnosis
    coverage: str  # what was read
    seen: str  # what the history says of it; "" without one, or where it was not seen before

    @property
    def root(self) -> Candidate | None:
        return self.candidates[0] if self.candidates else None


def answer(incident: Mapping[str, object]) -> Answer:
    """Never raises on an incident of another version: what it does not say is left out."""
    causes = member(incident, "causes")
    candidates = tuple(
        _candidate(incident, index, root, causes) for index, root in enumerate(items(incident, "root_causes"))
    )
    verdict = text(incident, "verdict") or ("diagnosed" if candidates else "undiagnosed")
    if verdict == "diagnosed" and not candidates:
        verdict = "undiagnosed"
    unknown = items(incident, "unclassified")[:UNKNOWN]  # the newest and most local ones come first
    headline, sentence = _headline(verdict, incident, candidates)
    return Answer(
        verdict,
        headline,
        sentence,
        candidates,
        _cascade(incident, candidates),
        tuple(find_leads(incident)) if verdict == "undiagnosed" else (),
        tuple(unknown),
        () if verdict == "diagnosed" else tuple(_needs(incident, verdict)),
        coverage(incident),
        text(member(incident, "history"), "sentence") if whole(member(incident, "history"), "seen") else "",
    )


def _candidate(
    incident: Mapping[str, object], index: int, root: Mapping[str, object], causes: Mapping[str, object]
) -> Candidate:
    cause, rule, status = text(root, "cause"), text(root, "rule"), text(root, "status")
    known, means = STATUS.get(status, (status or "not stated", ""))
    captures = root.get("captures")
    return Candidate(
        index=index,
        title=text(root, "title") or rule or cause or "Unnamed cause",
        summary=text(root, "summary"),
        cause=cause,
        means=text(causes, cause) or text(root, "means"),
        rule=rule,
        node=text(root, "node"),
        task=text(root, "task"),
        nowhere="no single node" if items(incident, "nodes") else "not named in the bundle",
        time=_happened(root),
        sureness=sureness(number(root, "confidence")),
        status=known,
        status_means=means,
        blame=BLAME.get(text(root, "blame"), text(root, "blame")),
        why=tuple(texts(root, "why")),
        remediation=tuple(texts(root, "remediation")),
        references=tuple(texts(root, "references")),
        runner_up=_runner_up(root),
        captures=captures if isinstance(captures, Mapping) else {},
        evidence=tuple(items(root, "evidence")),
        finding=text(root, "finding"),
    )


def _happened(root: Mapping[str, object]) -> object:
    """As its first line states it, where the correction tells nothing: a reader looks for that time."""
    first = next((one for one in items(root, "evidence") if one.get("corrected") == root.get("time")), {})
    return first["time"] if first.get("time") and not differ(first) else root.get("time")


def _runner_up(root: Mapping[str, object]) -> str:
    value = root.get("runner_up")
    if isinstance(value, Mapping):
        name, why = text(value, "title") or text(value, "cause") or text(value, "rule"), text(value, "why")
        return f"{name} ({why})" if name and why else name or why
    return "" if value is None else str(value)


def _headline(verdict: str, incident: Mapping[str, object], candidates: Sequence[Candidate]) -> tuple[str, str]:
    if verdict == "diagnosed":
        first = candidates[0]
        return first.title, first.summary if first.summary.rstrip(".") != first.title else ""
    errors = sum(whole(one, "count", 1) for one in items(incident, "unclassified"))
    symptoms = Counter(text(one, "rule") for one in items(incident, "findings") if text(one, "role") != "context")
    named = listed([f"{name} ×{count}" for name, count in symptoms.most_common()])
    if verdict == "no-failure":
        spare = f" {plural(errors, 'error line')} that no rule explains did not stop it." if errors else ""
        survived = f"The job ended well, whatever it survived ({named})."
        return (
            "No failure found",
            f"{survived if symptoms else 'Nothing in the bundle shows that the job failed.'}{spare}",
        )
    if (files := items(incident, "sources")) and not any(text(one, "status") in READ for one in files):
        return "Nothing could be judged", (
            f"In {plural(len(files), 'file')} there is no log, no kernel log, no core and no record that the program "
            "can read: how the job ended cannot be told from them."
        )
    known = f" Symptoms were recognized ({named}), but nothing says what set them off." if symptoms else ""
    loud = f" {plural(errors, 'error line')} that no rule explains, the most telling below." if errors else ""
    return "No cause found", f"The job shows trouble, and no rule explains it: this report does not guess.{known}{loud}"


def _cascade(incident: Mapping[str, object], candidates: Sequence[Candidate]) -> str:
    """Every line of a finding that the root explains follows from it."""
    if not candidates:
        return ""
    consequent = consequent_findings(incident)
    if not consequent:
        return "nothing else in the bundle follows from it"
    lines = sum(whole(one, "count", 1) for one in consequent)
    nodes = {text(one, "node") for one in consequent} - {""}
    on = f" on {plural(len(nodes), 'node')}" if nodes else ""
    verb = "follows" if lines == 1 else "follow"
    return f"{plural(lines, 'line')}{on} {verb} from it{_span(candidates[0].time, consequent)}"


def _span(start: object, consequent: Sequence[Mapping[str, object]]) -> str:
    root = moment(start)
    later = [time for one in consequent if (time := moment(one.get("time"))) is not None]
    if root is None or not later or max(later) <= root:
        return ""
    last = "the last kind of them " if len(consequent) > 1 else ""
    return f", {last}after {duration(max(later) - root)}"


def _needs(incident: Mapping[str, object], verdict: str) -> list[str]:
    """What the bundle lacks, most useful first."""
    needs = []
    needs += [
        f"{what}: without them, {plural(count, 'rule')} could not be judged" for what, count in lacking(incident)[:4]
    ]
    absent = [text(node, "name") for node in items(incident, "nodes") if node.get("present") is False]
    if absent:
        needs.append(
            f"Logs of {listed(absent)}: the cluster of the job names {plural(len(absent), 'node')} of which "
            "the bundle holds nothing"
        )
    broken = [text(one, "file") for one in items(incident, "sources") if text(one, "status") in UNREAD]
    if broken:
        needs.append(f"Whole copies of {listed(broken, 3)}: they could not be read to the end")
    if verdict == "undiagnosed" and items(incident, "unclassified"):
        needs.append(
            "If you know these lines, a rule for them makes the next report say so: "
            "`tf-postmortem rules new --from-template REPORT.json:1`"
        )
    return needs


def lacking(incident: Mapping[str, object]) -> list[tuple[str, int]]:
    """(what the bundle lacks, how many rules could not be judged for it), the most wanted first."""
    rules: dict[str, set[str]] = {}
    nodes: dict[str, dict[str, None]] = {}
    for one in items(incident, "not_evaluated"):
        for lack in lacks(one):
            rules.setdefault(lack, set()).add(text(one, "rule"))
            nodes.setdefault(lack, {}).update(dict.fromkeys(texts(one, "nodes")))
    wanted = sorted(rules, key=lambda lack: -len(rules[lack]))
    return [
        (KINDS.get(lack, lack) + (f" of {listed(list(nodes[lack]), 3)}" if nodes[lack] else ""), len(rules[lack]))
        for lack in wanted
    ]


def lacks(one: Mapping[str, object]) -> list[str]:
    """The sources that a rule could not be judged without, under whichever of the usual keys they stand."""
    for key in ("lacks", "lacking", "missing", "source", "sources", "reason", "why"):
        if found := texts(one, key):
            return found
    return []


def coverage(incident: Mapping[str, object]) -> str:
    """`8 files, 4 nodes, 120,000 lines, 3 h 5 min of log`."""
    sources, nodes = items(incident, "sources"), items(incident, "nodes")
    parts = [plural(len(sources), "file"), *([plural(len(nodes), "node")] if nodes else [])]
    if lines := sum(whole(one, "lines") for one in sources):
        parts.append(plural(lines, "line"))
    stamps = [moment(one.get(key)) for one in sources for key in ("first_time", "last_time")]
    times = [time for time in stamps if time is not None]
    if len(times) > 1:
        parts.append(f"{duration(max(times) - min(times))} of log")
    return ", ".join(parts)
