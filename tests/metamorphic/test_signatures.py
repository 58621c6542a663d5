"""The same fault on other hosts, with other addresses, ports, processes, days and one more worker has the same id."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from .elsewhere import ELSEWHERE
from .judge import Analyzer
from .stress import prepare

FIXTURES = Path(__file__).parents[2] / "fixtures"
NAMES = sorted(path.parent.name for path in FIXTURES.glob("*/bundle.tar.gz"))
EXACT = 0.97  # share of the exact ids that stay; that level promises no more than the same words


@pytest.fixture(scope="module")
def analyzer() -> Analyzer:
    return Analyzer()


def test_signatures_stay(analyzer: Analyzer) -> None:
    tried, exact, grown, changed = 0, 0, 0, []
    causes: dict[str, set[str]] = {}
    for name in NAMES:
        case, _, _ = prepare(FIXTURES / name / "bundle.tar.gz", analyzer)
        incident = analyzer.analyze(case)
        cause = incident.root_causes[0].finding.cause if incident.root_causes else incident.verdict
        causes.setdefault(incident.signatures["usual"], set()).add(str(cause))
        for change in ELSEWHERE:
            other = change(case, Random(f"{name} {change.__name__}"))
            if other is None:
                continue
            assert other.files != case.files
            again = analyzer.analyze(other)
            tried += 1
            grown += len(again.nodes) > len(incident.nodes)
            exact += again.signatures["exact"] == incident.signatures["exact"]
            if again.signatures["usual"] != incident.signatures["usual"]:
                changed.append(f"{name}  {change.__name__}: {other.extra}")
    assert not changed, "\n".join(changed)
    assert tried > 5 * len(NAMES)
    assert grown > len(NAMES) // 3
    assert exact >= EXACT * tried
    assert all(len(named) == 1 for named in causes.values()), "one id for two causes"
    assert len(causes) > len(NAMES) // 3
