"""The log: silent by default, -v and -vv on standard error, everything in a file; safe lines from every process."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import click
import pytest
from command_line import call_for_text

from analyzer.crash_isolation import map_in_child
from analyzer.redact import log_output
from analyzer.redact.log_output import (
    MAX_LINE_BYTES,
    end_log,
    held_messages,
    log_settings,
    release_log,
    start_log,
)

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "fixtures" / "killed-worker" / "bundle.tar.gz"
HOST = "ip-10-0-1-1"  # the beginning of all three
LINE = re.compile(r"(INFO|DEBUG) [a-z_.]+: .+")
FILE_LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \d+ (INFO|DEBUG) [a-z_.]+: .*")
LOG = logging.getLogger("analyzer.cli")


@pytest.fixture(autouse=True)
def _silent_again() -> object:
    yield None
    end_log()


def test_nothing_is_logged_unless_it_is_asked_for() -> None:
    assert call_for_text("analyze", BUNDLE, "-q").stderr == ""


@pytest.mark.parametrize("words", [("analyze", "-v"), ("-v", "analyze"), ("analyze", "--verbose")])
def test_one_v_gives_lines_of_info_before_and_behind_the_command(words: tuple[str, ...]) -> None:
    result = call_for_text(*words, BUNDLE, "-q", "--json", "-")
    lines = result.stderr.splitlines()
    assert lines and all(LINE.fullmatch(line) for line in lines), result.stderr
    assert all(line.startswith("INFO ") for line in lines)
    assert json.loads(result.stdout)["verdict"] == "diagnosed"  # standard output holds the report alone


@pytest.mark.parametrize("words", [("analyze", "-vv"), ("-v", "analyze", "-v")])
def test_two_give_more(words: tuple[str, ...]) -> None:
    levels = {line.split()[0] for line in call_for_text(*words, BUNDLE, "-q").stderr.splitlines()}
    assert levels == {"INFO", "DEBUG"}


def test_the_file_takes_everything_with_times_and_the_terminal_nothing(tmp_path: Path) -> None:
    result = call_for_text("analyze", BUNDLE, "-q", "--log-file", tmp_path / "x.log")
    lines = (tmp_path / "x.log").read_text().splitlines()
    assert result.stderr == ""
    assert lines and all(FILE_LINE.fullmatch(line) for line in lines)
    assert {line.split()[2] for line in lines} == {"INFO", "DEBUG"}
    assert (tmp_path / "x.log").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("wrong", ["-", "", str(BUNDLE), "/nowhere/x.log"])
def test_a_log_file_that_cannot_be_one_is_an_error(wrong: str) -> None:
    before = BUNDLE.stat().st_size
    result = call_for_text("analyze", BUNDLE, "-q", "--log-file", wrong)
    assert result.returncode in (1, 2) and result.stderr.startswith("error: ")
    assert BUNDLE.stat().st_size == before


def test_every_command_has_the_options() -> None:
    from analyzer.cli import _add_commands, build_command

    _add_commands("")

    def leaves(command: click.Command) -> list[click.Command]:
        below = command.commands.values() if isinstance(command, click.Group) else ()
        return [leaf for subcommand in below for leaf in leaves(subcommand)] or [command]

    commands = leaves(build_command())
    assert len(commands) > 15
    for command in commands:
        options = {option for param in command.params for option in param.opts}
        if not command.context_settings.get("ignore_unknown_options"):  # these hand their words to another parser
            assert {"-v", "--verbose", "--log-file"} <= options, command.name


@pytest.mark.parametrize("name", ["collect", "record"])
def test_the_collector_has_them_too(name: str, tmp_path: Path) -> None:
    assert {"-v", "--verbose", "--log-file"} <= set(
        re.findall(r"--?[a-z][a-z-]*", call_for_text(name, "--help").stdout)
    )


def test_a_hostile_name_steers_no_terminal(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.tar"
    log = tmp_path / "w.log"
    log.write_text("2026-11-21 07:38:01.000000: I x.cc:1] step 1 loss 0.5\n" * 3)
    with tarfile.open(bundle, "w") as archive:
        archive.add(log, "node\x1b[31m-1/w\nINFO cli: forged\u202e.log")
        archive.add(log, "node-2/password=hunter2x/w.log")
    result = call_for_text("analyze", bundle, "-q", "-vv")
    assert "\x1b" not in result.stderr and "\u202e" not in result.stderr
    assert all(LINE.fullmatch(line) for line in result.stderr.splitlines())
    assert not [line for line in result.stderr.splitlines() if line.startswith("INFO cli: forged")]
    assert "hunter2x" not in result.stderr


def test_a_record_is_one_line_whatever_it_holds(capfd: pytest.CaptureFixture[str]) -> None:
    start_log(2)
    LOG.debug("a file %s", "a\nb\x1b[2Jc\u200bd")
    LOG.info("with token ghp_aB3dE5gH7jK9mN1pQ3sT5vX7zB9dF1hJ3lab and %s", "DB_PASSWORD=hunter2")
    LOG.info("long %s", "wörter " * 5000)
    LOG.info("wrong %d", "arguments")
    lines = capfd.readouterr().err.splitlines()
    assert lines[0] == r"DEBUG cli: a file a\nb\x1b[2Jc\u200bd"
    assert lines[1] == "INFO cli: with token [secret] and DB_PASSWORD=[secret]"
    assert lines[2].startswith("INFO cli: long wörter") and len(lines[2].encode()) <= MAX_LINE_BYTES
    assert "cannot be formatted" in lines[3] and len(lines) == 4


def test_processes_share_one_file_and_their_lines_stay_whole(tmp_path: Path) -> None:
    """Forked by `map_in_child`, killed in the middle, and one that was not forked."""
    file = tmp_path / "x.log"
    start_log(0, file)
    children = []
    for number in range(4):
        child = os.fork()
        if not child:
            for line in range(200):
                LOG.debug("child %d line %d %s", number, line, "x" * 300)
            os.kill(os.getpid(), 9)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    assert list(map_in_child([1, 2], lambda item: LOG.info("item %d", item))) == [(1, None), (2, None)]
    code = (
        "import logging; from analyzer.redact.log_output import *; "
        f"continue_log(LogSettings(*{tuple(log_settings() or ())!r})); logging.getLogger('analyzer.engine').info('')"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    end_log()
    lines = file.read_text().splitlines()
    assert len(lines) == 4 * 200 + 3 and all(FILE_LINE.fullmatch(line) for line in lines)
    assert any(line.endswith("engine: ") for line in lines)


def test_several_readers_log_to_the_same_file(tmp_path: Path) -> None:
    result = call_for_text("analyze", BUNDLE, "-q", "--jobs", "2", "--log-file", tmp_path / "x.log")
    assert result.returncode == 0, result.stderr
    assert all(FILE_LINE.fullmatch(line) for line in (tmp_path / "x.log").read_text().splitlines())


@pytest.mark.parametrize("command", ["analyze", "inspect", "timeline"])
def test_a_redacted_log_shows_no_name(command: str, tmp_path: Path) -> None:
    bundle = tmp_path / f"{HOST}10.tar.gz"
    bundle.write_bytes(BUNDLE.read_bytes())
    result = call_for_text(command, bundle, "--redact", "-vv", "--log-file", tmp_path / "x.log")
    logged = result.stderr + (tmp_path / "x.log").read_text()
    assert HOST in call_for_text(command, bundle, "-vv").stderr  # else this would say nothing
    assert HOST not in logged and "10.0.1.1" not in logged
    assert "DEBUG " in result.stderr and "withheld" not in logged


def test_held_lines_come_out_with_the_names_hidden(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    start_log(1, held=tmp_path / "held")
    LOG.info("gpu17 is\there")
    assert capfd.readouterr().err == "" and held_messages() == [r"gpu17 is\there"]
    release_log(lambda message: message.replace("gpu17", "node-01"))
    LOG.info("gpu17 again")
    assert capfd.readouterr().err == "INFO cli: node-01 is\\there\nINFO cli: node-01 again\n"


def test_held_lines_are_dropped_where_no_names_were_chosen(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    start_log(1, held=tmp_path / "held")
    LOG.info("gpu17 is here")
    end_log()
    assert capfd.readouterr().err == f"INFO cli: {log_output.DROPPED}\n"
