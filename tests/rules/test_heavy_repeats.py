"""What `regex` would need gigabytes for is refused, wherever in a pattern it stands."""

from __future__ import annotations

import pytest
import regex

from analyzer.signals.compiled_patterns import compile_pattern


@pytest.mark.parametrize(
    "pattern",
    [
        "[0-9a-f]{631152000}",
        "end [0-9a-f]{631152000}|short",  # whose shortest text is short
        "x(?![ab]{631152000})",  # whose width is one
        "(x)?(?(1)[ab]{631152000}|y)",
        "(?:(?:[ab]{900}){900})?",
        "(?:[ab]{900}|c){900}",
    ],
)
def test_repeats_of_gigabytes_are_refused(pattern: str) -> None:
    with pytest.raises(regex.error, match="too much memory"):
        compile_pattern(pattern)


@pytest.mark.parametrize("pattern", ["[ab]{1,631152000}", "a{0,99999}b", "(?:[ab]{90}){90}"])
def test_what_costs_little_is_taken(pattern: str) -> None:
    assert compile_pattern(pattern)
