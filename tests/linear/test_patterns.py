"""No pattern of the package takes more than linear time: most see texts of strangers and have no time limit."""

from __future__ import annotations

import concurrent.futures
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.linear.growth import find_growth
from tests.linear.package_patterns import PackagePattern, captures_unbounded_number

ROOT = Path(__file__).parents[2]
# file, beginning of the pattern → why its growth does not matter.
EXCUSED = {
    ("analyzer/reading/shapes.py", "(?:(?<!\\S)"): "sees 200 characters of a message",
    ("analyzer/cores/function_names.py", "_*(?P<name>\\w+?)"): "sees names of at most MAX_VARIANT_CHARS",
}
# Files that compile a pattern from values: they escape them, or compile a pack's pattern, which has a time limit.
BUILT_WHEN_CALLED = {
    "analyzer/formats/records/pasted_sections.py",  # escaped text with a bounded name and bounded numbers
    "analyzer/cli/_timeline_filters.py",
    "analyzer/cores/function_names.py",
    "analyzer/cores/wait_kinds.py",  # as those of function_names.py: names of at most MAX_NAME_CHARS
    "analyzer/redact/finders.py",  # tests/redact/test_linear.py measures them
    "analyzer/redact/lazy_patterns.py",  # the calls of compile_on_use are looked at instead
    "analyzer/redact/token_formats.py",  # as those of finders.py
    "analyzer/replay/recipe.py",
    "analyzer/report/log_excerpts.py",
    "analyzer/signals/compiled_patterns.py",
    "analyzer/rules/linting/pattern_cost.py",
    "analyzer/rules/linting/backtracking.py",
    "analyzer/rules/rule_edges.py",
    "analyzer/rules/linting/overlap.py",
    "analyzer/rules/authoring/propose.py",
    "analyzer/scan/scanner.py",
    "analyzer/scratch.py",
}


@pytest.fixture(scope="module")
def collected() -> dict[str, list[object]]:
    result = subprocess.run(
        [sys.executable, "-m", "tests.linear.package_patterns"], cwd=ROOT, capture_output=True, check=True
    )
    return json.loads(result.stdout)  # type: ignore[no-any-return]


def test_the_instrument_tells_growth_from_none() -> None:
    def growth(pattern: str, anchored: bool = False) -> str | None:
        return find_growth(PackagePattern(pattern, 0, "re", "here:1", anchored, is_bytes=False))

    assert growth(r"^\s*x", anchored=False) is None
    for quadratic in (r"\s*x", r"\w+=", r"^\s*-?\s*x", r"a.*b.*c", r"(?:/\w+)+$", r"\d+ (?:error|warning)s?"):
        assert growth(quadratic) is not None, quadratic
    for exponential in (r"(?:\w+-?)*$", r"(?:a|aa)*!", r"([a-z]{1,9})+;"):
        assert growth(exponential, anchored=True) is not None, exponential


def test_every_pattern_takes_linear_time(collected: dict[str, list[object]]) -> None:
    patterns = [PackagePattern(**row) for row in collected["patterns"]]  # type: ignore[arg-type]
    assert len(patterns) > 300
    asked = [pattern for pattern in patterns if not _is_excused(pattern)]
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        growing = [
            f"{pattern.place}: {pattern.pattern[:200]} on {text}"
            for pattern, text in zip(asked, pool.map(find_growth, asked, chunksize=4), strict=True)
            if text
        ]
    assert not growing, "\n".join(growing)


def test_patterns_that_are_built_when_called_are_known(collected: dict[str, list[object]]) -> None:
    places = {str(place).partition(":")[0] for place in collected["unknown"]}
    assert places == BUILT_WHEN_CALLED


def test_every_excuse_is_still_needed(collected: dict[str, list[object]]) -> None:
    patterns = [PackagePattern(**row) for row in collected["patterns"]]  # type: ignore[arg-type]
    assert len({_excuse(pattern) for pattern in patterns if _is_excused(pattern)}) == len(EXCUSED)


def _excuse(pattern: PackagePattern) -> tuple[str, str] | None:
    file = pattern.place.partition(":")[0]
    return next((key for key in EXCUSED if key[0] == file and pattern.pattern.startswith(key[1])), None)


def _is_excused(pattern: PackagePattern) -> bool:
    return _excuse(pattern) is not None


def test_captured_numbers_are_bounded(collected: dict[str, list[object]]) -> None:
    """`int` refuses texts of more than 4,300 digits, and lines hold what they like."""
    patterns = [PackagePattern(**row) for row in collected["patterns"]]  # type: ignore[arg-type]
    unbounded = [f"{pattern.place}: {pattern.pattern}" for pattern in patterns if captures_unbounded_number(pattern)]
    assert not unbounded, "write \\d{1,18}:\n" + "\n".join(unbounded)
