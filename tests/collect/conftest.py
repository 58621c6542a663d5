from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from collecting import ROOT


@pytest.fixture(scope="session")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The one file that training images get, as `make collector` builds it."""
    out = tmp_path_factory.mktemp("collector") / "collector.pyz"
    done = subprocess.run(
        ["make", "collector", f"OUT={out}", f"PYTHON={sys.executable}"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    out.parent.chmod(0o755)
    out.chmod(0o755)
    return out
