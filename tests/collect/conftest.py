from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from collecting import ROOT
from hostile import SECRET, make_folder


@pytest.fixture(scope="session")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The one file that training images get, as `make collector` builds it."""
    out = tmp_path_factory.mktemp("collector") / "collector.pyz"
    result = subprocess.run(
        ["make", "collector", f"OUT={out}", f"PYTHON={sys.executable}"], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    out.parent.chmod(0o755)
    out.chmod(0o755)
    return out


@pytest.fixture
def ground() -> Iterator[Path]:
    """A folder that everybody may enter, with a secret of root's and a user's own folder."""
    ground = Path(tempfile.mkdtemp(prefix="collect-", dir="/var/tmp"))
    try:
        ground.chmod(0o755)
        (ground / "secret").mkdir(mode=0o700)
        (ground / "secret" / "worker.log").write_bytes(SECRET)
        (ground / "secret.log").write_bytes(SECRET)
        (ground / "secret.log").chmod(0o600)
        make_folder(ground / "user")
        yield ground
    finally:
        shutil.rmtree(ground, ignore_errors=True)
