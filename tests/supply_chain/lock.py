"""Reads a lock file as pip does: a version and its hashes each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(?:\s*;\s*(.*?))?(?=\s*--hash|$)")


@dataclass(frozen=True, slots=True)
class Pin:
    name: str
    version: str
    hashes: tuple[str, ...]
    marker: str  # where it is wanted; empty: everywhere


def read_lock(path: Path) -> Iterator[Pin]:
    """Raises ValueError for a line that pins nothing."""
    text = path.read_text().replace("\\\n", " ")
    for line in filter(None, (line.partition("#")[0].strip() for line in text.splitlines())):
        match = _PIN.match(line)
        if match is None:
            raise ValueError(f"{path.name}: {line[:80]}: no pinned version")
        yield Pin(match[1], match[2], tuple(re.findall(r"--hash=sha256:([0-9a-f]{64})\b", line)), match[3] or "")
