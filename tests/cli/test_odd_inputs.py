"""Inputs and folders that cannot be meant, or may not be looked at: one clear sentence, and never a lost log."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from analyzer.cli import _inputs, rules_new
from analyzer.errors import InputError
from analyzer.report import reader

ROOT = Path(__file__).parents[2]
KILLED = "[  812.100000] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB, file-rss:0kB\n"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "dmesg.txt").write_text(KILLED)
    return tmp_path


def run(line: str, cwd: Path, *before: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """`{}` is the program; a shell runs the line."""
    command = [*before, "sh", "-c", line.replace("{}", f"{sys.executable} -m analyzer")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **changes}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=cwd, env=environment)


@pytest.mark.parametrize("command", ["analyze", "inspect", "timeline"])
def test_an_empty_name_is_not_this_folder(logs: Path, command: str) -> None:
    result = run(f'{{}} {command} "$UNSET"', logs)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: the name of an input is empty\nhint: ")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("/dev/stdin", "a FIFO"),
        ("n" * 300, "File name too long"),
        ("ring", "Too many levels"),
    ],
)
def test_what_cannot_be_opened_is_no_input(logs: Path, given: str, complaint: str) -> None:
    (logs / "ring").symlink_to("ring")
    result = run(f"cat logs/dmesg.txt | {{}} analyze {given} -q --json -", logs)
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr.startswith("error: ") and complaint in result.stderr and result.stderr.count("\n") == 2
    assert ("Give - to read standard input" in result.stderr) == (given == "/dev/stdin")


def test_beside_a_name_that_no_disk_takes_the_rest_is_read(logs: Path) -> None:
    result = run(f"{{}} analyze logs {'n' * 300} -q --json -", logs)
    assert result.returncode == 0 and '"diagnosed"' in result.stdout and "File name too long" in result.stdout


@pytest.mark.parametrize(
    ("option", "target"),
    [
        ("-o", "logs/dmesg.txt"),
        ("--json", "logs/../logs/dmesg.txt"),
        ("--markdown", "link"),
        ("--jira", "hard"),
        ("--redact --redact-map", "logs/dmesg.txt"),
    ],
)
def test_no_output_takes_the_place_of_an_input(logs: Path, option: str, target: str) -> None:
    (logs / "link").symlink_to("logs/dmesg.txt")
    (logs / "hard").hardlink_to(logs / "logs" / "dmesg.txt")
    result = run(f"{{}} analyze logs/dmesg.txt -q {option} {target}", logs)
    assert result.returncode == 2 and "would overwrite the input" in result.stderr, result.stderr
    assert (logs / "logs" / "dmesg.txt").read_text() == KILLED


def test_a_folder_that_is_gone_is_left_in_peace(logs: Path) -> None:
    result = run("mkdir gone && cd gone && rmdir ../gone && {} analyze ../logs -q --json -", logs)
    assert result.returncode == 0 and '"diagnosed"' in result.stdout, result.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can drop the right to look everywhere")
def test_folders_into_which_one_may_not_look_hold_no_configuration(logs: Path) -> None:
    """As `sudo -u somebody` leaves it: the folder at hand and the home are another user's."""
    hidden = logs / "hidden"
    hidden.mkdir()
    before = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
    line = f"cd {hidden} && chmod 0 . && {{}} analyze {logs}/logs -q --json -"
    result = run(line, logs, *before, HOME=str(hidden), XDG_CONFIG_HOME="", XDG_CACHE_HOME="")
    hidden.chmod(0o700)
    assert result.returncode == 0 and '"diagnosed"' in result.stdout, result.stderr


class _Pipe(io.BytesIO):
    def isatty(self) -> bool:
        return False


def test_what_is_piped_is_copied_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """`yes | tf-postmortem analyze -` would fill the disk."""
    monkeypatch.setattr(_inputs, "MAX_SPOOLED_BYTES", 3 << 20)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=_Pipe(b"y\n" * (1 << 20)), isatty=lambda: False))
    with _inputs.open_inputs(["-"]) as [spooled]:
        assert isinstance(spooled, Path) and spooled.stat().st_size == 2 << 20
    endless = SimpleNamespace(read=lambda size: b"y" * size)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=endless, isatty=lambda: False))
    with pytest.raises(InputError, match="more than 3,145,728 bytes"), _inputs.open_inputs(["-"]):
        pass


def test_what_is_piped_takes_half_of_the_disk_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=2 << 20))
    endless = SimpleNamespace(read=lambda size: b"y" * size)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=endless, isatty=lambda: False))
    with pytest.raises(InputError, match="more than 1,048,576 bytes"), _inputs.open_inputs(["-"]):
        pass


def test_a_report_that_is_read_back_has_a_bound(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(reader, "MAX_REPORT_BYTES", 1000)
    (tmp_path / "report.json").write_text('{"schema_version": "1", "tool": {}, "findings": []}' + " " * 1000)
    with pytest.raises(InputError, match="more than 1,000 bytes"):
        reader.read_incident(tmp_path / "report.json")


def test_a_line_of_which_a_rule_is_made_has_a_bound(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rules_new, "MAX_LINE_BYTES", 100)
    (tmp_path / "w.log").write_bytes(b"x" * 1000 + b"\nERROR zeta: no such vault\n" + b"y" * 1000)
    assert rules_new._read_line(f"{tmp_path}/w.log:2")[1] == "ERROR zeta: no such vault\n"
    assert len(rules_new._read_line(f"{tmp_path}/w.log:3")[1]) == 100
