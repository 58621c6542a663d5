"""`RESULTS.md`: one section for each benchmark, the last run of each."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

FILE = Path(__file__).parent / "RESULTS.md"


def machine() -> str:
    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.machine(),
    )
    return f"{os.cpu_count()} cores of {model}, Linux {platform.release()}, Python {platform.python_version()}"


def write_section(title: str, text: str) -> None:
    """Puts `text` in the place of the section of this title, or behind the last one."""
    document = FILE.read_text() if FILE.exists() else "# The last results\n"
    section = f"## {title}\n\n{machine()}. {text.strip()}\n"
    pattern = re.compile(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    if pattern.search(document):
        document = pattern.sub(lambda _: section + "\n", document)
    else:
        document = f"{document.rstrip()}\n\n{section}"
    FILE.write_text(document.rstrip() + "\n")
