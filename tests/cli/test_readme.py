"""The manual names every command, and only commands that exist; the README shows what a user would get."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from analyzer.bundle.own_outputs import is_own_output

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
MANUAL = (ROOT / "docs" / "command-line.md").read_text("utf-8")


def test_the_list_of_commands_is_complete() -> None:
    help_text = subprocess.run(
        [sys.executable, "-m", "analyzer", "--help"], capture_output=True, text=True, check=True
    ).stdout
    exist = set(re.findall(r"^[│| ]\s+([a-z]+)\s{2,}", help_text, re.M)) - {"help"}
    assert "analyze" in exist
    assert set(re.findall(r"^\| `([a-z]+)", MANUAL, re.M)) == exist


def test_the_readme_shows_the_gallery_and_each_report_is_small_and_whole() -> None:
    reports = sorted((ROOT / "docs" / "examples").glob("*.html"))
    assert len(reports) == 5
    for report in reports:
        assert f"docs/examples/{report.name}" in README
        assert report.stat().st_size < 400_000
        assert is_own_output(report) and report.read_text("utf-8").rstrip().endswith("</html>")
        for scheme in ("light", "dark"):
            assert report.with_name(f"{report.stem}-{scheme}.png").read_bytes().startswith(b"\x89PNG")
    assert README.count("<picture>") == 2 and len(README) < 7_000
