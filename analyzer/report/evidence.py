"""One line of evidence in words: where it stands, when it was, and what of an unknown error says most."""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.report.formatting import format_duration, format_time, parse_time, to_one_line
from analyzer.report.tolerant import member, number, text, texts, whole_number
from analyzer.wording import join_names


def format_location(evidence: Mapping[str, object]) -> str:
    """`file:line`, or the file alone where it has no lines."""
    line = evidence.get("line")
    return (
        f"{to_one_line(text(evidence, 'file'))}:{line}"
        if isinstance(line, int)
        else to_one_line(text(evidence, "file"))
    )


def telling_text(template: Mapping[str, object]) -> str:
    """The line that says most of an unknown error: a traceback says it at its end, and the template has it."""
    example_text = text(member(template, "example"), "text")
    return (
        text(template, "template")
        if not example_text or example_text.lstrip().startswith("Traceback (")
        else example_text
    )


def describe_occurrences(template: Mapping[str, object]) -> str:
    """How often, where, and what makes it telling."""
    nodes = join_names(texts(template, "nodes")) or "no known node"
    return ", ".join([f"{whole_number(template, 'count', 1):,}× on {nodes}", *texts(template, "why")])


def is_time_corrected(evidence: Mapping[str, object]) -> bool:
    """Whether the corrected time says more than the stated one: beyond the clock's error and the stamp's own grain."""
    stated, corrected = parse_time(evidence.get("time")), parse_time(evidence.get("corrected"))
    if stated is None or corrected is None:
        return False
    resolution_s = 1.0 if stated == int(stated) else 0.001
    return abs(corrected - stated) >= max(resolution_s, number(evidence, "error_s") or 0.0)


def format_clock_error(evidence: Mapping[str, object]) -> str:
    """` ± 9 ms` behind a corrected time, where the clock's error is known."""
    error = number(evidence, "error_s")
    return f" ± {format_duration(error)}" if error else ""


def format_times(evidence: Mapping[str, object]) -> str:
    """The time of an evidence line as its file states it, and the corrected one where they differ."""
    stated = format_time(evidence.get("time"))
    if stated and is_time_corrected(evidence):
        corrected = format_time(evidence.get("corrected"))
        return f"{stated} by its own clock, {corrected} corrected{format_clock_error(evidence)}"
    return stated or "no time"
