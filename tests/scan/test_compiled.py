"""Many patterns are compiled in a process of its own, and here where none can be had: the same comes out."""

import re
from pathlib import Path

import pytest

from analyzer.scan import compilation, pattern_memo
from analyzer.scan.compilation import compile_patterns
from analyzer.scan.scanner import HyperscanScanner, unpack_hit

pytest.importorskip("hyperscan")
MANY = [rf"quux{number}wort zyzzyva \d+" for number in range(compilation.MIN_PATTERNS_FOR_PROCESS)]
BLOCK = b"a quux7wort zyzzyva 1\nnothing\nquux150wort zyzzyva 22\n"
GONE = "/nowhere/python"


def test_the_reading_process_does_none_of_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    widened_here: dict[object, object] = {}
    monkeypatch.setattr(pattern_memo, "_answers", widened_here)
    assert compile_patterns(MANY).second_pass
    assert not widened_here


@pytest.mark.parametrize("executable", [None, "", GONE, "/bin/false", "/bin/true"])
def test_what_is_compiled_does_not_depend_on_where(
    executable: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apart = compile_patterns(MANY)
    monkeypatch.setattr("sys.executable", executable)
    here = compile_patterns(MANY)
    assert {len(apart.second_pass), len(apart.first_pass)} == {len(here.second_pass), len(here.first_pass)}
    assert (apart.gates.texts, apart.gates.initially_gated) == (here.gates.texts, here.gates.initially_gated)
    hits = HyperscanScanner(MANY, tmp_path).scan(BLOCK)
    assert sorted(unpack_hit(hit)[1] for hit in hits) == [7, 150]


@pytest.mark.parametrize("executable", [None, GONE])
def test_a_pattern_that_is_not_valid_is_the_same_error(executable: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if executable:
        monkeypatch.setattr("sys.executable", executable)
    with pytest.raises(re.error, match="unterminated character set"):
        compile_patterns([*MANY, "["])


def test_a_folder_of_logs_runs_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pickle", "subprocess", "hyperscan", "analyzer", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    monkeypatch.chdir(tmp_path)
    compile_patterns(MANY)
    assert not (tmp_path / "ran").exists()
