"""Log lines for a report: numbered, with hits and captured values marked, and one anchor for each line."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup, escape

from analyzer.core_dump import TRUSTED_STATUSES
from analyzer.report.cascade import Cascade, FindingGroup
from analyzer.report.controls import show_controls
from analyzer.report.document import (
    WrittenAccusation,
    WrittenCore,
    WrittenFrame,
    WrittenHardFact,
    WrittenIncident,
    WrittenModule,
    WrittenThread,
)
from analyzer.report.endings import list_lines
from analyzer.report.formatting import clip, shorten_place
from analyzer.report.summary import IncidentSummary
from analyzer.report.written_evidence import ExcerptRow, WrittenEvidence

MAX_EVIDENCE_LINES = 20  # lines shown for a root cause
MAX_LINE_CHARS = 2100  # characters shown of a line: all that an evidence keeps
LocationKey = tuple[str, int | None]


def group_nearby_lines(evidence: Sequence[WrittenEvidence], max_distance: int = 8) -> list[list[WrittenEvidence]]:
    """Return the evidence as excerpts: lines of one file within `max_distance` lines of each other form one excerpt."""
    excerpts: list[list[WrittenEvidence]] = []
    for line in evidence:
        nearby = (
            excerpt
            for excerpt in excerpts
            if any(_are_nearby(line, placed_line, max_distance) for placed_line in excerpt)
        )
        if (excerpt_nearby := next(nearby, None)) is None:
            excerpts.append([line])
        else:
            excerpt_nearby.append(line)
    return excerpts


def _are_nearby(first: WrittenEvidence, second: WrittenEvidence, max_distance: int) -> bool:
    if first.file != second.file or first.line is None or second.line is None:
        return False
    return min(first.line, second.line) > 0 and abs(first.line - second.line) <= max_distance


def excerpt_rows(
    excerpt: Sequence[WrittenEvidence], around: int = 100, width: int = MAX_LINE_CHARS
) -> list[ExcerptRow]:
    """Return the evidence lines with up to `around` lines of context, and their continuation lines if the context lacks
    them.
    """
    numbered: dict[int, str] = {}
    hits: dict[int, WrittenEvidence] = {}
    texts: dict[int, str] = {}
    for evidence in excerpt:
        number = -1 if evidence.line is None else evidence.line
        context = evidence.context
        context_lines = dict(enumerate(context.lines, context.first_line)) if context else {}
        numbered |= context_lines
        hits[number] = evidence
        texts[number] = max(evidence.text, context_lines.get(number, ""), key=len)
    numbered |= texts
    shown_numbers = [number for number in sorted(numbered) if any(abs(number - hit) <= around for hit in hits)]
    block_lines = dict.fromkeys(line for evidence in excerpt for line in evidence.block or ())
    return [
        ExcerptRow(
            kind="hit" if number in hits else "",
            number=number if number > 0 else None,
            text=clip(show_controls(numbered[number]), width),
            evidence=hits.get(number),
        )
        for number in shown_numbers
    ] + [
        ExcerptRow(kind="part", number=None, text=clip(show_controls(line), width))
        for line in block_lines  # lines of kernels and journals have a prefix that the block lacks
        if not any(numbered[number].endswith(line) for number in shown_numbers)
    ]


def mark_captures(line: str, captures: Mapping[str, str]) -> Markup:
    """Return the line, escaped, with the values that the rule captured in `<mark>`."""
    # To mark most of a line (a whole TF_CONFIG) would not help.
    values = sorted(
        (value for value in set(captures.values()) if 1 < len(value) <= max(40, len(line) // 2)), key=len, reverse=True
    )
    line = show_controls(line)
    if not values:
        return escape(line)
    parts = re.split("(" + "|".join(_whole_word_pattern(show_controls(value)) for value in values[:40]) + ")", line)
    return Markup("").join(
        Markup("<mark>{}</mark>").format(part) if index % 2 else escape(part) for index, part in enumerate(parts)
    )


def _whole_word_pattern(value: str) -> str:
    """Return a pattern for the value as a separate word: `0kB` is not found in `3940kB`."""
    before, after = (
        ("(?<![0-9A-Za-z])" if value[0].isalnum() else ""),
        ("(?![0-9A-Za-z])" if value[-1].isalnum() else ""),
    )
    return f"{before}{re.escape(value)}{after}"


def format_prose(sentence: str) -> Markup:
    """Return a rule's sentence with text between backticks as code."""
    parts = re.split("`([^`\n]+)`", show_controls(sentence))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else escape(part) for index, part in enumerate(parts)
    )


class ReportAnchors:
    """The anchors of a report, one for each line and finding. A line that is shown twice has its anchor at the first
    place.
    """

    def __init__(
        self, answer: IncidentSummary, cascade: Cascade, incident: WrittenIncident, facts: Iterable[WrittenHardFact]
    ) -> None:
        shown = [line for candidate in answer.candidates for line in candidate.evidence[:MAX_EVIDENCE_LINES]]
        groups = [*cascade.same_cause, *cascade.consequent, *cascade.elsewhere, *cascade.context]
        shown += [line for group in groups for finding in group.examples for line in finding.evidence[:1]]
        shown += [template.example for template in incident.unclassified]
        shown += [line for fact in facts for line in list_lines(fact)]
        keys = dict.fromkeys(_location_key(line) for line in shown)
        self._lines = {key: f"line-{_stable_id(*key)}" for key in keys}
        named = _name_groups(groups)
        self._groups = {id(group): name for group, name in named}  # of one rule there may be several
        self._findings = {finding.id: name for group, name in named for finding in group.findings}
        self._findings |= {
            candidate.finding: f"cause-{candidate.index}"
            for candidate in reversed(answer.candidates)
            if candidate.finding
        }
        self._claimed: set[str] = set()
        self._skew_keys = [skew.key for skew in incident.skew]
        self._has_evidence = bool(answer.root and answer.root.evidence)

    def claim(self, passage: Sequence[WrittenEvidence]) -> dict[int | None, str]:
        """Return line number → the anchor of its row; None → the passage's own anchor, for evidence without a line
        number. Lines that another element shows already are left out.
        """
        claimed: dict[int | None, str] = {}
        for line in passage:
            name = self._lines.get(_location_key(line), "")
            if name and name not in self._claimed:
                self._claimed.add(name)
                claimed[line.line] = name
        return claimed

    def shown(self, evidence: WrittenEvidence) -> bool:
        """Return whether an earlier element already shows this line."""
        return self.line(evidence) in self._claimed

    def line(self, evidence: WrittenEvidence | WrittenAccusation) -> str:
        """Return the anchor of the element that shows this line, or ""."""
        return self._lines.get(_location_key(evidence), "")

    def group(self, group: FindingGroup) -> str:
        return self._groups[id(group)]

    def finding(self, name: str) -> str:
        return self._findings.get(name, "")

    def linked(self, reason: str) -> Markup:
        """Return the sentence with links for each `file:line` that the report shows; text between backticks is code."""
        shown = show_controls(reason)
        for (file, line), target in self._lines.items():
            place = show_controls(f"{file}:{'' if line is None else line}")
            before, link_text, after = shown.partition(place)
            if link_text and not after[:1].isdigit():
                link = Markup('<a href="#{}" title="{}">{}</a>').format(
                    target, place, shorten_place(place.rpartition("/")[2])
                )
                return format_prose(before) + link + format_prose(after)
        return format_prose(shown)

    def reason(self, reason: str) -> Markup:
        """Return a reason with a link: to the line that it names, else to the section that shows what it rests on.

        The sentence itself is that link, so that it takes no more room on the first screen.
        """
        sentence = self.linked(reason)
        if "<a " in sentence:
            return sentence
        is_setting = any(f" has {key} " in reason for key in self._skew_keys)
        if not is_setting and not self._has_evidence:
            return sentence
        return Markup('<a href="#{}">{}</a>').format("skew" if is_setting else "evidence", sentence)


def _name_groups(groups: Sequence[FindingGroup]) -> list[tuple[FindingGroup, str]]:
    """Return each group with its anchor. The findings of one rule may stand in several parts of the cascade."""
    named: list[tuple[FindingGroup, str]] = []
    counts: Counter[str] = Counter()
    for group in groups:
        before = counts[group.rule]
        counts[group.rule] += 1
        named.append((group, f"rule-{_stable_id(group.rule, *([before] if before else []))}"))
    return named


def _stable_id(*parts: object) -> str:
    """Return an id that is the same in each report of the same files: people put links to a report into tickets."""
    text = "\0".join(map(str, parts)).encode("utf-8", "backslashreplace")
    return hashlib.blake2s(text, digest_size=5).hexdigest()


def _location_key(evidence: WrittenEvidence | WrittenAccusation) -> LocationKey:
    return evidence.file, evidence.line


def crashing_frames(core: WrittenCore) -> Sequence[WrittenFrame]:
    """Return the frames of the crashed thread: the one that the core names, or else the first one."""
    crashing_threads = [thread for thread in core.threads if thread.tid == core.crashing_thread]
    return next((thread.frames for thread in crashing_threads or core.threads), ())


def module_offset(frame: WrittenFrame) -> str:
    """Return `library.so+0x1f2e` for a frame without a function, as addr2line needs it."""
    module = (frame.module or "").rpartition("/")[2]
    return f"{module}+{frame.module_offset}" if module and frame.module_offset is not None else ""


def fold_threads(core: WrittenCore) -> list[tuple[str, int, Sequence[WrittenFrame]]]:
    """Return the other threads grouped by equal functions: (a name, how many, the frames), the most frequent first."""
    folded: dict[tuple[str | None, ...], list[WrittenThread]] = {}
    for thread in core.threads:
        if thread.tid != core.crashing_thread:
            folded.setdefault(tuple(frame.function for frame in thread.frames), []).append(thread)
    groups = sorted(folded.values(), key=len, reverse=True)
    return [(group[0].name or "", len(group), group[0].frames) for group in groups]


def fold_crashes_by_signature(cores: Sequence[WrittenCore]) -> list[tuple[WrittenCore, list[str]]]:
    """Return (the first core, the files of all) for each crash. Cores with equal signatures are one crash; those
    without are separate.
    """
    groups: dict[str, list[WrittenCore]] = {}
    for core in cores:
        groups.setdefault(core.signature or core.file, []).append(core)
    return [(group[0], [core.file for core in group]) for group in groups.values()]


def missing_modules(core: WrittenCore) -> list[WrittenModule]:
    """Return the modules of the crashed thread's frames whose file was not found or is another build."""
    used = {frame.module for frame in crashing_frames(core)}
    return [m for m in core.modules if m.path in used - {"[vdso]"} and m.status not in TRUSTED_STATUSES]
