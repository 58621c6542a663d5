"""Where the outputs go, and what is refused before anything is read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
import typer

from analyzer.cli import _add_commands, app

LOG = "2026-03-01 10:00:07,123 ERROR training failed\nOSError: [Errno 28] No space left on device: '/ckpt/model'\n"


def run(*words: object, folder: Path) -> subprocess.CompletedProcess[str]:
    words = (sys.executable, "-m", "analyzer", *map(str, words))
    return subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=60, check=False)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "worker-0.log"
    file.write_text(LOG)
    return file


def test_the_summary_can_be_piped(log: Path, tmp_path: Path) -> None:
    result = run("analyze", log, "-o", "r.html", folder=tmp_path)
    assert result.returncode == 0 and not result.stderr
    assert "resource.disk-full" in result.stdout and result.stdout.endswith("report: r.html\n")
    again = run("show", "r.html", folder=tmp_path)
    assert again.returncode == 0 and not again.stderr and "resource.disk-full" in again.stdout


def test_a_closed_standard_output_costs_nothing(log: Path, tmp_path: Path) -> None:
    line = f"exec {sys.executable} -m analyzer analyze {log} -o r.html >&-"
    result = subprocess.run(line, shell=True, stderr=subprocess.PIPE, text=True, cwd=tmp_path, timeout=60, check=False)
    assert result.returncode == 0 and "resource.disk-full" in result.stderr and (tmp_path / "r.html").exists()


@pytest.mark.parametrize(("option", "begins"), [("--json", "{"), ("--markdown", "#"), ("-o", "<!DOCTYPE html>")])
def test_what_was_asked_for_has_standard_output_for_itself(log: Path, tmp_path: Path, option: str, begins: str) -> None:
    result = run("analyze", log, option, "-", folder=tmp_path)
    assert result.returncode == 0 and result.stdout.startswith(begins)
    assert "how sure" not in result.stdout and "how sure" in result.stderr and "report:" not in result.stderr


def test_a_report_that_cannot_be_written_is_told_before_the_reading(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for target, complaint in (("no/where/r.html", "the folder"), ("folder", "is a folder"), ("a" * 300, "shorter")):
        result = run("analyze", "no-such-bundle.tar", "-o", target, folder=tmp_path)
        assert result.returncode == 1 and "no-such-bundle" not in result.stderr, result.stderr
        assert complaint in result.stderr.lower() and "hint: " in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("words", [("--json", "-q"), ("-o", "--json"), ("--markdown", "")])
def test_an_option_is_no_file(log: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    result = run("analyze", log, *words, folder=tmp_path)
    assert result.returncode == 2 and f"{words[0]} needs a file name" in result.stderr, result.stderr
    assert [path.name for path in tmp_path.iterdir()] == [log.name]


def test_two_outputs_do_not_share_standard_output(log: Path, tmp_path: Path) -> None:
    result = run("analyze", log, "-o", "-", "--json", "-", folder=tmp_path)
    assert result.returncode == 2 and "-o - and --json -" in result.stderr


def test_help_tells_what_the_arguments_are(tmp_path: Path) -> None:
    assert "Tarballs, zips, folders" in run("analyze", "-h", folder=tmp_path).stdout
    assert run("analize", folder=tmp_path).stderr.count("Did you mean") == 1


def test_everything_that_a_command_takes_is_explained() -> None:
    def bare(command: click.Command, name: str) -> list[str]:
        inside = command.commands.items() if isinstance(command, click.Group) else ()
        own = [f"{name} {param.name}" for param in command.params if not getattr(param, "help", None)]
        return own + [unexplained for word, subcommand in inside for unexplained in bare(subcommand, f"{name} {word}")]

    if not app.registered_commands:
        _add_commands("")
    assert bare(typer.main.get_command(app), "tf-postmortem") == []


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_line_of_progress_is_told_at_once(unbuffered: str) -> None:
    """Images of containers set PYTHONUNBUFFERED, and their logs are read while the program runs."""
    code = "import os, sys, analyzer.cli._streams as s; s.configure_streams(); sys.stderr.write('a\\n'); os._exit(0)"
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    assert subprocess.run(command, stderr=subprocess.PIPE, env=environment, check=True).stderr == b"a\n"


def test_the_version(tmp_path: Path) -> None:
    from analyzer import __version__

    assert run("--version", folder=tmp_path).stdout == f"tf-postmortem {__version__}\n"


@pytest.mark.parametrize("text", [None, "no report", '{"a": 1}'])
def test_what_is_no_report_is_said_once(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "r.json").write_text(text)
    result = run("show", "r.json", folder=tmp_path)
    assert result.returncode == 3 and result.stderr.count("r.json") == 1 and "hint: " in result.stderr, result.stderr
