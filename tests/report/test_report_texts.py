"""Markdown, terminal text and the words that all outputs share."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert
from report_samples import HOSTILE, at, empty, healthy, hostile, line, many, oom, typed, undiagnosed
from rich.cells import cell_len
from rich.console import Console

from analyzer.report import controls, formatting
from analyzer.report.evidence import format_times
from analyzer.report.formatting import parse_time
from analyzer.report.jira import render_jira
from analyzer.report.lanes import build_lanes, choose_windows
from analyzer.report.log_excerpts import excerpt_rows, group_nearby_lines, mark_captures
from analyzer.report.markdown import MAX_CHARS, render_markdown
from analyzer.report.terminal import render_terminal
from analyzer.report.written_evidence import WrittenEvidence

SAMPLES = {"oom": oom, "undiagnosed": undiagnosed, "healthy": healthy, "empty": empty, "nothing": dict, "many": many}


def printed(incident: dict[str, object], width: int = 80, terminal: bool = False) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=terminal, color_system="truecolor" if terminal else None)
    for part in render_terminal(typed(incident), console):
        console.print(part)
    return stream.getvalue()


def outside_code(markdown: str) -> str:
    """What is left of Markdown without its fences and code spans."""
    kept, fence = [], ""
    for row in markdown.splitlines():
        if fence:
            fence = "" if row == fence else fence
        elif match := re.match("`{3,}", row):
            fence = match.group()
        else:
            kept.append(re.sub(r"`[^`]*`", "", row))
    assert not fence, "a fence stays open"
    return "\n".join(kept)


@pytest.mark.parametrize("name", SAMPLES)
def test_markdown_has_verdict_evidence_and_nodes_within_a_tickets_bounds(name: str) -> None:
    incident = SAMPLES[name]()
    document = render_markdown(typed(incident))
    assert len(document) <= MAX_CHARS
    if incident.get("root_causes"):
        assert document.startswith(f"## {incident['root_causes'][0]['title']}")  # type: ignore[index]
        assert "### Evidence" in document and "> 812  [812345.125] Out of memory: Killed process 4242" in document
    if incident.get("nodes"):
        assert "<summary>Nodes</summary>\n\n| Node" in document
    assert document.count("<details>") == document.count("</details>") == document.count("<summary>")
    for table in re.findall(r"(?:^\|.*\n)+", document, re.MULTILINE):
        assert len({row.replace(r"\|", "").count("|") for row in table.splitlines()}) == 1


def test_markdown_leaves_out_whole_parts_and_says_so() -> None:
    incident = oom()
    incident["root_causes"][0]["evidence"] = [  # type: ignore[index]
        {**line("n", "f", 100 * number + 5, 1.0, "x" * 5000), "block": [f"{part}{'y' * 5000}" for part in range(60)]}
        for number in range(50)
    ]
    incident["notes"] = ["z" * 5000] * 5000
    incident["unclassified"] = [{"template": "t" * 900, "count": 1, "nodes": ["n" * 900] * 9}] * 900
    incident["nodes"] = [{"name": "n" * 900, "tasks": ["t" * 900] * 90}] * 900
    document = render_markdown(typed(incident))
    assert len(document) <= MAX_CHARS
    assert outside_code(document)
    assert "part left out" in document or "parts left out" in document


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_keeps_log_text_in_code(text: str) -> None:
    incident = oom()
    incident["root_causes"][0].update(title=text, summary=text, why=[text], remediation=[text])  # type: ignore[index]
    incident["nodes"][0]["name"] = text  # type: ignore[index]
    bare = re.sub(r"</?(?:details|summary)>", "", outside_code(render_markdown(typed(incident))))
    assert not re.search(r"(?<!\\)<\w|(?<!\\)<[/!]|(?<!\w)@\w|#\d|https?://", bare)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", bare)


@given(st.text(max_size=300))
def test_any_text_keeps_markdown_bounded_and_closed(text: str) -> None:
    incident = oom()
    incident["root_causes"][0].update(  # type: ignore[index]
        title=text, summary=text, evidence=[{**line("n", text, 3, 1.0, text), "block": text.splitlines()}]
    )
    rendered = render_markdown(typed(incident))
    rendered.encode("utf-8")
    assert len(rendered) <= MAX_CHARS
    assert "<summary>Nodes</summary>" in outside_code(rendered)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("width", [80, 200])
def test_terminal_text_fits_and_has_no_escapes_where_it_is_no_terminal(name: str, width: int) -> None:
    output = printed(SAMPLES[name](), width)
    assert all(cell_len(row.rstrip()) <= width for row in output.splitlines())
    assert "\x1b" not in output


def test_terminal_says_verdict_place_evidence_and_what_to_do() -> None:
    output = " ".join(printed(oom()).split())
    for expected in (
        "train-2: the kernel killed python3 (pid 4242) for memory",
        "resource.host-oom-killed",
        "train-2 (worker:2)",
        "almost certain (0.93); established: the evidence alone proves this cause",
        "train-2/dmesg.txt:812",
        "▸ 812 [812345.125] Out of memory",
        "Lower the per-host batch size",
        "13 lines on 3 nodes are consequences",
        "2 files not read completely",
    ):
        assert expected in output, expected


@pytest.mark.parametrize("text", HOSTILE)
def test_terminal_neutralizes_escapes_and_markup(text: str) -> None:
    out = printed(hostile(text), 400, terminal=True)
    unstyled = re.sub(r"\x1b\[[0-9;]*m", "", out)  # the styles that rich itself writes
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", unstyled)
    if text.startswith("[bold red]"):
        assert "[bold red]rich[/]" in unstyled
    assert "\x1b[31m" not in out or "\x1b[31mred" not in out


@given(st.text())
def test_visible_text_holds_nothing_that_steers(text: str) -> None:
    shown = controls.show_controls(text)
    assert not controls.UNSAFE_CHARS.search(shown)
    assert controls.show_controls(shown) == shown
    if text.isascii() and text.isprintable():
        assert shown == text


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "0 s"),
        (0.35, "350 ms"),
        (0.9996, "1 s"),
        (12.34, "12.3 s"),
        (59.97, "1 min"),
        (250, "4 min 10 s"),
        (3599.9, "1 h"),
        (11100, "3 h 5 min"),
        (86399, "1 d"),
        (187200, "2 d 4 h"),
        (-250, "−4 min 10 s"),
    ],
)
def test_durations(seconds: float, expected: str) -> None:
    assert formatting.format_duration(seconds) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-03-04T02:11:05.250000Z", "2026-03-04 02:11:05.250 UTC"),
        ("2026-03-04T02:11:05Z", "2026-03-04 02:11:05 UTC"),
        ("2026-03-04T04:11:05.5+02:00", "2026-03-04 02:11:05.500 UTC"),
        ("yesterday", ""),
        (None, ""),
    ],
)
def test_times_are_utc_or_absent(value: str | None, expected: str) -> None:
    assert formatting.format_time(value) == expected


def test_lanes_are_sorted_by_first_trouble_and_the_close_window_holds_the_failure() -> None:
    lanes = build_lanes(typed(oom()))
    assert [lane.name for lane in lanes] == ["train-2", "train-0", "train-1", "train-3", "train-9"]
    close, full = choose_windows(lanes, parse_time(at(539.0)))
    assert close.start < parse_time(at(538.5)) < parse_time(at(545.0)) < close.end  # type: ignore[operator]
    assert close.end - close.start < 12 and full.end - full.start > 600


def test_a_correction_is_told_only_where_it_tells_something() -> None:
    def described(own: str, corrected: str, error: float | None) -> str:
        times = {"time": f"2026-03-04T02:00:{own}Z", "corrected": f"2026-03-04T02:00:{corrected}Z"}
        return format_times(WrittenEvidence(node="n", file="f", line=1, text="", error_s=error, **times))

    assert described("01.500", "01.498", 0.009) == "2026-03-04 02:00:01.500 UTC"
    assert described("02", "01.400", 0.009) == "2026-03-04 02:00:02 UTC"
    assert described("05", "03.500", 0.2).endswith("by its own clock, 2026-03-04 02:00:03.500 UTC corrected ± 200 ms")
    assert described("05.1", "03.5", None).endswith("2026-03-04 02:00:03.500 UTC corrected")


def test_neighbouring_evidence_is_one_passage_and_no_line_stands_twice() -> None:
    first, second = line("n", "f", 10, 1.0, "[ 1.0] killed"), line("n", "f", 12, 1.0, "[ 1.0] reaped")
    far, elsewhere = line("n", "f", 40, 1.0, "far"), line("n", "g", 11, 1.0, "other")
    rows = [{**first, "block": ["reaped", "more"]}, far, second, elsewhere]
    passages = group_nearby_lines(convert(rows, list[WrittenEvidence]))
    assert [[proof.line for proof in passage] for passage in passages] == [[10, 12], [40], [11]]
    shown = excerpt_rows(passages[0])
    assert [row.number for row in shown if row.hit] == [10, 12]
    assert [row.text for row in shown if row.kind == "part"] == ["more"]
    assert len([row for row in shown if row.number]) == len({row.number for row in shown if row.number}) == 9


def test_a_captured_value_is_marked_as_a_word_and_not_inside_one() -> None:
    assert mark_captures("pgtables:3940kB shmem:0kB", {"x": "0kB"}) == "pgtables:3940kB shmem:<mark>0kB</mark>"
    assert mark_captures("shape[6] of a[6]x", {"x": "[6]"}).count("<mark>[6]</mark>") == 2


@pytest.mark.parametrize(
    "render",
    [printed, lambda incident: render_markdown(typed(incident)), lambda incident: render_jira(typed(incident))],
)
def test_a_replay_is_told_in_every_text(render: Callable[[dict[str, object]], str]) -> None:
    reasons = ["reproduced in 3 of 3 runs", "the control run, without the fault, passed"]
    replay = {"verdict": "reproduced", "reasons": reasons, "command": "tf-postmortem replay x.json", "runs": []}
    output = " ".join(render({**oom(), "replay": replay}).split())
    for expected in (
        "eproduced: a small job with the same fault failed in the same way",
        *reasons,
        str(replay["command"]),
    ):
        assert expected in output.replace("\\", "")
    assert "Replay" not in render(oom())
