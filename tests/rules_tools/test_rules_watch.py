"""`rules watch` checks a pack again when it is saved, and only that pack."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from author import PACK, write_pack

from analyzer.cli import rules_watch


class _TestEndError(Exception):
    """Ends the watching, as Ctrl-C does."""


def _edits(*edits: Callable[[], object]) -> Callable[[float], None]:
    remaining = iter(edits)

    def wait(_: float = 0) -> None:
        edit = next(remaining, None)
        if edit is None:
            raise _TestEndError
        edit()

    return wait


def _watch(folder: Path, monkeypatch: pytest.MonkeyPatch, *edits: Callable[[], object]) -> None:
    monkeypatch.setattr(rules_watch.time, "sleep", _edits(*edits))
    with pytest.raises(_TestEndError):
        rules_watch.watch([folder])


def _rounds(output: str) -> list[list[str]]:
    """Return the lines of each round, without the one that says how long it took."""
    rounds: list[list[str]] = [[]]
    for line in output.splitlines():
        if "waiting for changes" in line:
            rounds.append([])
        else:
            rounds[-1].append(line)
    return rounds[:-1]


def test_a_saved_pack_is_checked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_pack(tmp_path)
    write_pack(tmp_path, PACK.replace("acme", "other"), "other.yaml")
    broken = PACK.replace("of (?P<card>", "at (?P<card>")
    _watch(tmp_path, monkeypatch, lambda: None, lambda: write_pack(tmp_path, broken), lambda: write_pack(tmp_path))
    first, second, third = _rounds(capsys.readouterr().out)
    assert first == ["2 files, 2 rules: 0 errors, 0 hints; 4 tests: 4 passed, 0 failed"]
    assert "did not fire" in "".join(second)
    assert second[-1] == "1 file, 1 rule: 0 errors, 0 hints; 2 tests: 1 passed, 1 failed"
    assert third == ["1 file, 1 rule: 0 errors, 0 hints; 2 tests: 2 passed, 0 failed"]


def test_a_pack_that_is_no_yaml_for_a_moment_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = write_pack(tmp_path)
    _watch(pack, monkeypatch, lambda: pack.write_text("rules: ["), pack.unlink, lambda: write_pack(tmp_path))
    rounds = capsys.readouterr().out
    assert "no such rule pack" in rounds
    assert rounds.splitlines()[-2] == "1 file, 1 rule: 0 errors, 0 hints; 2 tests: 2 passed, 0 failed"


def test_a_log_of_a_test_checks_all(tmp_path: Path) -> None:
    log = tmp_path / "long.log"

    def changes() -> Iterator[frozenset[str]]:
        yield from rules_watch.changed_files([tmp_path], lambda: log.write_text("one line\n") and None)

    assert next(changes()) == {str(log)}
