"""A report's file is whole or not there."""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path

import pytest

from analyzer.errors import AnalyzerError
from analyzer.report.formatting import ROWS_PER_PIECE, write_json
from analyzer.report.output_file import write_output_file


def test_replaces_a_file_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    write_output_file(target, "old")
    target.chmod(0o640)
    write_output_file(target, "new ␛ \ud800")
    assert target.read_text(encoding="utf-8") == "new ␛ \\ud800"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [target]


def test_new_file_has_the_mode_of_the_umask(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_output_file(tmp_path / "report.html", "x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "report.html").stat().st_mode) == 0o640


def test_follows_a_link_instead_of_replacing_it(tmp_path: Path) -> None:
    link = tmp_path / "latest.html"
    link.symlink_to(tmp_path / "one.html")
    write_output_file(link, "x")
    assert link.is_symlink() and (tmp_path / "one.html").read_text() == "x"


@pytest.mark.parametrize("path", ["missing/report.html", "file/report.html", ".", "n" * 300])
def test_impossible_paths_give_one_line_and_a_hint(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(AnalyzerError) as caught:
        write_output_file(tmp_path / path, "x")
    assert caught.value.hint and "\n" not in caught.value.message
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EIO])
def test_a_disk_that_fills_up_leaves_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    target = tmp_path / "report.html"
    write_output_file(target, "old")

    def fail(handle: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(AnalyzerError) as caught:
        write_output_file(target, "new")
    assert caught.value.hint
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_pipe_is_written_directly() -> None:
    reading, writing = os.pipe()
    try:
        write_output_file(Path(f"/dev/fd/{writing}"), "x")
        assert os.read(reading, 10) == b"x"
    finally:
        os.close(reading)
        os.close(writing)


def test_json_in_pieces_is_that_of_the_standard_library() -> None:
    rows = [[number, [number], {"x": []}] for number in range(2 * ROWS_PER_PIECE + 1)]
    values: list[object] = [[], {}, {"a": {}}, {"a": {"b": {"c": {"d": rows}}}}, rows, {"r": rows, "s": {"t": rows}}]
    for value in values:
        assert "".join(write_json(value)) == json.dumps(value, indent=1)
    assert json.loads("".join(write_json({"a\ud800": {"b": ["\ud800"]}}))) == {"a\ud800": {"b": ["\ud800"]}}
