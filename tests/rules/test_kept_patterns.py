"""Patterns that an earlier run compiled are not compiled again, and match the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import regex

from analyzer.signals import compiled_patterns
from analyzer.signals.compiled_patterns import compile_pattern, keep_compiled

PATTERNS = (r"(?i)\bstep (?P<step>\d+)(?! of)", r"(?<=a)b|c(?>d+)e", r"^\W*(?P<x>[^\s:]+):", r"(unclosed")


@pytest.fixture(autouse=True)
def new_run(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(compiled_patterns, "_stored_patterns", {})
    compile_pattern.cache_clear()
    yield
    compile_pattern.cache_clear()


def refuse(*arguments: object, **options: object) -> None:
    raise AssertionError("it was compiled")


def test_the_next_run_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_compiled(PATTERNS, tmp_path / "cache")
    compile_pattern.cache_clear()
    keep_compiled(PATTERNS, tmp_path / "cache")
    monkeypatch.setattr(regex, "compile", refuse)
    match = compile_pattern(PATTERNS[0]).search("a STEP 12 of", timeout=1.0)
    assert match is not None
    assert match.groupdict() == {"step": "1"}
    assert compile_pattern(PATTERNS[0]).pattern == PATTERNS[0]
    assert compile_pattern(PATTERNS[1]).findall("ab cdde b") == ["b", "cdde"]
    with pytest.raises(AssertionError):
        compile_pattern(PATTERNS[3])


def test_other_patterns_are_compiled_anew(tmp_path: Path) -> None:
    keep_compiled(PATTERNS[:1], tmp_path / "cache")
    keep_compiled(PATTERNS[:2], tmp_path / "cache")
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_nothing_is_compiled_where_nothing_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    monkeypatch.setattr(regex, "compile", refuse)
    keep_compiled(PATTERNS, tmp_path / "cache")
