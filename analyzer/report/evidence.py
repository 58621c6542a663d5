"""One line of evidence in words: where it stands, when it was, and what of an unknown error says most."""

from __future__ import annotations

from analyzer.report.document import WrittenAccusation, WrittenEvidence, WrittenTemplate
from analyzer.report.formatting import format_duration, format_time, parse_time, to_one_line
from analyzer.wording import join_names


def format_location(evidence: WrittenEvidence | WrittenAccusation) -> str:
    """`file:line`, or the file alone where it has no lines."""
    file = to_one_line(evidence.file)
    return file if evidence.line is None else f"{file}:{evidence.line}"


def telling_text(template: WrittenTemplate) -> str:
    """The line that says most of an unknown error: a traceback says it at its end, and the template has it."""
    example_text = template.example.text
    return template.template if not example_text or example_text.lstrip().startswith("Traceback (") else example_text


def describe_occurrences(template: WrittenTemplate) -> str:
    """How often, where, and what makes it telling."""
    nodes = join_names(template.nodes) or "no known node"
    return ", ".join([f"{template.count:,}× on {nodes}", *template.why])


def is_time_corrected(evidence: WrittenEvidence) -> bool:
    """Whether the corrected time says more than the stated one: beyond the clock's error and the stamp's own grain."""
    stated, corrected = parse_time(evidence.time), parse_time(evidence.corrected)
    if stated is None or corrected is None:
        return False
    resolution_s = 1.0 if stated == int(stated) else 0.001
    return abs(corrected - stated) >= max(resolution_s, evidence.error_s or 0.0)


def format_clock_error(evidence: WrittenEvidence) -> str:
    """` ± 9 ms` behind a corrected time, where the clock's error is known."""
    return f" ± {format_duration(evidence.error_s)}" if evidence.error_s else ""


def format_times(evidence: WrittenEvidence) -> str:
    """The time of an evidence line as its file states it, and the corrected one where they differ."""
    stated = format_time(evidence.time)
    if stated and is_time_corrected(evidence):
        corrected = format_time(evidence.corrected)
        return f"{stated} by its own clock, {corrected} corrected{format_clock_error(evidence)}"
    return stated or "no time"
