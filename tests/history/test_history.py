"""The history through its commands, with real files, real damage and real processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analyzer.errors import AnalyzerError
from analyzer.history import DATABASE_FILE, IncidentRecord, Note, open_store
from analyzer.history import store as stores
from analyzer.history.match import find_match
from analyzer.history.schema import DATABASE_VERSION

FIXTURES = Path(__file__).parents[2] / "fixtures"
SIGNATURES = {"exact": "e" * 16, "usual": "b" * 16, "coarse": "c" * 16}
PLAIN = IncidentRecord(
    "f0", "2026-01-02T03:04:05Z", "2026-01-03T00:00:00Z", "diagnosed", "a.b", "r", "it fell", "n1", "", {}
)


def run(*words: object, expect: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from analyzer.cli import main; main()", *map(str, words)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert result.returncode == expect, result.stderr
    return result


def analyze(name: str, folder: Path) -> tuple[dict[str, Any], str]:
    result = run("analyze", FIXTURES / name / "bundle.tar.gz", "--history", folder, "--json", "-")
    return json.loads(result.stdout)["history"], result.stderr


def record(number: int, **changes: Any) -> IncidentRecord:
    return replace(PLAIN, fingerprint=f"f{number}", signatures=SIGNATURES, **changes)


def test_the_like_of_an_incident_is_recognized_with_what_people_wrote_of_it(tmp_path: Path) -> None:
    first, _ = analyze("killed-worker", tmp_path)
    assert (first["seen"], first["number"]) == (0, 1)
    run("history", "note", "1", "--history", tmp_path, "--ticket", "OPS-41", "power supply in rack 4")
    later, errors = analyze("killed-leader", tmp_path)
    assert (later["seen"], later["level"], later["ticket"]) == (1, "usual", "OPS-41")
    for words in ("ip-10-0-1-12", "OPS-41", "process.killed-by-signal", "power supply in rack 4"):
        assert words in later["sentence"]
        assert words in " ".join(errors.split())
    assert analyze("killed-leader", tmp_path)[0]["number"] == 2, "the same logs again are the same incident"
    assert analyze("healthy", tmp_path)[0]["seen"] == 0
    head, *rows = run("history", "list", "--history", tmp_path).stdout.splitlines()
    assert head.split()[:2] == ["No.", "happened"] and len(rows) == 2
    assert "OPS-41" in rows[0] and "ip-10-0-1-12" in rows[0]
    again, _ = analyze("killed-worker", tmp_path)
    assert again["sentence"].startswith("this is incident 1, OPS-41: power supply in rack 4 (analyzed before)")


def test_every_report_says_it(tmp_path: Path) -> None:
    analyze("killed-worker", tmp_path)
    report, ticket = tmp_path / "report.html", tmp_path / "ticket.md"
    bundle = FIXTURES / "killed-leader" / "bundle.tar.gz"
    run("analyze", bundle, "--history", tmp_path, "-o", report, "--markdown", ticket)
    assert "The same fault was seen once before" in report.read_text()
    assert "Earlier incidents" in report.read_text()
    assert "The same fault was seen once before" in ticket.read_text()


def test_list_show_and_forget(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        kept = [store.add(record(number, node=f"n{number}")) for number in range(3)]
    assert [entry.number for entry in kept] == [1, 2, 3]
    run("history", "note", "bbbb", "--history", tmp_path, "--ticket", "T-1")
    shown = run("history", "show", "2", "--history", tmp_path).stdout
    assert "T-1" in shown
    assert "similar (exact): incident 1, 3" in shown
    listed = json.loads(run("history", "list", "--node", "n1", "--json", "-", "--history", tmp_path).stdout)
    assert [(row["number"], row["notes"][0]["ticket"]) for row in listed] == [(2, "T-1")]
    run("history", "forget", "2", "--history", tmp_path)
    run("history", "show", "2", "--history", tmp_path, expect=2)
    with open_store(tmp_path) as store:
        assert [entry.number for entry in store.read_all()] == [1, 3]
        assert all(entry.notes for entry in store.read_all())
    run("history", "note", "1", "--history", tmp_path, expect=2)
    run("history", "list", "--history", tmp_path / "elsewhere", expect=2)


def test_the_finest_level_counts() -> None:
    base = record(0)
    exact, usual = record(1), record(2, node="n2")
    usual = replace(usual, signatures={**SIGNATURES, "exact": "0" * 16})
    match = find_match(base, [base, usual, exact])
    assert match is not None
    assert (match.level, [other.fingerprint for other in match.records]) == ("exact", ["f1"])
    match = find_match(base, [base, usual])
    assert match is not None
    assert match.level == "usual"
    assert find_match(base, [base, replace(usual, signatures={"usual": "1" * 16})]) is None


def write_many(folder: Path, first: int, count: int) -> None:
    for number in range(first, first + count):
        with open_store(folder) as store:
            store.add(record(number))
            store.add_note([1], Note("2026-01-01T00:00:00Z", f"T-{number}", ""))


def test_processes_write_at_once_and_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write_many, args=(tmp_path, 100 * n, 25)) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
    assert [writer.exitcode for writer in writers] == [0] * 4
    with open_store(tmp_path) as store:
        kept = store.read_all()
    assert sorted(entry.number for entry in kept) == list(range(1, 101))
    assert len(kept[0].notes) == 100


def die_writing(folder: Path) -> None:
    with closing(sqlite3.connect(folder / DATABASE_FILE, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("DELETE FROM incidents")
        os._exit(9)


def test_a_writer_that_is_killed_leaves_no_trace(tmp_path: Path) -> None:
    write_many(tmp_path, 0, 1)
    dying = multiprocessing.get_context("spawn").Process(target=die_writing, args=(tmp_path,))
    dying.start()
    dying.join(60)
    assert dying.exitcode == 9
    with open_store(tmp_path) as store:
        assert len(store.read_all()) == 1
        store.add(record(1))


DAMAGES = {
    "no database": lambda data: b"\x00garbage" * 512,
    "its header": lambda data: b"X" * 64 + data[64:],
    "its pages": lambda data: data[:4096] + b"\xa5" * (len(data) - 4096),
    "its end": lambda data: data[: len(data) // 2 + 100],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_set_aside_and_the_analysis_goes_on(damage, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    write_many(tmp_path, 0, 3)
    broken = damage((tmp_path / DATABASE_FILE).read_bytes())
    (tmp_path / DATABASE_FILE).write_bytes(broken)
    history, errors = analyze("killed-worker", tmp_path)
    assert history["number"] == 1
    assert "history.sqlite was damaged" in errors
    assert "history.sqlite.damaged-1" in errors
    assert (tmp_path / "history.sqlite.damaged-1").read_bytes() == broken
    with open_store(tmp_path) as store:
        assert (len(store.read_all()), store.problem) == (1, "")


def test_only_one_of_many_sets_a_damaged_file_aside(tmp_path: Path) -> None:
    (tmp_path / DATABASE_FILE).write_bytes(b"not a database at all " * 400)
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write_many, args=(tmp_path, 100 * n, 5)) for n in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
    assert [writer.exitcode for writer in writers] == [0] * 4
    assert [path.name for path in tmp_path.glob("*damaged*")] == ["history.sqlite.damaged-1"]
    with open_store(tmp_path) as store:
        assert len(store.read_all()) == 20


def read_as_nobody(folder: Path, answers: Any) -> None:
    if os.geteuid() == 0:
        os.setuid(65534)
    with open_store(folder) as store:
        try:
            store.add(record(9))
        except AnalyzerError as error:
            answers.put((len(store.read_all()), store.writable, error.message))


def test_a_read_only_folder_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    write_many(folder, 0, 2)
    for path in (folder / DATABASE_FILE, folder):
        path.chmod(0o444 if path.is_file() else 0o555)
    own = len(Path(tempfile.gettempdir()).parents) + 1
    for path in (tmp_path, *list(tmp_path.parents)[:-own]):
        path.chmod(0o755)  # pytest's folders are their owner's alone
    answers = multiprocessing.get_context("fork").Queue()
    reader = multiprocessing.get_context("fork").Process(target=read_as_nobody, args=(folder, answers))
    reader.start()
    count, writable, message = answers.get(timeout=60)
    reader.join(60)
    folder.chmod(0o755)
    assert (count, writable) == (2, False)
    assert "is read-only" in message


def test_an_unusable_folder_costs_the_history_and_not_the_analysis(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    history, errors = analyze("killed-worker", tmp_path / "file" / "below")
    assert history["seen"] == 0
    assert "cannot create the folder" in errors


def test_tables_of_the_future_are_left_alone(tmp_path: Path) -> None:
    write_many(tmp_path, 0, 1)
    with closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as connection:
        connection.execute(f"PRAGMA user_version = {DATABASE_VERSION + 1}")
    before = (tmp_path / DATABASE_FILE).read_bytes()
    _, errors = analyze("killed-worker", tmp_path)
    assert "written by a newer tf-postmortem" in errors
    assert "newer" in run("history", "list", "--history", tmp_path, expect=1).stderr
    assert (tmp_path / DATABASE_FILE).read_bytes() == before


def test_older_tables_are_upgraded_and_keep_their_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_many(tmp_path, 0, 2)
    from analyzer.history import schema

    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("ALTER TABLE incidents ADD COLUMN later TEXT",)))
    for module in (schema, stores):
        monkeypatch.setattr(module, "DATABASE_VERSION", DATABASE_VERSION + 1)
    with open_store(tmp_path) as store:
        assert len(store.read_all()) == 2
    with closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as connection:
        assert "later" in [row[1] for row in connection.execute("PRAGMA table_info (incidents)")]


def test_a_redacted_report_names_no_machine_of_earlier_incidents(tmp_path: Path) -> None:
    analyze("killed-worker", tmp_path)
    bundle = FIXTURES / "killed-leader" / "bundle.tar.gz"
    report = run("analyze", bundle, "--history", tmp_path, "--redact", "--json", "-", "-q").stdout
    assert json.loads(report)["history"]["seen"] == 1
    assert "ip-10-0-1-12" not in report
    assert str(tmp_path) not in report
