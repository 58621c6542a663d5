"""Any number of any line may have thousands of digits: the line is read, and no other is lost for it."""

from __future__ import annotations

import random
import re

from builtin_rules import lines_of_rule_tests

from analyzer.paths import cache_dir
from analyzer.pipeline import IngestResult, diagnose, read_small_text
from analyzer.reading import build_plan
from analyzer.report.json import to_json
from analyzer.rules.packs.cache import load_packs

LINES_OF_FILE = 400
_NUMBER = re.compile(r"\d+")


def test_no_number_of_a_line_ends_the_analysis() -> None:
    """Python converts no more than 4,300 digits, and raises."""
    chance, number = random.Random(9), "9" * 5000
    lines = []
    for line in lines_of_rule_tests():
        matches = list(_NUMBER.finditer(line[:3000]))
        for match in chance.sample(matches, min(2, len(matches))):
            lines.append(line[: match.start()] + number + line[match.end() :])
    packs = load_packs((), cache_dir())
    plan, ingested = build_plan(packs, cache_dir()), IngestResult()
    for at in range(0, len(lines), LINES_OF_FILE):
        text = "\n".join(lines[at : at + LINES_OF_FILE])
        read_small_text(f"h{at}/w{at}.log", text.encode(), plan, ingested)
    assert len(to_json(diagnose(ingested, packs))["sources"]) == len(range(0, len(lines), LINES_OF_FILE))
