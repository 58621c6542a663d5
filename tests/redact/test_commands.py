"""`--redact` holds for every command that has it: its output, what it keeps, and what it says beside."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from analyzer.cli import rules_new
from analyzer.history import DATABASE_FILE

FIXTURES = Path(__file__).parents[2] / "fixtures"
BUNDLE = FIXTURES / "killed-worker" / "bundle.tar.gz"
CORE = FIXTURES / "native-null-pointer" / "bundle.tar.gz"
HOST = "ip-10-0-1-1"  # the beginning of all three


def run(*words: object) -> str:
    command = [sys.executable, "-c", "from analyzer.cli import main; main()", *map(str, words)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout + result.stderr.replace(str(FIXTURES), "")


def dump(folder: Path) -> str:
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as connection:
        return "\n".join(connection.iterdump())


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plain") / "incident.json"
    run("analyze", BUNDLE, "-q", "--json", path)
    assert HOST in path.read_text()
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("analyze", BUNDLE, "--redact", "--progress"),
        ("analyze", BUNDLE, "--redact", "--jira", "-"),
        ("inspect", BUNDLE, "--redact"),
        ("timeline", BUNDLE, "--redact"),
        ("compare", BUNDLE, BUNDLE, "--redact"),
        ("compare", BUNDLE, BUNDLE, "--redact", "--json", "-"),
    ],
    ids=lambda words: " ".join(str(word) for word in words if word is not BUNDLE),
)
def test_no_command_tells_a_host(words: tuple[object, ...]) -> None:
    output = run(*words)
    assert HOST not in output and output


@pytest.mark.parametrize("form", [("--json", "-"), ("--markdown", "-"), ()])
def test_an_earlier_report_is_redacted_too(report: Path, form: tuple[str, ...]) -> None:
    assert HOST not in run("show", report, "--redact", *form)
    assert HOST not in run("analyze", "--from", report, "--redact", *form)


def test_the_history_of_redacted_incidents_holds_no_name(tmp_path: Path) -> None:
    run("analyze", BUNDLE, "--redact", "--history", tmp_path, "-q")
    kept = dump(tmp_path)
    assert "process.killed-by-signal" in kept and HOST not in kept
    assert (tmp_path / DATABASE_FILE).stat().st_mode & 0o777 == 0o600


def test_an_incident_that_was_kept_with_its_names_loses_them(tmp_path: Path) -> None:
    run("analyze", BUNDLE, "--history", tmp_path, "-q")
    assert HOST in dump(tmp_path)
    for words in (("list",), ("list", "--json", "-"), ("show", "1"), ("show", "1", "--json", "-")):
        assert HOST in run("history", *words, "--history", tmp_path)
        assert HOST not in run("history", *words, "--history", tmp_path, "--redact")
    run("analyze", BUNDLE, "--redact", "--history", tmp_path, "-q")
    assert HOST not in dump(tmp_path) and dump(tmp_path).count('INSERT INTO "incidents"') == 1


def test_a_ticket_that_is_more_than_a_number_is_not_told(tmp_path: Path) -> None:
    run("analyze", BUNDLE, "--redact", "--history", tmp_path, "-q")
    run("history", "note", "1", "--history", tmp_path, "--ticket", "https://jira.zeta.example/OPS-41")
    other = FIXTURES / "killed-leader" / "bundle.tar.gz"
    assert "jira.zeta" in run("analyze", other, "--history", tmp_path, "--json", "-", "-q")
    assert "jira.zeta" not in run("analyze", other, "--redact", "--history", tmp_path, "--json", "-", "-q")


def test_the_map_is_its_owners_alone_where_a_readable_one_was(tmp_path: Path) -> None:
    (tmp_path / "map.json").write_text("{}")
    (tmp_path / "map.json").chmod(0o644)
    run("analyze", BUNDLE, "--redact", "--redact-map", tmp_path / "map.json", "-q")
    assert (tmp_path / "map.json").stat().st_mode & 0o777 == 0o600
    assert HOST in (tmp_path / "map.json").read_text()


def test_names_are_the_same_in_every_output(tmp_path: Path) -> None:
    run("analyze", BUNDLE, "--redact", "-q", "--json", tmp_path / "i.json")
    culprit = json.loads((tmp_path / "i.json").read_text())["root_causes"][0]["node"]
    assert culprit in run("timeline", BUNDLE, "--redact") and culprit in run("inspect", BUNDLE, "--redact")


def test_a_proposed_rule_holds_no_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rules_new, "_check_proposal", lambda *_: [])
    (tmp_path / "w.log").write_text("ERROR zeta: cannot open vault with password=hunter2hunter2 at stage two\n")
    rules_new.new(from_line=f"{tmp_path}/w.log:1", output=tmp_path / "pack.yaml")
    assert "hunter2" not in (tmp_path / "pack.yaml").read_text()


LINE = (
    "2026-11-21 07:38:01.000000: E x/io.cc:1] OOM when allocating tensor with shape[64,1024] of 10.91.7.25 by "
    f"password=hunter2hunter2 {'x' * 40} ghp_aB3dE5gH7jK9mN1pQ3sT5vX7zB9dF1hJ3lN5\n"
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "worker-0.log"
    path.write_text(LINE)
    return path


def test_why_a_rule_fired_is_told_without_secrets_and_names(log: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    run("analyze", log, "-q", "--json", report)
    for source, name in ((log, "gpu-out-of-memory"), (report, "gpu-out-of-memory")):
        plain = run("rules", "explain", source, name)
        assert (
            "OOM when allocating" in plain and "10.91.7.25" in plain and "hunter2" not in plain and "ghp_" not in plain
        )
        hidden = run("rules", "explain", source, name, "--redact")
        assert "OOM when allocating" in hidden and "10.91.7.25" not in hidden and "addr-1" in hidden
    assert "OOM when" not in run("rules", "explain", log, "gpu-out-of-memory", "--redact", "--redact-word", "OOM")


def test_why_a_line_nearly_was_an_event_is_told_without_secrets_and_names(tmp_path: Path) -> None:
    (tmp_path / "kern.log").write_text(
        "Nov 21 07:38:01 h kernel: [12.1] x\nNov 21 07:38:02 h kernel: [12.2] " + LINE.partition("] ")[2]
    )
    hidden = run("rules", "explain", tmp_path / "kern.log", "gpu-out-of-memory", "--redact")
    assert "hunter2" not in hidden and "10.91.7.25" not in hidden


def test_a_proposed_rule_holds_no_name(log: Path) -> None:
    assert "10.91.7.25" in run("rules", "new", "--from-line", f"{log}:1").replace("\\.", ".")
    hidden = run("rules", "new", "--from-line", f"{log}:1", "--redact").replace("\\.", ".")
    assert "10.91.7.25" not in hidden and "OOM when" in hidden
