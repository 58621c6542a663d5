"""Every output that can be made of an incident, as text."""

from __future__ import annotations

import io
import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from analyzer.cli._redaction import choose_incident_names, redact_incident
from analyzer.cli._timeline_writers import format_json, format_text
from analyzer.cli.inspect import _describe_bundle
from analyzer.cli.timeline import FRAME_WRITERS, hide_names, write_trace
from analyzer.history import DATABASE_FILE, recall
from analyzer.incident import Incident
from analyzer.report.compare import compare_incidents, format_comparison
from analyzer.report.document import WrittenIncident
from analyzer.report.encode import to_plain
from analyzer.report.explain_finding import explain_finding
from analyzer.report.formatting import write_json
from analyzer.report.forms import output_forms
from analyzer.report.json import write_incident
from analyzer.report.reader import read_incident
from analyzer.report.terminal import render_terminal
from analyzer.rules.load import load_packs
from analyzer.timeline.dataframe import make_dataframe

NOW = datetime(2026, 3, 1, 10, tzinfo=UTC)
WIDE = 4000  # characters: no name is broken at the end of a line


def every_output(incident: Incident, redact: bool = True) -> dict[str, str]:
    """Command or form → what it writes."""
    written = write_incident(incident)
    renaming = choose_incident_names(written) if redact else None
    shown = redact_incident(written, renaming)
    frame = hide_names(make_dataframe(incident), written) if redact else make_dataframe(incident)
    return {
        **dict(_reports(shown)),
        **{f"timeline {form}": write(frame) for form, write in FRAME_WRITERS.items()},
        "timeline text": format_text(frame, with_noise=True, width=None),
        "timeline json": format_json(frame),
        "timeline parquet": frame.to_csv(),  # the same columns
        "timeline trace": write_trace(written, redact),
        "inspect": "\n".join(_describe_bundle(shown)),
        "compare": "\n".join(
            [
                json.dumps(to_plain(compare_incidents(shown, shown))),
                *format_comparison(compare_incidents(shown, shown), ("a", "b")),
            ]
        ),
        "history": dump_history(shown, redact),
        "core": "".join(write_json(shown.cores)),
        "show": json.dumps(to_plain(read_back(shown))),
        "rules explain": "\n".join(_explanations(shown)),
    }


def _explanations(incident: WrittenIncident) -> Iterator[str]:
    packs = load_packs(trust=True)
    for row in incident.findings:
        yield from explain_finding(incident, row, packs)


def _reports(incident: WrittenIncident) -> Iterator[tuple[str, str]]:
    for form in output_forms().values():
        text = form.render(incident)
        yield form.name, text if isinstance(text, str) else "".join(text)
    console = Console(file=io.StringIO(), width=WIDE)
    with console.capture() as printed:
        console.print(*render_terminal(incident, console))
    yield "terminal", printed.get()


def read_back(incident: WrittenIncident) -> WrittenIncident:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "incident.json"
        path.write_text("".join(write_json(incident)), encoding="utf-8")
        return read_incident(path)


def dump_history(incident: WrittenIncident, redact: bool) -> str:
    with tempfile.TemporaryDirectory() as folder:
        recalled, _ = recall(incident, Path(folder), NOW, without_names=redact)
        with closing(sqlite3.connect(Path(folder) / DATABASE_FILE)) as connection:
            return "\n".join([json.dumps(to_plain(recalled)), *connection.iterdump()])
