"""Log lines for a report: numbered, with hits and captured values marked, and one anchor for each line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from analyzer.core_dump import TRUSTED_STATUSES
from analyzer.report.cascade import Cascade, FindingGroup
from analyzer.report.formatting import clip, show_controls
from analyzer.report.summary import IncidentSummary
from analyzer.report.tolerant import items, member, text, texts, whole_number

MAX_EVIDENCE_LINES = 20  # lines shown for a root cause
MAX_LINE_CHARS = 1500  # characters shown of a line
LocationKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ExcerptRow:
    number: int | None
    text: str
    hit: bool
    part: bool = False  # a continuation line that belongs to the hit


def group_nearby_lines(
    evidence: Sequence[Mapping[str, object]], max_distance: int = 8
) -> list[list[Mapping[str, object]]]:
    """Return the evidence as excerpts: lines of one file within `max_distance` lines of each other form one excerpt."""
    excerpts: list[list[Mapping[str, object]]] = []
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


def _are_nearby(first: Mapping[str, object], second: Mapping[str, object], max_distance: int) -> bool:
    lines = whole_number(first, "line", -1), whole_number(second, "line", -1)
    return text(first, "file") == text(second, "file") and min(lines) > 0 and abs(lines[0] - lines[1]) <= max_distance


def excerpt_rows(
    excerpt: Sequence[Mapping[str, object]], around: int = 100, width: int = MAX_LINE_CHARS
) -> list[ExcerptRow]:
    """Return the evidence lines with up to `around` lines of context, and their continuation lines if the context lacks
    them.
    """
    numbered: dict[int, str] = {}
    hits: dict[int, str] = {}
    for evidence in excerpt:
        context, number, line_text = (
            member(evidence, "context"),
            whole_number(evidence, "line", -1),
            text(evidence, "text"),
        )
        context_lines = dict(enumerate(texts(context, "lines"), whole_number(context, "first_line", 1)))
        numbered |= context_lines
        hits[number] = max(line_text, context_lines.get(number, ""), key=len)
    numbered |= hits
    shown_numbers = [number for number in sorted(numbered) if any(abs(number - hit) <= around for hit in hits)]
    block_lines = dict.fromkeys(line for evidence in excerpt for line in texts(evidence, "block"))
    return [
        ExcerptRow(number if number > 0 else None, clip(show_controls(numbered[number]), width), number in hits)
        for number in shown_numbers
    ] + [
        ExcerptRow(None, clip(show_controls(line), width), False, True)
        for line in block_lines  # lines of kernels and journals have a prefix that the block lacks
        if not any(numbered[number].endswith(line) for number in shown_numbers)
    ]


def mark_captures(line: str, captures: Mapping[str, object]) -> Markup:
    """Return the line, escaped, with the values that the rule captured in `<mark>`."""
    # To mark most of a line (a whole TF_CONFIG) would not help.
    capture_texts = {str(value) for value in captures.values() if value is not None}
    values = sorted(
        (value for value in capture_texts if 1 < len(value) <= max(40, len(line) // 2)), key=len, reverse=True
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

    def __init__(self, answer: IncidentSummary, cascade: Cascade, incident: Mapping[str, object]) -> None:
        shown = [one for candidate in answer.candidates for one in candidate.evidence[:MAX_EVIDENCE_LINES]]
        groups = [*cascade.consequent, *cascade.elsewhere, *cascade.context]
        shown += [one for group in groups for finding in group.examples for one in items(finding, "evidence")[:1]]
        shown += [member(one, "example") for one in items(incident, "unclassified")]
        keys = dict.fromkeys(_location_key(one) for one in shown)
        self._lines = {key: f"line-{index}" for index, key in enumerate(keys, 1)}
        self._groups = {group.rule: f"rule-{index}" for index, group in enumerate(groups, 1)}
        self._findings = {text(one, "id"): self._groups[group.rule] for group in groups for one in group.findings}
        self._findings |= {one.finding: f"cause-{one.index}" for one in reversed(answer.candidates) if one.finding}
        self._claimed: set[str] = set()

    def claim(self, passage: Sequence[Mapping[str, object]]) -> dict[object, str]:
        """Return line number → the anchor of its row; None → the passage's own anchor, for evidence without a line
        number. Lines that another element shows already are left out.
        """
        claimed: dict[object, str] = {}
        for one in passage:
            name = self._lines.get(_location_key(one), "")
            if name and name not in self._claimed:
                self._claimed.add(name)
                claimed[one.get("line")] = name
        return claimed

    def shown(self, evidence: Mapping[str, object]) -> bool:
        """Return whether an earlier element already shows this line."""
        return self.line(evidence) in self._claimed

    def line(self, evidence: Mapping[str, object]) -> str:
        """Return the anchor of the element that shows this line, or ""."""
        return self._lines.get(_location_key(evidence), "")

    def group(self, group: FindingGroup) -> str:
        return self._groups[group.rule]

    def finding(self, name: str) -> str:
        return self._findings.get(name, "")

    def linked(self, reason: str) -> Markup:
        """Return the sentence with links for each `file:line` that the report shows; text between backticks is code."""
        said = show_controls(reason)
        for (file, line), target in self._lines.items():
            place = show_controls(f"{file}:{line}")
            before, found, after = said.partition(place)
            if found and not after[:1].isdigit():
                return format_prose(before) + Markup('<a href="#{}">{}</a>').format(target, place) + format_prose(after)
        return format_prose(said)


def _location_key(evidence: Mapping[str, object]) -> LocationKey:
    return text(evidence, "file"), text(evidence, "line")


def crashing_frames(core: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    """Return the frames of the crashed thread: the one that the core names, or else the first one."""
    threads = items(core, "threads")
    crashing_threads = [thread for thread in threads if thread.get("tid") == core.get("crashing_thread")]
    return items((crashing_threads or threads or [{}])[0], "frames")


def module_offset(frame: Mapping[str, object]) -> str:
    """Return `library.so+0x1f2e` for a frame without a function, as addr2line needs it."""
    module, offset = text(frame, "module").rpartition("/")[2], frame.get("module_offset")
    return f"{module}+{hex(offset) if isinstance(offset, int) else offset}" if module and offset is not None else ""


def fold_threads(core: Mapping[str, object]) -> list[tuple[str, int, Sequence[Mapping[str, object]]]]:
    """Return the other threads grouped by equal functions: (a name, how many, the frames), the most frequent first."""
    folded: dict[tuple[str, ...], list[Mapping[str, object]]] = {}
    for thread in items(core, "threads"):
        if thread.get("tid") != core.get("crashing_thread"):
            folded.setdefault(tuple(text(frame, "function") for frame in items(thread, "frames")), []).append(thread)
    groups = sorted(folded.values(), key=len, reverse=True)
    return [(text(group[0], "name"), len(group), items(group[0], "frames")) for group in groups]


def fold_crashes_by_signature(cores: Sequence[Mapping[str, object]]) -> list[tuple[Mapping[str, object], list[str]]]:
    """Return (the first core, the files of all) for each crash. Cores with equal signatures are one crash; those
    without are separate.
    """
    groups: dict[str, list[Mapping[str, object]]] = {}
    for core in cores:
        groups.setdefault(text(core, "signature") or text(core, "file"), []).append(core)
    return [(group[0], [text(core, "file") for core in group]) for group in groups.values()]


def missing_modules(core: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the modules of the crashed thread's frames whose file was not found or is another build."""
    used = {text(frame, "module") for frame in crashing_frames(core)}
    modules = items(core, "modules")
    return [
        module for module in modules if text(module, "path") in used and text(module, "status") not in TRUSTED_STATUSES
    ]
