"""What a log, a host name or a file name holds steers no terminal, spreadsheet, page or parser in any output."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.report.controls import show_controls
from analyzer.report.csv_cells import neutralize_formulas

ROOT = Path(__file__).parents[2]
EVIL = "\x1b[31mEVIL\x1b]0;t\x07\x9b2J\u202e\u2028</script><script>x()</script>{{7*7}}=cmd|' /C calc'!A0"
ERROR = "2026-03-01 10:00:00.000001: E tensorflow/core/a.cc:1] {}boom\n"


def run(folder: Path, *arguments: str) -> str:
    """What it printed, once nothing in it steers anything."""
    result = subprocess.run(
        [sys.executable, "-m", "analyzer", *arguments],
        capture_output=True,
        timeout=120,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert result.returncode == 0, result.stderr
    output = result.stdout.decode()
    assert not steering(output + result.stderr.decode())
    return output


def steering(text: str) -> set[str]:
    return {char for char in text if not char.isprintable() and char != "\n"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evil")
    node = folder / "logs" / "node-1"
    node.mkdir(parents=True)
    record = {
        "MESSAGE": f"[  812.1] Out of memory: Killed process 4242 (py\x1b[31m3) total-vm:9kB, anon-rss:8kB {EVIL}",
        "__REALTIME_TIMESTAMP": "1700000000000000",
        "_HOSTNAME": f"n\x1b[2Jode{EVIL}",
        "SYSLOG_IDENTIFIER": "kernel",
    }
    (node / "journal.json").write_text((json.dumps(record) + "\n") * 3)
    cluster = {"worker": ["10.0.0.7\x1b[2J:2222", f"n2{EVIL}:2222"]}
    (node / "tf_config.json").write_text(json.dumps({"cluster": cluster, "task": {"type": "worker", "index": 1}}))
    for begin in ("=1+1", "+1", "-1", "@x", "\t=1", "\r=1"):
        (node / f"{begin.strip()}\x1b[31m.log").write_text(
            ERROR.format(EVIL) + begin + ERROR.format(f'a;{begin.strip()} b | {begin.strip()}|"{begin.strip()} ')
        )
    run(folder, "analyze", "logs", "--json", "i.json", "-o", "r.html", "--markdown", "m.md", "--jira", "j.txt")
    run(folder, "compare", "i.json", "i.json", "--json", "c.json")
    return folder


@pytest.mark.parametrize("name", ["i.json", "r.html", "m.md", "j.txt", "c.json"])
def test_files_hold_nothing_that_steers(folder: Path, name: str) -> None:
    text = (folder / name).read_text("utf-8")
    assert not steering(text)
    if name == "i.json":
        assert "\\u009b" in text and "\\u202e" in text and "\x9b" in json.dumps(json.loads(text), ensure_ascii=False)
    if name == "r.html":
        assert text.count("<script") == text.count("</script>") and "<script>x()" not in text


@pytest.mark.parametrize(
    "command",
    [
        "inspect logs",
        "timeline logs",
        "compare i.json i.json",
        "show i.json",
        "show r.html",
        "analyze logs -q --json -",
    ],
)
def test_nothing_that_is_printed_steers_a_terminal(folder: Path, command: str) -> None:
    run(folder, *command.split())


def test_nothing_that_a_report_or_a_pack_says_steers_standard_error(folder: Path, tmp_path: Path) -> None:
    """What people pass on is not always what the program wrote: an error or a plan may quote it."""
    incident = json.loads((folder / "i.json").read_text("utf-8"))
    for cause in incident["root_causes"]:
        cause.update(node=EVIL, task=EVIL, cause=f"resource.host-oom-killed{EVIL}", title=EVIL)
    (tmp_path / "i.json").write_text(json.dumps(incident, ensure_ascii=False), "utf-8", "surrogatepass")
    (tmp_path / "pack.yaml").write_text('pack: p\nversion: 1.0.0\n"EVIL\\e[31m\\u202e": 1\nrules: ["EVIL\\x9b2J"]\n')
    for command in (
        "replay i.json --write-only --out r",
        "rules lint pack.yaml",
        "analyze --from i.json",
        "show i.json",
    ):
        result = subprocess.run(
            [sys.executable, "-m", "analyzer", *command.split()],
            capture_output=True,
            timeout=120,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        output = result.stderr.decode() + result.stdout.decode()
        assert "EVIL" in output and not steering(output), command
        assert "Traceback" not in output


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_no_cell_is_a_formula(folder: Path, delimiter: str) -> None:
    """Whatever a spreadsheet splits at; one that splits elsewhere than here finds quotes inside its cells."""
    output = run(folder, "timeline", "logs", "--format", "csv")
    rows = csv.reader(io.StringIO(output, newline=""), delimiter=delimiter)
    cells = [cell for row in list(rows)[1:] for cell in row]
    assert any("'=" in cell for cell in cells)
    assert not [cell for cell in cells if cell.lstrip(' "\t\r\n\xa0\u3000').startswith(tuple("=+-@＝＋－＠"))]


@pytest.mark.parametrize("sign", "=+-@＝＋－＠")
@pytest.mark.parametrize(
    "before", ["", " ", "\u3000", '"', "'", '" ', "\t", "\r", "\n", "a;", "a; ", 'a;"', "a\t", "a|", "a\n", "a;;"]
)
def test_what_may_begin_a_formula_gets_an_apostrophe(sign: str, before: str) -> None:
    neutral = neutralize_formulas(f"{before}{sign}cmd()")
    assert re.search(rf"""(?:^|[;|\t\n])'[^;|\t\n]*{re.escape(sign)}cmd""", neutral), neutral
    assert neutral.replace("'", "") == show_controls(f"{before}{sign}cmd()").replace("'", "")


@pytest.mark.parametrize("text", ["a=b", "x - y, -1", "10:42 a@b +1", "a;b", "a\tb", "step 1"])
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert neutralize_formulas(text) == text


def test_numbers_stay_numbers(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run(folder, "timeline", "logs", "--format", "csv"))))
    assert rows and all(row["line"].isdecimal() for row in rows)


@pytest.mark.parametrize("form", ["jsonl", "otel", "trace"])
def test_machine_formats_stay_parsable_and_keep_every_character(folder: Path, form: str) -> None:
    output = run(folder, "timeline", "logs", "--format", form)
    for line in output.splitlines():
        json.loads(line)
    assert "</script>" in output.replace("\\/", "/") and ("\\u009b" in output.lower())
