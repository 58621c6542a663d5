"""What a core names is opened only where that can do nothing: no device, and no disk of another machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.cores.core_rows import read_core_row
from tests.cores.made_cores import make_core, make_note, make_prstatus

NAMES = [
    "/net/stranger.example/lib.so",
    "//net/stranger.example/lib.so",
    "/./net/stranger.example/b.so",
    "/dev/zero.so",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_mapped_name_sends_no_word_to_another_machine(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = b"".join(number.to_bytes(8, "little") for number in (1, 4096, 0x400000, 0x401000, 0))
    registers = [0x400010] * 27
    notes = make_note("<", 1, make_prstatus(64, "<", 7, 11, registers))
    notes += make_note("<", 0x46494C45, rows + name.encode() + b"\0")
    path = tmp_path / "core"
    path.write_bytes(make_core("x86_64", notes, [(0x400000, 5, b"", 4096)]))
    opened: list[str] = []
    usual = os.open

    def watch(target: Any, *more: Any, **others: Any) -> int:
        opened.append(str(target))
        return usual(target, *more, **others)

    monkeypatch.setattr(os, "open", watch)
    core = read_core_row(path)
    assert [module["path"] for module in core["modules"]] == [name]  # it is a module that was looked for
    assert str(path) in opened and not [
        opened_path for opened_path in opened if str(Path(opened_path)).startswith(("/net", "//net", "/dev"))
    ]
