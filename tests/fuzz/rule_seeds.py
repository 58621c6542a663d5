"""Seeds from the rules: the logs by which every rule proves itself, and logs of the fixtures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml

from analyzer.bundle import Member, open_bundle
from analyzer.reading import ReadPlan, build_plan
from analyzer.rule_tests.test_bundle import test_files, test_kind
from analyzer.rules.load import load_packs
from analyzer.rules.types import Packs
from tests.fuzz.files import FILES

ROOT = Path(__file__).parents[2]
LARGEST = 6000  # bytes of a seed: what goes wrong goes wrong in few lines
FIXTURES = ("killed-worker", "memory-cgroup-oom", "python-exception", "recovered-errors", "ps-killed")


@cache
def built_in() -> tuple[Packs, ReadPlan]:
    packs = load_packs()
    return packs, build_plan(packs)


@cache
def rule_bundles() -> Sequence[Mapping[str, bytes]]:
    """The files of every test of every rule."""
    return tuple(bundle for bundle in _bundles(built_in()[0]) if bundle)


def _bundles(packs: Packs) -> Iterator[Mapping[str, bytes]]:
    for rule in packs.rules.values():
        for test in rule.tests:
            texts = test_files(test[test_kind(test)])
            yield {path: text.encode("utf-8", "replace") for path, text in texts if isinstance(text, str)}


@cache
def small_files() -> Mapping[str, bytes]:
    """Files of kinds that rules do not look at: commands' output, collectors' parts, listings of pods."""
    forms = yaml.safe_load((ROOT / "tests/facts/forms.yaml").read_text())
    return {**FILES, **{f"node-1/{name}": form["text"].encode() for name, form in forms.items()}}


@cache
def fixture_files() -> Mapping[str, Mapping[str, bytes]]:
    return {name: dict(_members(ROOT / "fixtures" / name / "bundle.tar.gz")) for name in FIXTURES}


def _members(bundle: Path) -> Iterator[tuple[str, bytes]]:
    for item in open_bundle([bundle]):
        if isinstance(item, Member):
            content = item.stream.read()
            yield item.path, content if len(content) < LARGEST else content[: LARGEST // 2] + content[-LARGEST // 2 :]
