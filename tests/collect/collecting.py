"""Running the real collector, and looking into what it made."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-m", "analyzer"]


def run(*words: str | Path, env: dict[str, str] | None = None, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *map(str, words)],
        cwd=more.pop("cwd", ROOT),
        env=None if env is None else {**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=120,
        **more,
    )


def files_of(archive: Path) -> dict[str, bytes]:
    """Names below the node's folder, in the order of the archive."""
    raw = archive.read_bytes()
    if raw[:4] == b"\x28\xb5\x2f\xfd":
        import zstandard

        raw = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(raw)).read()
    with tarfile.open(fileobj=io.BytesIO(raw)) as tar:
        return {
            member.name.partition("/")[2]: file.read()
            for member in tar.getmembers()
            if (file := tar.extractfile(member)) is not None
        }


def manifest_of(archive: Path) -> dict[str, Any]:
    return json.loads(files_of(archive)["manifest.json"])  # type: ignore[no-any-return]


def psutil_home(folder: Path) -> Path:
    """A folder that holds psutil alone: its wheels are for every Python from 3.6 on (abi3)."""
    home = folder / "psutil-only"
    if not home.exists():
        shutil.copytree(Path(psutil.__file__).parent, home / "psutil", ignore=shutil.ignore_patterns("__pycache__"))
    return home


def other_pythons() -> Iterator[str]:
    """Interpreters of the other versions that the collector promises to run on."""
    own = sys.version_info[:2]
    for minor in (9, 10, 12, 13, 14):
        if own == (3, minor):
            continue
        managed = sorted((Path(os.environ["PYENV_ROOT"]) / "versions").glob(f"3.{minor}.*/bin/python"))
        pythons = [str(path) for path in managed] or [shutil.which(f"python3.{minor}") or ""]
        for python in pythons[:1]:
            if python and subprocess.run([python, "-c", ""], capture_output=True).returncode == 0:
                yield python


def analyze(*inputs: Path) -> dict[str, Any]:
    from analyzer.pipeline import analyze as run_analysis
    from analyzer.report.json import to_json

    return to_json(run_analysis(list(inputs)))
