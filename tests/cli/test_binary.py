"""What is text and what is not, by its first bytes."""

from __future__ import annotations

import random

import pytest

from analyzer.engine.ingest import _is_binary

TEXT = "2026-03-01 10:00:00 größe naïve – Fehler in Zeile 7\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "cp1251", "shift_jis", "gb18030"]
)
def test_text_in_any_encoding(encoding: str) -> None:
    words = (
        "ошибка"
        if encoding == "cp1251"
        else "エラー発生"
        if encoding == "shift_jis"
        else "错误发生"
        if encoding == "gb18030"
        else ""
    )
    text = TEXT.encode("ascii", "ignore").decode() + words if words else TEXT
    assert not _is_binary((text * 80).encode(encoding)[:4096])


def test_terminal_colours_and_progress_bars_are_text() -> None:
    assert not _is_binary(b"\x1b[31merror\x1b[0m 10%\r20%\r\b\b\x07\n" * 100)


def test_compressed_data_and_pictures_are_not() -> None:
    assert _is_binary(random.Random(1).randbytes(4096))
    assert _is_binary(b"\x89PNG\r\n\x1a\n" + random.Random(2).randbytes(4088))
    assert _is_binary(bytes(range(256)) * 16)
