"""Patterns that come from tables take linear time too: tests/linear sees those that stand in the code."""

from __future__ import annotations

import concurrent.futures
import re
from collections.abc import Iterator

import pytest

from analyzer.cli._redaction import choose_names
from analyzer.redact import finders, secrets, token_formats
from tests.linear.growth import find_growth
from tests.linear.package_patterns import PackagePattern
from tests.redact.linear import assert_linear


def patterns() -> Iterator[re.Pattern[str]]:
    yield from (finder.pattern for finder in finders.load_finders())
    yield from (pattern for _, group in secrets._PATTERNS for pattern in group)
    yield from (pattern for row in secrets._COMMANDS for pattern in (row.command, row.option, row.user) if pattern)
    yield from (token_formats._prefix_pattern(index) for index in range(len(token_formats.prefix_forms())))
    yield from (token_formats._infix_pattern(index) for index in range(len(token_formats.INFIX_FORMS)))
    yield from (token_formats._any_prefix(), token_formats._pattern_without_prefix())


def growth(pattern: tuple[str, int]) -> str | None:
    return find_growth(PackagePattern(*pattern, "re", "a table", anchored=False, is_bytes=False))


@pytest.fixture(scope="module")
def table_patterns() -> list[tuple[str, int]]:
    return list(dict.fromkeys((pattern.pattern, pattern.flags) for pattern in patterns()))


def test_every_pattern_of_a_table_takes_linear_time(table_patterns: list[tuple[str, int]]) -> None:
    assert len(table_patterns) > 200
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        results = list(zip(table_patterns, pool.map(growth, table_patterns, chunksize=8), strict=True))
    growing = [f"{pattern[:160]}: {text}" for (pattern, _), text in results if text]
    assert not growing, "\n".join(growing)


@pytest.mark.parametrize("command", ["zip -P", "rar a -pX", 'curl -u "bob:', "PASSWORD=X", "mysql -px; mysql -px "])
@pytest.mark.parametrize(
    "piece", ['"', "'a", '\\"', '\\\\\\\\"', "\\'\"", '"a" ', "' '", '"", ', "\\", "a\\ ", ", -p'"]
)
def test_words_of_commands_are_found_in_linear_time(command: str, piece: str) -> None:
    assert_linear(lambda data: secrets.mask_text(command + data.decode()), piece.encode())
    assert_linear(lambda data: secrets.mask_text(data.decode()), f"{command}{piece} ".encode())


@pytest.mark.parametrize("piece", [b"0.", b"a-b.", b"x@y.", b"gpu7,", b"a=b "])
def test_names_are_chosen_in_linear_time(piece: bytes) -> None:
    assert_linear(lambda data: choose_names({"notes": ["ssh alice@gpu7.lab.zeta.example", data.decode()]}), piece)
