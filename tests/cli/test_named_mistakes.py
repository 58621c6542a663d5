"""Errors in plain words: each has a hint, names what is wrong, and ends with the promised status."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from command_line import call_for_text

ROOT = Path(__file__).parents[2]
ERRORS = {"AnalyzerError", "UsageError", "InputError", "RuleError"}
LINE = "2026-03-01 10:00:00.000001: E tensorflow/core/a.cc:1] nothing of note\n"


def test_every_error_has_a_hint() -> None:
    without = [
        f"{file}:{call.lineno}"
        for file in sorted((ROOT / "analyzer").rglob("*.py"))
        for call in ast.walk(ast.parse(file.read_text()))
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", "") in ERRORS
        and len(call.args) + len(call.keywords) < 2
    ]
    assert not without


@pytest.fixture
def no_log(tmp_path: Path) -> Path:
    (tmp_path / "list.txt").write_text("milk\nbread\n")
    return tmp_path / "list.txt"


@pytest.mark.parametrize("command", ["analyze", "inspect", "timeline", "mcp"])
def test_what_is_no_log_never_ends_with_0(command: str, no_log: Path) -> None:
    result = call_for_text(command, no_log)
    assert result.returncode == 3, result.stderr
    assert "error: the input has no log, core file or record that this program can read\nhint: " in result.stderr


def test_neither_does_a_comparison_with_it_nor_one_as_the_good_run(no_log: Path, tmp_path: Path) -> None:
    (tmp_path / "worker.log").write_text(LINE)
    assert call_for_text("compare", no_log, tmp_path / "worker.log").returncode == 3
    assert call_for_text("analyze", tmp_path / "worker.log", "--baseline", no_log).returncode == 3


def test_inspect_still_lists_how_such_a_file_was_read(no_log: Path) -> None:
    assert "not-understood" in call_for_text("inspect", no_log).stdout


def test_an_empty_standard_input_is_named_as_such() -> None:
    result = call_for_text("analyze", "-")
    assert result.returncode == 3 and result.stderr.startswith("error: standard input is empty\nhint: pipe ")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["analyze"], 2, "error: no input is given\nhint: give the incident's files"),
        (["analyze", "w.log", "--from", "r.json"], 2, "error: --from replaces the inputs"),
        (
            ["analyze", "w.log", "--limit", "colour=1"],
            2,
            "error: --limit colour is not a known limit\nhint: choose one",
        ),
        (["analyze", "w.log", "--limit", "members"], 2, "error: --limit members is not NAME=NUMBER\nhint: as in "),
        (
            ["analyze", "w.log", "--limit", "depth=99999"],
            2,
            "error: --limit depth=99999 is out of range\nhint: choose a",
        ),
        (["timeline", "w.log", "--grep", "("], 2, "is not a valid regular expression: missing )"),
        (["rules", "lint", "empty"], 4, "error: empty has no rule pack"),
        (["rules", "watch", "absent.yaml"], 4, "error: absent.yaml: no such rule pack"),
        (["rules", "test", "--only", "nonsense"], 2, "error: --only nonsense: no rule has this text in its id"),
        (["rules", "explain", "absent.log", "host-oom-kill"], 3, "error: absent.log: No such file or directory"),
        (["rules", "new"], 2, "error: a rule is proposed for one line\nhint: give either --from-line"),
        (["core", "w.log", "--threads", "some"], 2, "error: --threads some is not a valid choice\nhint: choose all"),
        (["analyze", "--jobs", "x"], 2, "error: invalid value for '--jobs': 'x' is not a valid integer range\nhint: `"),
        (["analyze", "--jsn"], 2, "error: no such option: --jsn (Possible options: --jobs, --json, --junit)\nhint: `"),
        (["timeline", "--around"], 2, "error: option '--around' requires an argument\nhint: `tf-postmortem --help`"),
        (["show"], 2, "error: missing argument 'REPORT'\nhint: `tf-postmortem show --help` lists"),
        (["rules", "exlain"], 2, "error: no such command 'exlain'. Did you mean 'explain', 'lint'?\nhint: `tf-"),
        (["w.log"], 2, "error: w.log is not a command\nhint: to analyze it: tf-postmortem analyze w.log"),
    ],
)
def test_a_mistake_is_named(words: list[str], status: int, message: str, tmp_path: Path) -> None:
    (tmp_path / "w.log").write_text(LINE)
    (tmp_path / "empty").mkdir()
    result = call_for_text(*words, cwd=tmp_path)
    assert (result.returncode, message in result.stderr) == (status, True), result.stderr


def test_a_long_mistake_is_one_line_without_a_box() -> None:
    result = call_for_text("timeline", "w.log", "--format", "x" * 200)
    message, hint = result.stderr.splitlines()
    assert result.returncode == 2 and "x" * 200 in message and "'trace'" in message and hint.startswith("hint: ")


def test_a_group_without_a_command_prints_its_help_alone() -> None:
    result = call_for_text("rules")
    assert result.returncode == 2 and "explain" in result.stdout and not result.stderr


def test_what_is_wrong_with_a_configuration_is_printed_where_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "w.log").write_text(LINE)
    (tmp_path / "own.toml").write_text("colour = 1\n")
    result = call_for_text("analyze", tmp_path / "w.log", "--config", tmp_path / "own.toml", "-q")
    assert result.returncode == 0 and "own.toml:1:1: unknown key 'colour'" in result.stderr
