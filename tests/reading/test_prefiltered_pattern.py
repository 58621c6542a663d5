"""A prefiltered pattern is not searched for in texts that lack what it requires, and no match is missed."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from builtin_rules import builtin_packs
from hypothesis import given
from hypothesis import strategies as st

from analyzer.reading.plan import PREFILTER_AFTER_MISSES, PrefilteredPattern, compile_prefiltered
from analyzer.resources import rules_dir
from analyzer.rules.load import yaml_files
from analyzer.rules.types import Pack, Packs

PATTERNS = (
    r"(?P<rate>\d+(?:\.\d+)?) ?(?:examples|it)(?:/| per )s\b",
    r"(?i)\btook[ :]*(?P<ms>\d+)ms",
    r"(?i:Steps?) \d|K(?=elvin)",
    r"stra(?:ß|ss)e|\d+ it",
)


def _filtered(pattern: str) -> PrefilteredPattern:
    prefiltered = compile_prefiltered(pattern)
    for _ in range(PREFILTER_AFTER_MISSES):
        prefiltered.note_miss()
    return prefiltered


def _texts(raw: object) -> Iterator[str]:
    if isinstance(raw, str):
        yield from raw.splitlines()
    elif isinstance(raw, Mapping):
        for inner in raw.values():
            yield from _texts(inner)
    elif isinstance(raw, list):
        for inner in raw:
            yield from _texts(inner)


def test_required_texts_are_found_only_after_some_misses() -> None:
    prefiltered = compile_prefiltered(PATTERNS[0])
    for _ in range(PREFILTER_AFTER_MISSES):
        assert prefiltered.may_match("nothing of it")
        prefiltered.note_miss()
    assert not prefiltered.may_match("nothing of it")
    assert prefiltered.may_match("it runs at 12 IT/s")


@pytest.mark.parametrize("file", [file.name for file in yaml_files(rules_dir())])
def test_no_example_of_a_pack_is_missed(file: str) -> None:
    packs = builtin_packs()
    for pack in packs.packs:
        if Path(pack.file).name == file:
            assert_no_example_is_missed(pack, packs)


def assert_no_example_is_missed(pack: Pack, packs: Packs) -> None:
    names = {*(signal.name for signal in pack.signals), *(rule.id for rule in pack.rules)}
    own = [signal for name, signal in packs.signals.items() if name in names]
    filtered = [_filtered(pattern) for signal in own for pattern in (*signal.also, *signal.not_match)]
    lines = {line for rule in pack.rules for test in rule.tests for line in _texts(test)}
    for prefiltered in filtered:
        for line in lines:
            assert prefiltered.may_match(line) or not prefiltered.pattern.search(line), (
                prefiltered.pattern.pattern,
                line,
            )


@given(st.sampled_from(PATTERNS), st.text("aeiklmnoprstuvxKSſßE0159 /.:-", max_size=40))
def test_no_text_is_missed(pattern: str, text: str) -> None:
    prefiltered = _filtered(pattern)
    assert prefiltered.may_match(text) or not prefiltered.pattern.search(text)
