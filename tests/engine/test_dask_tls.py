"""The cluster that docs/scale.md makes with certificates reads as one process does, and talks to nobody without one."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_dask_cluster import ENVIRONMENT, ROOT, started

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="Dask is not installed"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl, to make certificates"),
]
PREFIX = "DASK_DISTRIBUTED__COMM__"


def documented() -> tuple[str, str]:
    """The commands that make certificates, and those that tell Dask of them."""
    text = (ROOT / "docs" / "scale.md").read_text().partition("### Whom you trust")[2].partition("\n### ")[0]
    making, configuring = re.findall(r"```sh\n(.*?)```", text, re.S)
    return making, configuring


def make(folder: Path) -> dict[str, str]:
    """Certificates of an authority of their own, and the environment that names them."""
    folder.mkdir()
    script = "\n".join((*documented(), "env"))
    result = subprocess.run(["sh", "-ec", script], cwd=folder, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert {path.stat().st_mode & 0o077 for path in (folder / "tls").iterdir()} == {0}
    return dict(line.split("=", 1) for line in result.stdout.splitlines() if line.startswith(PREFIX))


@pytest.fixture(scope="module")
def security(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return make(tmp_path_factory.mktemp("own") / "cluster")


@pytest.fixture(scope="module")
def address(security: dict[str, str]) -> Iterator[str]:
    asked = ("--protocol", "tls", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    with started("dask_scheduler", *asked, **security) as scheduler:
        assert scheduler.stderr
        address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at:" in line)
        asked = (address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        with started("dask_worker", *asked, **security):
            yield address


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    for node in ("n0", "n1"):
        (tmp_path / "bundle" / node).mkdir(parents=True)
        (tmp_path / "bundle" / node / "a.log").write_text("2026-01-01 00:00:00.000000: E tensorflow/core/a.cc:1] no\n")
    return tmp_path / "bundle"


def analyze(bundle: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "analyzer", "analyze", str(bundle), "-q", "--json", "-", *words]
    clean = {name: value for name, value in ENVIRONMENT.items() if not name.startswith(PREFIX)}
    return subprocess.run(command, capture_output=True, timeout=300, cwd=ROOT, env={**clean, **environment})


def test_with_certificates_the_answer_is_the_same(bundle: Path, address: str, security: dict[str, str]) -> None:
    assert address.startswith("tls://")
    on_cluster = analyze(bundle, "--engine", "dask", "--scheduler", address, **security)
    assert on_cluster.returncode == 0, on_cluster.stderr.decode()
    assert on_cluster.stdout == analyze(bundle).stdout


def test_whoever_lacks_a_certificate_is_refused(
    bundle: Path, address: str, security: dict[str, str], tmp_path: Path
) -> None:
    plain = address.replace("tls://", "tcp://")
    half = {name: value for name, value in security.items() if "__CLIENT__" not in name}
    strange = make(tmp_path / "stranger")
    tried = [(address, {}), (address, half), (address, strange), (plain, {}), (plain, security)]
    for where, environment in tried:
        refused = analyze(bundle, "--engine", "dask", "--scheduler", where, **environment)
        assert refused.returncode == 1, where
        assert b"no Dask scheduler answers at" in refused.stderr and b"Traceback" not in refused.stderr
        assert (b"and the certificates" in refused.stderr) == where.startswith("tls")


def test_a_scheduler_that_others_made_gets_nothing(bundle: Path, security: dict[str, str], tmp_path: Path) -> None:
    """The client checks it before anything is sent: what is sent are pickles."""
    strange = make(tmp_path / "stranger")
    asked = ("--protocol", "tls", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    with started("dask_scheduler", *asked, **strange) as scheduler:
        assert scheduler.stderr
        address = next(line.split()[-1] for line in scheduler.stderr if "Scheduler at:" in line)
        refused = analyze(bundle, "--engine", "dask", "--scheduler", address, **security)
    assert refused.returncode == 1 and b"and the certificates" in refused.stderr and b"Traceback" not in refused.stderr
    assert not refused.stdout
