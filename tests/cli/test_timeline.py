"""The timeline in each of its formats, for people and for the tools that they have."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from command_line import call_for_text

from analyzer.bundle.own_outputs import is_own_output

BUNDLE = Path(__file__).parents[2] / "fixtures" / "killed-worker" / "bundle.tar.gz"


def timeline(*arguments: str, bundle: Path = BUNDLE, status: int = 0) -> str:
    command = [sys.executable, "-m", "analyzer", "timeline", str(bundle), *arguments]
    result = subprocess.run(command, capture_output=True, timeout=60, text=True)
    assert result.returncode == status, result.stderr
    return result.stdout if status == 0 else result.stderr


@pytest.fixture(scope="module")
def incident(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unpacked bundle, beside which its timeline lies in each format."""
    folder = tmp_path_factory.mktemp("incident")
    with tarfile.open(BUNDLE) as archive:
        archive.extractall(folder, filter="data")
    for name in ("text", "csv", "jsonl", "otel", "trace"):
        (folder / f"timeline.{name}").write_text(timeline("--format", name))
    (folder / "timeline.json").write_text(timeline("--json", "-"))
    return folder


def test_a_timeline_is_no_log_in_any_format(incident: Path, tmp_path: Path) -> None:
    forms = sorted(incident.glob("timeline.*"))
    assert len(forms) == 6
    result = call_for_text("analyze", incident, "-q", "--json", "-")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    problems = {source["file"]: source["problem"] for source in report["sources"]}
    assert all("report of this program" in (problems[form.name] or "") for form in forms), problems
    assert report["root_causes"][0]["rule"] == "worker-vanished"
    assert all(is_own_output(form) for form in forms)
    alone = call_for_text("analyze", *forms, "-q")
    assert alone.returncode == 2 and "is a report of this program" in alone.stderr
    assert "show" in alone.stderr and f"show {forms[0]}" not in alone.stderr  # `show` reads none of them


def test_a_copy_that_no_file_places_is_no_second_owner_of_a_task(incident: Path, tmp_path: Path) -> None:
    shutil.copytree(incident / "collected", tmp_path / "collected")
    exported = (incident / "timeline.otel").read_text().replace('"name": "tf-postmortem"', '"name": "training"')
    (tmp_path / "exported.json").write_text(exported)
    result = call_for_text("analyze", tmp_path, "-q", "--json", "-")
    findings = json.loads(result.stdout)["findings"]
    assert not any(finding["rule"] == "task-claimed-twice" for finding in findings)


def test_otel_records_have_the_models_fields() -> None:
    lines = timeline("--format", "otel").splitlines()
    records = [json.loads(line)["resourceLogs"][0] for line in lines]
    worst = max(record["scopeLogs"][0]["logRecords"][0]["severityNumber"] for record in records)
    assert worst >= 17
    nodes = {record["resource"]["attributes"][0]["value"]["stringValue"] for record in records}
    assert len(nodes) == 3
    times = [int(record["scopeLogs"][0]["logRecords"][0].get("timeUnixNano", 0)) for record in records]
    timed = [time for time in times if time]
    assert timed == sorted(timed)
    assert min(timed) > 10**18  # nanoseconds
    assert all(int(record["scopeLogs"][0]["logRecords"][0]["observedTimeUnixNano"]) > 10**18 for record in records)


def test_a_trace_has_a_process_a_node_and_only_times_within_it() -> None:
    trace = json.loads(timeline("--format", "trace"))
    events = trace["traceEvents"]
    assert sum(event["name"] == "process_name" for event in events) == 3
    assert any(event["name"] == "silent" for event in events)
    assert any(event["ph"] == "C" and event["args"]["step"] > 0 for event in events)
    assert all(event.get("ts", 0) >= 0 for event in events if event["ph"] == "i")
    begins, ends = ({event["id"]: event for event in events if event["ph"] == phase} for phase in ("s", "f"))
    assert begins.keys() == ends.keys() and len(begins) > 1
    for flow, begin in begins.items():  # from the culprit's slice to one of another place or a later time
        for end in (begin, ends[flow]):
            place = {key: end[key] for key in ("pid", "tid", "ts")}
            assert any(event["ph"] == "X" and place.items() <= event.items() for event in events)


def seconds_of(line: str) -> float:
    """Of `07:38:01.602 …`, since midnight."""
    hours, minutes, seconds = line.split()[0].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def test_lines_known_to_be_harmless_are_left_out_and_counted_unless_asked_for() -> None:
    shown, all_lines = timeline(), timeline("--noise")
    assert "oneDNN custom" not in shown and "harmless lines are left out; --noise shows them" in shown
    assert "oneDNN custom" in all_lines and "left out" not in all_lines
    assert "oneDNN custom" in timeline("--signal", "noise_factories")


@pytest.mark.parametrize(
    "words", [("--json", "-"), *(("--format", form) for form in ("jsonl", "csv", "otel", "trace"))]
)
def test_noise_is_left_out_in_every_format(words: tuple[str, ...]) -> None:
    assert "oneDNN custom" not in timeline(*words)
    assert "oneDNN custom" in timeline(*words, "--noise")


def test_a_line_is_one_object() -> None:
    rows = json.loads(timeline("--json", "-"))
    assert len({(row["file"], row["line"]) for row in rows}) == len(rows)


def test_a_corrected_time_is_as_fine_as_its_stamp() -> None:
    for line in timeline().splitlines():
        if match := re.search(r"  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} ", line):
            assert re.match(r"\d\d:\d\d:\d\d\.\d{3}  ", line), (line, match)


def test_a_task_is_as_good_as_its_node_and_severities_have_any_case() -> None:
    rows = json.loads(timeline("--node", "worker:0", "--severity", "ERROR", "--json", "-"))
    assert rows and {row["task"] for row in rows} == {"worker:0"}
    assert {row["severity"] for row in rows} <= {"error", "fatal"}


def test_around_a_time_stand_only_events_near_it() -> None:
    every = timeline().splitlines()
    moment = every[len(every) // 2].split()[0]
    near = timeline("--around", moment, "--window", "0.05").splitlines()
    assert 0 < len(near) < len(every)
    assert all(abs(seconds_of(line) - seconds_of(moment)) < 0.2 for line in near)
    assert "this is not a time" in timeline("--around", "noon", status=2)


def test_redacted_lines_hold_no_host() -> None:
    for form in ("text", "csv", "otel", "trace"):
        assert "ip-10-0-1-1" not in timeline("--redact", "--format", form)


def test_a_cell_is_no_formula(tmp_path: Path) -> None:
    (tmp_path / "n1").mkdir()
    (tmp_path / "n1" / "dmesg.txt").write_text("=cmd|x!A1 Out of memory: Killed process 4242 (python3) total-vm:9kB\n")
    rows = list(csv.DictReader(io.StringIO(timeline("--format", "csv", bundle=tmp_path))))
    assert any(row["text"].startswith("'=cmd") for row in rows)


@pytest.mark.parametrize("arguments", [("--format", "parquet"), ("--grep", "("), ("--format", "trace", "--node", "x")])
def test_what_makes_no_sense_is_said(arguments: tuple[str, ...]) -> None:
    assert "hint:" in timeline(*arguments, status=2) or "not a valid pattern" in timeline(*arguments, status=2)


def test_a_node_that_is_not_there_is_no_empty_answer() -> None:
    assert "hint: its nodes are ip-10-0-1-11, ip-10-0-1-12, ip-10-0-1-13" in timeline("--node", "worker-7", status=2)
