"""Hundreds of thousands of files, which a report folds."""

import json

from analyzer.incident import Incident
from analyzer.model import Event, Kind, Locus, Source
from analyzer.report.embedded_data import MAX_SOURCES
from analyzer.report.encode import to_plain
from analyzer.report.formatting import write_json
from analyzer.report.html import render_html
from analyzer.report.json import to_json, write_incident
from analyzer.report.source_list import MAX_PROBLEM_ROWS, MAX_WHOLE_ROWS, list_sources

TOKEN = "ghp_" + "a1B2" * 9


def incident(intact: int, marred: int = 0) -> Incident:
    sources = [Source(f"n/{number}.log", "n", Kind.WORKER, 9, "read", 1, 1, 5.0, 6.5) for number in range(intact)]
    sources += [
        Source(f"n/{TOKEN}-{number}", None, Kind.UNKNOWN, 9, "failed", problem=TOKEN, unread=None)
        for number in range(marred)
    ]
    events = tuple(
        Event(
            f"s{number}",
            Locus("n/0.log", number),
            f"{TOKEN} {'x' * 400}",
            5.0 * number or None,
            node="n",
            task="worker:0",
        )
        for number in range(3)
    )
    return Incident("no-failure", (), (), (), tuple(sources), events)


def test_rows_hold_no_secret() -> None:
    written = write_incident(incident(3, 2))
    assert "".join(write_json(written)) == "".join(write_json(to_plain(written)))
    assert [event.signal for event in written.timeline.events] == ["s0", "s1", "s2"]
    assert [source.unread for source in written.sources] == [0, 0, 0, None, None]
    assert TOKEN not in json.dumps(to_json(incident(3, 2)))


def test_a_report_of_very_many_files_counts_all_and_shows_some() -> None:
    written = write_incident(incident(MAX_SOURCES, 300))
    marred, intact = list_sources(written)
    assert (marred.count, len(marred.rows), marred.more) == (300, MAX_PROBLEM_ROWS, 300 - MAX_PROBLEM_ROWS)
    assert (intact.count, len(intact.rows)) == (MAX_SOURCES, MAX_WHOLE_ROWS)
    html = render_html(written)
    assert "20,000 files read completely" in html
    assert "18,500 more files in incident.json" in html
    assert "its embedded data lacks sources that were read completely" in html
    assert len(html) < 3_000_000
    inside = html.partition('type="application/json"')[2].partition(">")[2].partition("</script>")[0]
    assert len(json.loads(inside)["sources"]) == 300
