"""The same input gives the same bytes, whatever order the interpreter gives its sets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["killed-worker", "tf-config-duplicate", "collective-shape"])
def test_runs_do_not_differ(name: str) -> None:
    bundle = str(ROOT / "fixtures" / name / "bundle.tar.gz")
    outputs = set()
    for seed in ("1", "2", "3"):
        command = [sys.executable, "-m", "analyzer", "analyze", bundle, "--json", "-", "-q"]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        outputs.add(subprocess.run(command, capture_output=True, timeout=60, check=True, env=environment).stdout)
    assert len(outputs) == 1
