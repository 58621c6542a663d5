"""Where the program keeps what may be lost: checked packs and compiled patterns."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def cache_dir() -> Path | None:
    """`$XDG_CACHE_HOME/tf-postmortem`, else `~/.cache/tf-postmortem`; None where there is no home."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    try:
        folder = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    except RuntimeError:
        return None
    return folder / "tf-postmortem" if folder.is_absolute() else None


def keep(path: Path, data: bytes) -> None:
    """Writes a file of the cache, whole or not at all; where the home cannot be written the next start is slower."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = path.with_suffix(f".{os.getpid()}")
        beside.write_bytes(hashlib.sha256(data).digest() + data)
        beside.chmod(0o600)
        beside.replace(path)
    except OSError:
        pass


def recall(path: Path) -> bytes | None:
    """What `keep` wrote; None if absent, damaged, or perhaps somebody else's: such data is trusted as code is."""
    try:
        with path.open("rb") as file:
            for status in (os.fstat(file.fileno()), path.parent.stat()):
                if status.st_uid != os.getuid() or status.st_mode & 0o022:
                    return None
            said, data = file.read(32), file.read()
    except OSError:
        return None
    return data if hashlib.sha256(data).digest() == said else None
