"""Lines of source: of files beside the core and under the sysroots, and of nothing else."""

from __future__ import annotations

from pathlib import Path

from command_line import call_for_text
from conftest import MakeCore

from analyzer.core_dump import CoreFrame
from analyzer.cores.source_text import fill_source_lines


def test_source_lines_of_the_crashing_thread(make_core: MakeCore) -> None:
    core = make_core("assert", "-O1", "-g")
    assert " > " not in call_for_text("core", core).stdout
    shown = call_for_text("core", "--source", "--sysroot", "/", core).stdout
    assert any(line.startswith("         > ") and "assert(" in line for line in shown.splitlines())


def test_nothing_is_read_outside_the_roots(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "srv").mkdir(parents=True)
    (root / "srv" / "train.py").write_text("first\n    second\n")
    (root / "beside.cc").write_text("by its name\n")
    (tmp_path / "outside.py").write_text("secret\n")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    (root / "passwd").write_text("secret\n")
    (root / "folder.py").mkdir()

    def source_of(file: str, line: int = 1) -> str | None:
        frame = CoreFrame(kind="python", file=file, line=line)
        fill_source_lines([frame], [root])
        return frame.source

    assert source_of("/srv/train.py", 2) == "second"
    assert source_of("/build/src/beside.cc") == "by its name"
    for line in (0, -1, 3, 4, 1 << 63):
        assert source_of("/srv/train.py", line) is None
    for file in ("../outside.py", "/../../outside.py", "link.py", "passwd", "folder.py", "a\0.py", "", "<string>"):
        assert source_of(file) is None
