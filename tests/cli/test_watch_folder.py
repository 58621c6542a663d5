"""`watch`: a folder is analyzed again when its files have changed and stood still."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from analyzer.cli import build_full_command
from analyzer.cli._passed_options import passed_words
from analyzer.cli.watch import analyze_folder, settled_states

ROOT = Path(__file__).parents[2]
LINE = "2026-03-04 02:00:0{}.000000: E tensorflow/core/common_runtime/base_collective_executor.cc:252] StartAbort\n"


class Clock:
    """A clock that moves only when somebody waits, and does something then."""

    def __init__(self) -> None:
        self.now = 0.0

    def wait(self) -> None:
        self.now += 1.0


def test_a_change_is_yielded_once_it_has_stood_still(tmp_path: Path) -> None:
    clock, log = Clock(), tmp_path / "a.log"
    states = settled_states(tmp_path, 3.0, clock.wait, lambda: clock.now)
    assert next(states) == {}

    def wait_and_write() -> None:
        clock.wait()
        if clock.now < 5:  # still being copied
            with log.open("a") as stream:
                stream.write("x" * int(clock.now))

    states = settled_states(tmp_path, 3.0, wait_and_write, lambda: clock.now)
    assert next(states) == {}
    assert list(next(states)) == [str(log)]
    assert clock.now == 4 + 3


def test_reports_of_the_program_are_no_change(tmp_path: Path) -> None:
    clock = Clock()

    def wait() -> None:
        clock.wait()
        if clock.now == 1:
            (tmp_path / "t.md").write_text("## x\n\nReport of tf-postmortem 1.0\n")
        if clock.now == 9:
            (tmp_path / "b.log").write_text("x")

    states = settled_states(tmp_path, 2.0, wait, lambda: clock.now)
    next(states)
    assert [Path(name).name for name in next(states)] == ["b.log"] and clock.now >= 11


@pytest.mark.slow
def test_a_dropped_log_is_analyzed_and_ctrl_c_ends_it_cleanly(tmp_path: Path) -> None:
    logs, report = tmp_path / "logs", tmp_path / "logs" / "report.html"
    logs.mkdir()
    command = [sys.executable, "-m", "analyzer", "watch", str(logs), "--settle", "0.2", "-o", str(report), "-q"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as watching:
        assert watching.stderr and "no files" in watching.stderr.readline()
        (logs / "worker.log").write_text(LINE.format(1))
        assert "waiting for changes" in watching.stderr.readline()
        assert report.read_text().startswith("<!DOCTYPE html>")
        watching.send_signal(signal.SIGINT)
        assert watching.wait(30) == 0
        assert watching.stderr.read() == "stopped watching\n"


@pytest.mark.slow
def test_a_file_has_each_answer_before_the_next_one(tmp_path: Path) -> None:
    logs, printed = tmp_path / "logs", tmp_path / "printed"
    logs.mkdir()
    (logs / "worker.log").write_text(LINE.format(1))
    command = [sys.executable, "-m", "analyzer", "watch", str(logs)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (
        printed.open("w") as out,
        subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, text=True, env=environment) as watching,
    ):
        assert watching.stderr
        while "waiting for changes" not in (line := watching.stderr.readline()) and line:
            pass
        answer = printed.read_text()
        watching.send_signal(signal.SIGINT)
        assert watching.wait(30) == 0
    assert "signature" in answer


def test_the_help_has_the_options_of_analyze_and_they_are_handed_on_as_typed() -> None:
    program = build_full_command()
    assert isinstance(program, click.Group)
    watch, analyze = program.commands["watch"], program.commands["analyze"]
    context = click.Context(watch)
    options = {name for param in watch.get_params(context) for name in param.opts}
    assert {name for param in analyze.params for name in param.opts if name[0] == "-"} - options == {"--from"}
    typed = ["x", "-vv", "-q", "--meta", "a=b", "--meta", "c=d", "--jobs", "2", "-o", "r.html"]
    watch.parse_args(context, typed)
    words = ["--verbose", "--verbose", "--quiet", "--meta", "a=b", "--meta", "c=d", "--jobs", "2", "--output", "r.html"]
    assert sorted(passed_words(context)) == sorted(words)
    with pytest.raises(click.UsageError, match="--josn"):
        watch.parse_args(click.Context(watch), ["x", "--josn", "y"])


def test_the_options_of_analyze_are_handed_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text(LINE.format(1))
    analyze_folder(tmp_path / "logs", ["-q", "--log-file", str(tmp_path / "log"), "--markdown", str(tmp_path / "r.md")])
    assert "INFO" in (tmp_path / "log").read_text() and (tmp_path / "r.md").exists()
