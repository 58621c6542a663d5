"""Answers about patterns are the same from memory and from the cache, and only sound verdicts are remembered."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.scan import pattern_memo
from analyzer.scan.pattern_memo import answers_kept_in, remember, remember_sound

asked: list[str] = []


@remember
def _length(pattern: str, context: object = None) -> int:
    asked.append(pattern)
    return len(pattern)


@remember_sound
def _find_vowel(pattern: str) -> str | None:
    asked.append(pattern)
    return "a vowel" if set(pattern) & set("aeiou") else None


@pytest.fixture(autouse=True)
def _nothing_known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(pattern_memo, "_answers", {})
    asked.clear()
    yield


def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_memo, "_answers", {})
    asked.clear()


def test_texts_are_the_key_and_other_arguments_are_not() -> None:
    assert [_length("ab"), _length("ab", object()), _length("abc")] == [2, 2, 3]
    assert asked == ["ab", "abc"]


def test_a_fault_is_found_anew_each_time() -> None:
    assert [_find_vowel(pattern) for pattern in "aaxx"] == ["a vowel", "a vowel", None, None]
    assert asked == ["a", "a", "x"]


def test_the_next_run_knows_the_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    for expected in (["abc", "x"], []):
        with answers_kept_in(folder):
            assert (_length("abc"), _find_vowel("x")) == (3, None)
        assert asked == expected
        _forget(monkeypatch)


def test_other_code_has_other_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with answers_kept_in(tmp_path):
        _length("abc")
    _forget(monkeypatch)
    monkeypatch.setattr(pattern_memo, "_code_digest", lambda: "other")
    with answers_kept_in(tmp_path):
        _length("abc")
    assert asked == ["abc"]
    assert len(list(tmp_path.iterdir())) == 2


def test_files_that_others_can_write_are_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pickle runs code: a file in the cache is believed only if nobody else could have written it."""
    with answers_kept_in(tmp_path):
        _length("abc")
    (file,) = tmp_path.iterdir()
    _forget(monkeypatch)
    file.chmod(0o666)
    with answers_kept_in(tmp_path):
        _length("abc")
    assert asked == ["abc"]


@pytest.mark.parametrize("content", [b"", b"no pickle", pickle.dumps(["no", "answers"])])
def test_a_damaged_file_is_no_error(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with answers_kept_in(tmp_path):
        _length("abc")
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    _forget(monkeypatch)
    with answers_kept_in(tmp_path):
        assert _length("abc") == 3
    assert asked == ["abc"]


def test_without_a_folder_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with answers_kept_in(None):
        _length("abc")
    assert not list(tmp_path.iterdir())
