"""Count the independent wordings by which the packs recognize each cause.

A wording is a pattern of a rule for the cause. Patterns that rest on the same text count once, because whatever changes
that text breaks all of them. Derived signals, settings and core dumps have no wording.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import yaml

from analyzer.model import Role
from analyzer.resources import rules_dir
from analyzer.rules.conditions import signals_of
from analyzer.rules.types import Packs
from analyzer.scan.widen import widen

MIN_WORDINGS = 3
MIN_TEXT_LENGTH = 4  # characters; a blank, which most texts hold, says nothing


def count_wordings(packs: Packs) -> dict[str, int]:
    """Return the number of wordings of each cause of the catalogue."""
    patterns: dict[str, set[str]] = {cause: set() for cause in packs.causes}
    for rule in packs.rules.values():
        if rule.role is Role.CAUSE and rule.cause in patterns:
            for name in signals_of(rule.when):
                if signal := packs.signals.get(name):
                    patterns[rule.cause].update(signal.match)
    return {cause: len(_independent_texts(texts)) for cause, texts in patterns.items()}


def _independent_texts(patterns: Iterable[str]) -> set[str]:
    """Return the texts of some length that the patterns rest on, without those that hold another one."""
    kept: set[str] = set()
    for text in sorted((_longest_required_text(pattern) for pattern in patterns), key=len):
        if len(text) >= MIN_TEXT_LENGTH and not any(shorter in text for shorter in kept):
            kept.add(text)
    return kept


def _longest_required_text(pattern: str) -> str:
    return max((min(texts, key=len) for texts in widen(pattern).required), key=len, default="").lower()


def reasons_for_few_wordings() -> Mapping[str, str]:
    """Return what causes.yaml says at causes with less than MIN_WORDINGS wordings (`few_wordings`)."""
    groups = yaml.safe_load((rules_dir() / "causes.yaml").read_text())
    return {
        cause: body["few_wordings"]
        for group in groups.values()
        for cause, body in group.items()
        if "few_wordings" in body
    }
