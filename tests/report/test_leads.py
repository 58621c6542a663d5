from __future__ import annotations

import pytest

from analyzer.report.decode import decode_incident
from analyzer.report.next_steps import find_next_steps


@pytest.mark.parametrize(
    ("accusers", "sentence"),
    [
        (["n1", "n2"], "n3 is reported as lost or late by n1, n2 (a.log:7)"),
        (["", "n1"], "n3 is reported as lost or late by n1 (a.log:7)"),
        ([""], "n3 is reported as lost or late (a.log:7)"),  # a launcher's own log
    ],
)
def test_who_is_named_as_lost_and_by_whom(accusers: list[str], sentence: str) -> None:
    accusations = [{"accused": "n3", "accuser": name, "file": "a.log", "line": 7} for name in accusers]
    assert find_next_steps(decode_incident({"timeline": {"accusations": accusations}})[0]) == [sentence]
