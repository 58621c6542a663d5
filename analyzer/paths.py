"""Where the program keeps what may be lost: compiled patterns."""

from __future__ import annotations

import os
from pathlib import Path


def cache_dir() -> Path | None:
    """`$XDG_CACHE_HOME/tf-postmortem`, else `~/.cache/tf-postmortem`; None where there is no home."""
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(base) / "tf-postmortem" if base else Path.home() / ".cache" / "tf-postmortem"
    except RuntimeError:
        return None
