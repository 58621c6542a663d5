"""What the history tells over time, and its page."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command_line import call_for_text
from report_samples import HOSTILE

from analyzer.bundle.own_outputs import is_own_output
from analyzer.history import IncidentRecord, Note, open_store
from analyzer.history.trends import MAX_PERIODS, find_trends, gaps_between, rack_of
from analyzer.history.trends_page import render_trends

START = datetime(2026, 1, 1, tzinfo=UTC)
CAUSES = ("resource.host-oom-killed", "sync.hang", "hardware.gpu-error")


def record(number: int, day: float, cause: str = CAUSES[0], node: str = "r1-gpu1", **changes: object) -> IncidentRecord:
    fields: dict[str, object] = {
        "fingerprint": f"f{number}",
        "happened": f"{START + timedelta(days=day):%Y-%m-%dT%H:%M:%SZ}",
        "seen": "2026-12-31T00:00:00Z",
        "verdict": "diagnosed",
        "cause": cause,
        "rule": "some-rule",
        "title": f"{node} failed",
        "node": node,
        "task": "",
        "signatures": {"usual": "ab" * 8},
        **changes,
    }
    return IncidentRecord(**fields)  # type: ignore[arg-type]


def test_periods_cover_the_whole_time_and_count_every_incident() -> None:
    for days in (0, 3, 90, 700, 9000):
        trends = find_trends([record(1, 0), record(2, days / 2, CAUSES[1]), record(3, days)])
        assert 1 <= len(trends.periods) <= MAX_PERIODS
        assert sum(period.causes.total() for period in trends.periods) == 3
        assert trends.periods[0].causes and trends.periods[-1].causes


def test_incidents_without_a_time_are_counted_apart() -> None:
    trends = find_trends([record(1, 0), record(2, 1, happened="", seen="")])
    assert trends.untimed == 1 and sum(period.causes.total() for period in trends.periods) == 1
    assert find_trends([]).periods == () and "0 incidents" in render_trends(find_trends([]))


def test_long_names_and_titles_open_on_click() -> None:
    names = {"cause": "c" * 130 + "-end", "node": "n" * 130 + "-end", "title": "t" * 230 + "-end"}
    page = render_trends(find_trends([record(number, number, **names) for number in (1, 2)]))  # type: ignore[arg-type]
    for name in names.values():
        assert f">{name}</" in page.partition('<details class="long">')[2], name


def test_what_comes_back_is_found_and_what_came_once_is_not() -> None:
    trends = find_trends(
        [
            record(1, 0, node="r1-gpu1"),
            record(2, 2, node="r1-gpu2", signatures={"usual": "cd" * 8}),
            record(3, 6, node="r1-gpu1", notes=(Note("2026-02-01T00:00:00Z", "OPS-41", "a new board"),)),
            record(4, 7, node="r2-gpu1", cause=CAUSES[1], signatures={}),
        ]
    )
    assert [(node.name, len(node.records), node.tickets) for node in trends.nodes] == [("r1-gpu1", 2, ["OPS-41"])]
    assert [(rack.name, rack.nodes) for rack in trends.racks] == [("r1", [("r1-gpu1", 2), ("r1-gpu2", 1)])]
    assert [(signature.name, len(signature.records)) for signature in trends.signatures] == [("ab" * 8, 2)]
    assert [cause.name for cause in trends.causes] == [CAUSES[0], CAUSES[1]]
    assert gaps_between(trends.records) == [2 * 86400, 4 * 86400, 86400]
    assert trends.median_gap_s == 2 * 86400
    page = render_trends(trends)
    for words in ("4 incidents", "OPS-41", "Racks that come back", "Faults seen again", "2 d"):
        assert words in page, words


@pytest.mark.parametrize(
    ("node", "rack"),
    [
        ("r07-gpu12", "r07"),
        ("rack3node11.cluster.example", "rack3"),
        ("ip-10-42-7-22", "ip-10-42-7"),
        ("10.42.7.22", "10.42.7"),
        ("gpu-0150", ""),
        ("trainer", ""),
        ("", ""),
    ],
)
def test_a_rack_is_what_a_name_shows_of_one(node: str, rack: str) -> None:
    assert rack_of(node) == rack


def test_ten_thousand_incidents_take_less_than_two_seconds() -> None:
    records = [
        record(
            number,
            number / 9,
            CAUSES[number % 3],
            f"r{number % 40}-gpu{number % 311}",
            signatures={"usual": f"{number % 700:016x}"},
        )
        for number in range(10_000)
    ]
    begun = time.process_time()
    page = render_trends(find_trends(records))
    assert time.process_time() - begun < 2.0
    assert "10,000 incidents" in page and len(page) < 200_000


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_neutral(text: str) -> None:
    notes = (Note("2026-01-01T00:00:00Z", text, text),)
    page = render_trends(
        find_trends([record(n, n, text, text, title=text, signatures={"usual": text}, notes=notes) for n in (1, 2)])
    )
    assert page.count("<script") == 0 and page.count("</style>") == 1
    assert "<svg/onload" not in page and "<img" not in page
    assert not re.search(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202e\u2028\ud800]", page)


def test_the_command_writes_the_page_with_names_hidden_and_nothing_reads_it_as_a_log(tmp_path: Path) -> None:
    with open_store(tmp_path / "history") as store:
        for number in (1, 2):
            store.add(record(number, number, node="gpu17.secret.example", title="gpu17.secret.example failed"))
    page = tmp_path / "trends.html"
    result = call_for_text("history", "report", "--history", tmp_path / "history", "-o", page, "--redact")
    assert result.returncode == 0, result.stderr
    assert "gpu17" not in page.read_text() and "2 incidents" in page.read_text()
    assert is_own_output(page)
    plain = call_for_text("history", "report", "--history", tmp_path / "history", "-o", "-")
    assert "gpu17.secret.example" in plain.stdout and plain.stdout.startswith("<!DOCTYPE html>")
    assert (
        call_for_text("history", "report", "--history", tmp_path / "history", "-o", "/nowhere/t.html").returncode == 1
    )
