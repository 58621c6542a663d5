"""The built-in rules with their tests, loaded once in a test process."""

from __future__ import annotations

from functools import cache

from analyzer.rules.load import load_packs
from analyzer.rules.types import Packs


@cache
def builtin_packs() -> Packs:
    """The packs as authors see them. Do not change them: tests share them. Readers use `rules.packs.cache`."""
    return load_packs()
