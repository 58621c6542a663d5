"""A brief for a person or an assistant who continues the investigation: facts first, then hypotheses, then lines."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.report.deciding_lines import choose_deciding_lines
from analyzer.report.document import WrittenIncident
from analyzer.report.endings import list_accusers, list_endings
from analyzer.report.evidence import format_location
from analyzer.report.formatting import clip, format_time, plural
from analyzer.report.job_facts import describe_job
from analyzer.report.markdown import MARKDOWN
from analyzer.report.summary import CauseSummary, IncidentSummary, summarize
from analyzer.report.written_evidence import format_cells

MAX_BYTES = 20_000
RESERVED_BYTES = 200  # for the last line
MAX_CANDIDATES, MAX_UNKNOWN, MAX_LINE_CHARS = 4, 8, 400


def render_brief(incident: WrittenIncident) -> str:
    """Return at most 20,000 bytes of Markdown. Blocks that do not fit are left out, and the last line says how many."""
    kept, used, left_out = list[str](), 0, 0
    for block in _blocks(incident, summarize(incident)):
        size = len(block.encode("utf-8", "backslashreplace")) + 2
        if used + size > MAX_BYTES - RESERVED_BYTES:
            left_out += 1
            continue
        kept.append(block)
        used += size
    if left_out:
        kept.append(f"{plural(left_out, 'part')} left out: a brief has at most {MAX_BYTES:,} bytes.")
    return "\n\n".join(kept) + "\n"


def _blocks(incident: WrittenIncident, summary: IncidentSummary) -> Iterator[str]:
    yield MARKDOWN.heading(1, MARKDOWN.plain(summary.headline, 300))
    version, verdict = MARKDOWN.plain(incident.tool.version, 40), MARKDOWN.plain(summary.verdict, 40)
    yield f"Report of tf-postmortem {version}: a brief. The verdict is {verdict}."
    if summary.sentence:
        yield MARKDOWN.plain(summary.sentence, 1200)
    facts = [f"{label} {value}".strip() for label, value in describe_job(incident)]
    yield ", ".join(MARKDOWN.plain(fact, 200) for fact in facts)  # each alone: a code span must not hold the comma
    yield from _ends(incident)
    for number, candidate in enumerate(summary.candidates[:MAX_CANDIDATES], 1):
        yield from _hypothesis(number, candidate)
    if summary.root:
        yield MARKDOWN.heading(2, "Deciding lines")
        for excerpt in choose_deciding_lines(summary.root.evidence):
            cells = format_cells(excerpt.lines, min_width=6)
            texts = (clip(row.text, MAX_LINE_CHARS).expandtabs(4) for row in excerpt.lines)
            lines = [f"{cell}  {text}" for cell, text in zip(cells, texts, strict=True)]
            yield f"{MARKDOWN.code(format_location(excerpt.evidence))}\n\n{MARKDOWN.fence(lines)}"
    for last in incident.last_lines[:1]:
        yield MARKDOWN.heading(2, "The last lines of a log")
        lines = [f"{number:>6}  {clip(text, MAX_LINE_CHARS).expandtabs(4)}" for number, text in last.numbered()]
        yield f"{MARKDOWN.code(last.file)}\n\n{MARKDOWN.fence(lines)}"
    if summary.unknown:
        yield MARKDOWN.heading(2, "Error lines that no rule explains")
        lines = [
            f"{template.count}x {clip(template.template, MAX_LINE_CHARS).expandtabs(4)}"
            for template in incident.unclassified[:MAX_UNKNOWN]
        ]
        yield MARKDOWN.fence(lines)
    missing = [*summary.needs, *incident.notes[:8]]
    if missing:
        yield MARKDOWN.heading(2, "What is missing, and what limits this answer")
        yield MARKDOWN.items(MARKDOWN.plain(sentence, 300) for sentence in missing)


def _ends(incident: WrittenIncident) -> Iterator[str]:
    endings = list_endings(incident)
    if not endings.rows:
        return
    yield MARKDOWN.heading(2, "How each node ended")
    yield MARKDOWN.table(
        ("Node", "Ended", "Last step", "Last line", "Silent since", "Accused by"),
        [
            (
                " ".join(filter(None, (MARKDOWN.code(row.name), ", ".join(map(MARKDOWN.code, row.tasks))))),
                f"{MARKDOWN.plain(row.ended, 80)}{' (core)' if row.core else ''}",
                row.last_step,
                format_time(row.last_time),
                format_time(row.silent_since),
                ", ".join(map(MARKDOWN.code, list_accusers(row))),
            )
            for row in endings.rows
        ],
    )
    if endings.explains:
        yield f"The first hypothesis {MARKDOWN.plain(endings.explains, 400)}."


def _hypothesis(number: int, candidate: CauseSummary) -> Iterator[str]:
    yield MARKDOWN.heading(2, f"Hypothesis {number}: {MARKDOWN.plain(candidate.title, 300)}")
    sure = f"{candidate.sureness}, {MARKDOWN.plain(candidate.status, 40)}"
    yield f"{MARKDOWN.code(candidate.cause)} on {MARKDOWN.code(candidate.place)}, {sure}"
    reasons = [f"for: {MARKDOWN.plain(reason, 300)}" for reason in candidate.why]
    reasons += [f"against: {MARKDOWN.plain(reason, 300)}" for reason in candidate.objections]
    reasons += [f"would help: {MARKDOWN.plain(candidate.would_decide, 300)}"] if candidate.would_decide else []
    if reasons:
        yield MARKDOWN.items(reasons)
