"""What a pattern costs the scan, as a share of what it costs without it."""

import sys

import pytest

from analyzer.scan.pattern_check import ScanSlowdown

TEXT = b"step 12 of the job took 31 ms on worker 3 with loss 0.25\n" * 8_000


def test_what_waits_behind_a_rare_text_costs_nothing_and_the_rest_by_how_often_it_is_begun() -> None:
    pytest.importorskip("hyperscan")
    price = ScanSlowdown([rf"acme{letter}quux zyzzyva \d+" for letter in "abcdefghijklmnopqrstuvwxyz"], TEXT)
    assert price.measure(r"acme fabric: zyzzyva (?P<link>\d+)") == 0.0
    seldom, often = price.measure(r"error \d+ ends"), price.measure(r"\w+ (?:step|loss|worker)\b.{0,30}x\d{7}")
    assert 0.0 <= seldom < often
    assert often > 0.5


def test_without_the_engine_nothing_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hyperscan", None)
    assert ScanSlowdown(["step"], TEXT).measure(r"step \d") == 0.0
