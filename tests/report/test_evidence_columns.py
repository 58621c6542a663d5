"""A column of evidence is declared once, and each form that shows lines has it."""

from __future__ import annotations

import re

import pytest
from fixture_incidents import bundle_of, incident_of

from analyzer.report import html, written_evidence
from analyzer.report.brief import render_brief
from analyzer.report.html import render_html
from analyzer.report.jira import render_jira
from analyzer.report.json import write_incident
from analyzer.report.markdown import render_markdown
from analyzer.report.terminal import render_plain
from analyzer.report.written_evidence import EVIDENCE_COLUMNS, EvidenceColumn, ExcerptRow, WrittenEvidence, format_cells

RENDERERS = (render_html, render_markdown, render_jira, render_brief, render_plain)
SEEN_BY = EvidenceColumn(
    name="seen-by", meaning="seen by", cell=lambda row: f"seen-by-{row.evidence.node}" if row.evidence else ""
)


@pytest.mark.parametrize("render", RENDERERS)
def test_a_new_column_is_shown(render: object, monkeypatch: pytest.MonkeyPatch) -> None:
    assert callable(render)
    written = write_incident(incident_of(bundle_of("killed-worker")))
    [word] = {f"seen-by-{line.node}" for line in written.root_causes[0].evidence[:1]}
    assert word not in render(written)
    for module in (written_evidence, html):
        monkeypatch.setattr(module, "EVIDENCE_COLUMNS", (*EVIDENCE_COLUMNS, SEEN_BY))
    longest_word = max(re.findall(r"\w+", written.root_causes[0].evidence[0].text), key=len)
    lines = [line for line in render(written).splitlines() if word in line]
    assert any(longest_word in line for line in lines), lines


def test_cells_are_aligned(monkeypatch: pytest.MonkeyPatch) -> None:
    line = WrittenEvidence(node="n1", file="w.log", line=9, time=None, text="boom")
    rows = [
        ExcerptRow(kind="hit", number=9, text="boom", evidence=line),
        ExcerptRow(kind="", number=110, text="after"),
        ExcerptRow(kind="part", number=None, text="below"),
    ]
    monkeypatch.setattr(written_evidence, "EVIDENCE_COLUMNS", EVIDENCE_COLUMNS[:1])
    assert format_cells(rows) == ["  9", "110", "   "]
    monkeypatch.setattr(written_evidence, "EVIDENCE_COLUMNS", (*EVIDENCE_COLUMNS[:1], SEEN_BY))
    assert format_cells(rows, min_width=4) == ["   9  seen-by-n1", " 110            ", "                "]
    assert format_cells([]) == []
