"""The built-in rules with their tests, loaded once in a test process."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from analyzer.rules.load import load_packs
from analyzer.rules.types import Packs


@cache
def builtin_packs() -> Packs:
    """The packs as authors see them. Do not change them: tests share them. Readers use `rules.packs.cache`."""
    return load_packs()


@cache
def lines_of_rule_tests() -> tuple[str, ...]:
    """The lines of all files in the tests of the built-in rules."""
    return tuple(
        sorted({line for rule in builtin_packs().rules.values() for test in rule.tests for line in _lines(test)})
    )


def _lines(raw: object) -> list[str]:
    if isinstance(raw, Mapping):
        return [line for inner in raw.values() for line in _lines(inner)]
    if isinstance(raw, list):
        return [line for inner in raw for line in _lines(inner)]
    return raw.splitlines() if isinstance(raw, str) else []
