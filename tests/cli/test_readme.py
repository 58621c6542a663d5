"""The README names every command, and only commands that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


def test_the_list_of_commands_is_complete() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "analyzer", "--help"], capture_output=True, text=True, check=True
    ).stdout
    exist = set(re.findall(r"^[│|]\s+([a-z]+)\s{2,}", told, re.M)) - {"help"}
    assert "analyze" in exist
    assert set(re.findall(r"^\| `([a-z]+)", README, re.M)) == exist
