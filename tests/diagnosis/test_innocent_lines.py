"""Lines that healthy runs have make no failure of one, and no cause of a silent death beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from test_bystanders import analyze_with_line, step, worker
from test_stories import analyze

from analyzer.incident import Incident
from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs

LINES: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name("innocent_lines.yaml").read_text())
HOSTS = ("n-1", "n-2")
STAMPS = {
    "worker.log": "2026-03-01 10:05:00,000",
    "dmesg.txt": "2026-03-01T10:05:00,000000+00:00",
    "syslog": "2026-03-01T10:05:00+00:00",
    "slurmctld.log": "2026-03-01T10:05:00",
}


def healthy(file: str, line: str, packs: Packs, plan: ReadPlan) -> Incident:
    texts = {f"{host}/worker.log": worker(index, 300, HOSTS) for index, host in enumerate(HOSTS)}
    texts[file] = texts.get(file, "") + line + "\n"
    for host in HOSTS:
        texts[f"{host}/worker.log"] += f"{step(310)}: I step 31 loss 0.5\n{step(400)}: I training finished\n"
        texts[f"{host}/exit_code"] = "0\n"
    return analyze(texts, packs, plan)


def is_blamed(incident: Incident) -> bool:
    """Whether the first root cause rests on a line, and not on what the logs lack."""
    return bool(incident.root_causes) and not incident.root_causes[0].finding.evidence[0].signal.startswith("derived.")


@pytest.mark.parametrize("kind", LINES)
def test_innocent_lines_are_no_failure_and_no_cause(kind: str, packs: Packs, plan: ReadPlan) -> None:
    """All lines of a kind are in one bundle; if one of them is taken for a failure, they are tried one by one."""
    file = kind if kind not in ("worker.log", "dmesg.txt", "syslog") else f"n-2/{kind}"
    lines = [line.replace("@", STAMPS.get(kind, ""), 1) for line in LINES[kind]]
    if healthy(file, "\n".join(lines), packs, plan).verdict != "no-failure":
        assert [line for line in lines if healthy(file, line, packs, plan).verdict != "no-failure"] == [], lines
        pytest.fail("one line alone is no failure, but all of them are")
    if is_blamed(analyze_with_line(plan, packs, file, "\n".join(lines))):
        assert [line for line in lines if is_blamed(analyze_with_line(plan, packs, file, line))] == [], lines
        pytest.fail("one line alone is not blamed, but one of them all is")
