"""`confidence` is one of six words, or a number."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_packs import load_text, one_rule

from analyzer.rules.parsing.keys import CONFIDENCE_LEVELS

MANUAL = (Path(__file__).parents[2] / "docs" / "rules.md").read_text()


@pytest.mark.parametrize(("word", "number"), CONFIDENCE_LEVELS.items())
def test_a_word_stands_for_a_number(tmp_path: Path, word: str, number: float) -> None:
    packs = load_text(tmp_path, one_rule(f"when: alpha\nconfidence: {word}"))
    assert (packs.problems, packs.rules["r"].confidence) == ((), number)
    packs = load_text(tmp_path, one_rule(f"when: alpha\nconfidence: {{base: {word}, raise: {{beta: 0.1}}}}"))
    assert (packs.problems, packs.rules["r"].confidence) == ((), number)
    (row,) = [line for line in MANUAL.splitlines() if line.startswith(f"| `{word}` |")]
    assert row.endswith(f"| {number} |")


def test_the_words_are_in_order() -> None:
    assert list(CONFIDENCE_LEVELS.values()) == sorted(CONFIDENCE_LEVELS.values(), reverse=True)


@pytest.mark.parametrize("value", ["certain", "Proof", "1.5", "-0.1", "true", "[likely]"])
def test_other_values_are_refused(tmp_path: Path, value: str) -> None:
    packs = load_text(tmp_path, one_rule(f"when: alpha\nconfidence: {value}"))
    (problem,) = packs.problems
    assert "is not a known level" in str(problem)
    assert "proof, strong, likely, possible, weak, faint" in str(problem)
