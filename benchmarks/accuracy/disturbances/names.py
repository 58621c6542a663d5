"""Files under other names than those that their platform gave them."""

from __future__ import annotations

import os
import random
from pathlib import PurePosixPath

from accuracy.collectors import Files
from accuracy.disturbances import Case, Disturbance
from accuracy.disturbances._files import is_text, rename

# Latin-1, code page 1251, Shift JIS and EUC-KR: as archives of Windows and old Unix hosts hold them.
FOREIGN = (b"Kn\xf6ten", b"\xf3\xe7\xe5\xeb", b"\x83\x8d\x83O", b"\xb7\xce\xb1\xd7", b"Pr\xe9nom", b"\xc4\xd6\xdc")
SUFFIXES = frozenset((".log", ".out", ".err", ".json", ".jsonl", ".ndjson", ".csv", ".yaml", ".yml", ".xml"))


def name_txt(files: Files, case: Case, chance: random.Random) -> Files:
    """Every text ends in `.txt`, in the place of its suffix or behind it: portals for uploads take nothing else."""
    replaces = chance.random() < 0.5

    def name(path: str) -> str:
        if not is_text(path, files[path]) or path.endswith(".txt"):
            return path
        has_suffix = PurePosixPath(path).suffix in SUFFIXES
        return str(PurePosixPath(path).with_suffix(".txt")) if replaces and has_suffix else f"{path}.txt"

    return rename(files, [(path, name(path)) for path in files])


def name_foreign(files: Files, case: Case, chance: random.Random) -> Files:
    """Some files and folders have names that are no UTF-8; paths hold such bytes as `os.fsdecode` does."""
    texts = [path for path, content in files.items() if is_text(path, content)]
    chosen = set(chance.sample(texts, max(1, len(texts) // 2))) if texts else set()

    def name(path: str) -> str:
        if path not in chosen:
            return path
        old, word = PurePosixPath(path), os.fsdecode(chance.choice(FOREIGN))
        return str(old.with_name(f"{old.stem}_{word}{old.suffix}"))

    return rename(files, [(path, name(path)) for path in files])


DISTURBANCES = (
    Disturbance("named-txt", "names", spoil=name_txt),
    Disturbance("foreign-names", "names", spoil=name_foreign),
)
