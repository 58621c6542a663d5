"""Format one line of evidence: its place, its times, and the significant line of an unknown error."""

from __future__ import annotations

from analyzer.report.document import WrittenAccusation, WrittenTemplate
from analyzer.report.formatting import format_duration, format_time, parse_time, to_one_line
from analyzer.report.written_evidence import WrittenEvidence
from analyzer.wording import join_names


def format_location(evidence: WrittenEvidence | WrittenAccusation) -> str:
    """Return `file:line`, or the file alone if it has no lines."""
    file = to_one_line(evidence.file)
    return file if evidence.line is None else f"{file}:{evidence.line}"


def telling_text(template: WrittenTemplate) -> str:
    """Return the most significant line of an unknown error: the end of a traceback, or the template."""
    example_text = template.example.text
    return template.template if not example_text or example_text.lstrip().startswith("Traceback (") else example_text


def describe_occurrences(template: WrittenTemplate) -> str:
    """Return how often an unknown error occurred, where, and why it is significant."""
    nodes = join_names(template.nodes) or "no known node"
    return ", ".join([f"{template.count:,}× on {nodes}", *template.why])


def is_time_corrected(evidence: WrittenEvidence) -> bool:
    """Return whether the corrected time differs from the stated one by more than the clock's error and the stamp's
    resolution.
    """
    stated, corrected = parse_time(evidence.time), parse_time(evidence.corrected)
    if stated is None or corrected is None:
        return False
    resolution_s = 1.0 if stated == int(stated) else 0.001
    return abs(corrected - stated) >= max(resolution_s, evidence.error_s or 0.0)


def format_clock_error(evidence: WrittenEvidence) -> str:
    """Return the error of a corrected time, such as ` ± 9 ms`; empty if the clock's error is unknown."""
    return f" ± {format_duration(evidence.error_s)}" if evidence.error_s else ""


def format_times(evidence: WrittenEvidence) -> str:
    """Return the time of an evidence line as its file states it, and the corrected time if they differ."""
    stated = format_time(evidence.time)
    if stated and is_time_corrected(evidence):
        corrected = format_time(evidence.corrected)
        return f"{stated} by its own clock, {corrected} corrected{format_clock_error(evidence)}"
    return stated or "no time"
