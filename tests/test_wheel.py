"""The wheel holds everything that it needs: installed elsewhere it analyzes a bundle from another folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="building a wheel needs the dev extra")
    from hatchling.build import build_wheel

    source, out = tmp_path_factory.mktemp("source") / "checkout", tmp_path_factory.mktemp("wheel")
    kept = ["pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"]
    for name in ("analyzer", "tf_postmortem", "rules", "templates"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in kept:
        shutil.copy(ROOT / name, source)
    back = Path.cwd()
    os.chdir(source)
    try:
        return out / build_wheel(str(out))
    finally:
        os.chdir(back)


def test_an_installed_wheel_analyzes_a_bundle_from_another_folder(wheel: Path, tmp_path: Path) -> None:
    site, here = tmp_path / "site", tmp_path / "here"
    here.mkdir()
    with zipfile.ZipFile(wheel) as archive:  # what an installer does with a pure wheel
        archive.extractall(site)
    # The dependencies are those of this environment; its .pth files are not read, for one leads to the checkout.
    libraries = [entry for entry in sys.path if "site-packages" in entry]
    program = (
        f"import sys; sys.path[:0] = {[str(site)]!r}; sys.path += {libraries!r}; import runpy; "
        "runpy.run_module('analyzer', run_name='__main__')"
    )
    bundle = ROOT / "fixtures" / "killed-worker" / "bundle.tar.gz"
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, "analyze", str(bundle), "--json", "-", "-o", "report.html"],
        cwd=here,
        capture_output=True,
        timeout=120,
        env={"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": os.environ["PATH"]},
    )
    assert result.returncode == 0, result.stderr.decode()
    incident = json.loads(result.stdout)
    assert incident["verdict"] == "diagnosed"
    assert (
        len(incident["tool"]["rule_packs"]) == len(list((ROOT / "rules").glob("*.yaml"))) - 1
    )  # causes.yaml is no pack
    assert "<html" in (here / "report.html").read_text()
    assert [path.name for path in here.iterdir()] == ["report.html"]
    probe = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            program.replace("import runpy", "import analyzer; print(analyzer.__file__); sys.exit()"),
        ],
        cwd=here,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert probe.stdout.startswith(str(site))


def test_the_wheel_holds_no_tests_and_no_fixtures(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"analyzer", "tf_postmortem"}
    assert any(name.endswith("entry_points.txt") for name in names)
    assert {"analyzer/py.typed", "tf_postmortem/py.typed"} <= set(names)  # its users' mypy reads the types
    assert any(name == "analyzer/_data/rules/causes.yaml" for name in names)
    assert any(name.startswith("analyzer/_data/templates/report/") for name in names)
