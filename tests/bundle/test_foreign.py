"""What is packed in a way that is not read is called by its name, and costs nothing beside it."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from analyzer.pipeline import analyze

LINE = b"2026-03-01 10:00:00.000001: E tensorflow/core/a.cc:1] boom\n"
NOISE = bytes(range(256)) * 40


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"7z\xbc\xaf\x27\x1c\0\4" + NOISE, "7z"),
        (b"Rar!\x1a\x07\x01\0" + NOISE, "RAR"),
        (b"LZIP\1" + NOISE, "lzip"),
        (b"\x1f\x9d\x90" + NOISE, "compress"),
        (lzma.compress(LINE + NOISE, lzma.FORMAT_ALONE), "LZMA"),
    ],
)
def test_a_kind_that_is_not_read_is_named(data: bytes, name: str, tmp_path: Path) -> None:
    (tmp_path / "packed").write_bytes(data)
    (tmp_path / "w.log").write_bytes(LINE)
    found = {source.file: source for source in analyze([tmp_path]).sources}
    assert found["packed"].status == "not-understood" and (found["packed"].problem or "").startswith(f"{name} ")
    assert found["w.log"].status == "read"
