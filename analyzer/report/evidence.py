"""One line of evidence in words: where it stands, when it was, and what of an unknown error says most."""

from __future__ import annotations

from collections.abc import Mapping

from analyzer.report.tolerant import member, moment, number, text, texts, whole
from analyzer.report.wording import clock, duration, listed, one_line


def where(evidence: Mapping[str, object]) -> str:
    """`file:line`, or the file alone where it has no lines."""
    line = evidence.get("line")
    return f"{one_line(text(evidence, 'file'))}:{line}" if isinstance(line, int) else one_line(text(evidence, "file"))


def loud_text(template: Mapping[str, object]) -> str:
    """The line that says most of an unknown error: a traceback says it at its end, and the template has it."""
    said = text(member(template, "example"), "text")
    return text(template, "template") if not said or said.lstrip().startswith("Traceback (") else said


def unknown_place(template: Mapping[str, object]) -> str:
    """How often, where, and what makes it telling."""
    nodes = listed(texts(template, "nodes")) or "no known node"
    return ", ".join([f"{whole(template, 'count', 1):,}× on {nodes}", *texts(template, "why")])


def differ(evidence: Mapping[str, object]) -> bool:
    """Whether the corrected time says more than the stated one: beyond the clock's error and the stamp's own grain."""
    own, corrected = moment(evidence.get("time")), moment(evidence.get("corrected"))
    if own is None or corrected is None:
        return False
    grain = 1.0 if own == int(own) else 0.001
    return abs(corrected - own) >= max(grain, number(evidence, "error_s") or 0.0)


def correction(evidence: Mapping[str, object]) -> str:
    """` ± 9 ms` behind a corrected time, where the clock's error is known."""
    error = number(evidence, "error_s")
    return f" ± {duration(error)}" if error else ""


def when(evidence: Mapping[str, object]) -> str:
    """The time of an evidence line as its file states it, and the corrected one where they differ."""
    said = clock(evidence.get("time"))
    if said and differ(evidence):
        return f"{said} by its own clock, {clock(evidence.get('corrected'))} corrected{correction(evidence)}"
    return said or "no time"
