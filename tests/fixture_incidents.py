"""The fixtures, each analyzed once in a test process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from analyzer.incident import Incident
from analyzer.pipeline import analyze

FIXTURES = Path(__file__).parents[1] / "fixtures"
BUNDLES = sorted(FIXTURES.glob("*/bundle.tar.gz"))


def bundle_of(name: str) -> Path:
    """The archive of the fixture called `name`."""
    return FIXTURES / name / "bundle.tar.gz"


@cache
def incident_of(bundle: Path) -> Incident:
    """The answer of the analysis in this process, with the built-in rules alone. Do not change it: tests share it."""
    return analyze([bundle])


def analyze_files(folder: Path, files: dict[str, str]) -> Incident:
    """The answer on files (path in `folder` → text) that a test wrote."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return analyze([folder])
