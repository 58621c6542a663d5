"""The same lines in other files: copies of files, and logs that were rotated."""

from __future__ import annotations

import gzip
import random
from pathlib import PurePosixPath

from accuracy.collectors import Files
from accuracy.disturbances import Case, Disturbance
from accuracy.disturbances._files import find_free, is_log, is_text

FEWEST_LINES = 9


def copy_files(files: Files, case: Case, chance: random.Random) -> Files:
    """Some files come twice, as file managers and careful people name copies."""
    texts = sorted(path for path, content in files.items() if is_text(path, content))
    copied = dict(files)
    for path in chance.sample(texts, min(len(texts), max(1, len(texts) // 2))):
        name = PurePosixPath(path)
        new = chance.choice(
            [
                str(name.with_name(f"{name.stem} (1){name.suffix}")),
                str(name.with_name(f"{name.stem} - Copy{name.suffix}")),
                f"{path}.bak",
                f"backup/{path}",
                str(name.with_name(f"copy_of_{name.name}")),
            ]
        )
        copied[find_free(copied, new)] = files[path]
    return copied


def rotate_logs(files: Files, case: Case, chance: random.Random) -> Files:
    """NAME, NAME.1, NAME.2.gz, as logrotate does with `delaycompress` (https://man.archlinux.org/man/logrotate.8)."""
    rotated: dict[str, bytes] = {}
    for path, content in files.items():
        lines = content.split(b"\n") if is_log(path, content) else []
        if len(lines) < FEWEST_LINES:
            rotated[path] = content
            continue
        first, second = sorted(chance.sample(range(1, len(lines) - 1), 2))
        rotated[path] = b"\n".join(lines[second:])
        rotated[f"{path}.1"] = b"\n".join(lines[first:second]) + b"\n"
        rotated[f"{path}.2.gz"] = gzip.compress(b"\n".join(lines[:first]) + b"\n", mtime=0)
    return rotated


DISTURBANCES = (
    Disturbance("duplicates", "copies", spoil=copy_files),
    Disturbance("rotated", "copies", spoil=rotate_logs),
)
