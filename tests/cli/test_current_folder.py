"""The current folder may be an unpacked incident: no module in it is imported, whatever it is called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.replay.interpreters import check_interpreter

ROOT = Path(__file__).parents[2]
SCRIPT = "from analyzer.__main__ import main; main()"  # what an installed tf-postmortem is
MODULES = """
    typer yaml regex rich pandas numpy zstandard lz4 jinja2 psutil hyperscan click markdown_it theirs sitecustomize
    multiprocessing random secrets tempfile json csv lzma bz2 tomllib pickle hashlib
""".split()  # noqa: SIM905


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An incident that brings modules under names that a program imports, and a package with an entry point."""
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(
            "import os\nos.mkdir(os.path.join(os.path.dirname(__file__), 'imported'))\n"
        )
    info = tmp_path / "theirs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: theirs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[tf_postmortem.rules]\ntheirs = theirs:give\n")
    for node in ("n1", "n2"):
        (tmp_path / node).mkdir()
        (tmp_path / node / "w.log").write_text(
            ("2026-03-01 10:00:00.000001: E tensorflow/a.cc:1] " + "boom " * 200 + "\n") * 10_000
        )
    return tmp_path


def install(folder: Path, code: str) -> str:
    """A script that lies elsewhere."""
    script = folder.parent / f"{folder.name}-bin" / "tf-postmortem"
    script.parent.mkdir()
    script.write_text(code)
    return str(script)


def run(folder: Path, *command: str, **changes: str) -> None:
    result = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache"), **changes},
        capture_output=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr.decode()
    assert not [*folder.rglob("imported")]


@pytest.mark.parametrize("path", ["", os.pathsep, ".", f".{os.pathsep}"])
def test_the_installed_program_imports_nothing_from_here(path: str, folder: Path) -> None:
    (folder / "sitecustomize.py").unlink()  # which Python itself imports wherever PYTHONPATH leads
    pythonpath = f"{path}{os.pathsep}{ROOT}" if path else str(ROOT)
    run(folder, install(folder, SCRIPT), "analyze", "n1", "n2", "-q", "--jobs", "2", PYTHONPATH=pythonpath)


def test_what_runs_with_m_imports_nothing_after_its_start(folder: Path) -> None:
    """What Python imports to find `analyzer` comes before, and is documented."""
    run(folder, "-m", "analyzer", "analyze", "n1", "-q", PYTHONPATH=str(ROOT))


WITH_THREADS = """\
import sys, threading
from pathlib import Path
from analyzer.pipeline import Options, analyze
if __name__ == "__main__":
    threading.Thread(target=threading.Event().wait, daemon=True).start()
    analyze([Path("n1"), Path("n2")], Options(jobs=2))
"""


def test_readers_that_are_started_anew_import_nothing_from_here(folder: Path) -> None:
    run(folder, install(folder, WITH_THREADS), PYTHONPATH=str(ROOT))


def test_the_interpreter_of_a_replay_is_asked_without_modules_from_here(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "tensorflow.py").write_text("")
    for name in ("importlib", "email", "csv", "zipfile"):
        (folder / f"{name}.py").write_text("import os\nos.mkdir('imported')\n")
    with pytest.raises(Exception, match="has no TensorFlow"):
        check_interpreter(sys.executable)
    assert not (folder / "imported").exists()
