"""A wall clock that is set while an analysis runs changes nothing: what takes long is timed by the monotonic one."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUNDLE = ROOT / "fixtures" / "killed-worker" / "bundle.tar.gz"
JUMPING = """
import itertools, time
wall, jumps = time.time, itertools.cycle([0.0, 86400.0 * 40, -86400.0 * 400])
time.time = lambda: wall() + next(jumps)
time.time_ns = lambda: int(time.time() * 1e9)
"""
# What states when something happened, to people or to files, and measures nothing by it.
TELLS_THE_TIME = {"collect", "record", "replay", "history", "cli"}
LOG = "redact/log_output.py"  # stamps its lines


def analyze(before: str, *options: str) -> dict[str, object]:
    code = f"{before}\nfrom analyzer.cli import main\nmain()"
    command = [sys.executable, "-c", code, "analyze", str(BUNDLE), "--json", "-", *options]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    return dict(json.loads(result.stdout))


@pytest.mark.parametrize("options", [("--jobs", "1"), ("--jobs", "1", "--progress"), ("--partial",)])
def test_the_same_answer_whatever_the_clock_says(options: tuple[str, ...]) -> None:
    assert analyze(JUMPING, *options) == analyze("", *options)


def test_no_part_of_the_analysis_asks_the_wall_clock() -> None:
    calls = []
    for path in sorted((ROOT / "analyzer").rglob("*.py")):
        place = path.relative_to(ROOT / "analyzer")
        if place.parts[0] in TELLS_THE_TIME or place.as_posix() == LOG:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in (
                "time.time",
                "time.time_ns",
                "datetime.now",
                "datetime.utcnow",
                "datetime.today",
            ):
                calls.append(f"{path.name}:{node.lineno}")
    assert not calls
