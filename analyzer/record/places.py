"""Where a program may write: the folders of which the recorder watches the free space, one for each file system."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

MOST = 8  # file systems


def name_places(command: Sequence[str], environment: Mapping[str, str], out: Path) -> Iterator[Path]:
    """Its working folder, the record's own, the temporary folder and /dev/shm; then what its options and variables
    name, as in `--model_dir=/ckpt/run7`. Nothing is looked up here: a file server may be dead."""
    yield from (Path(), out.parent, Path(environment.get("TMPDIR", "/tmp")), Path("/dev/shm"))
    for word in (*command[1:], *environment.values()):
        value = word.rpartition("=")[2]
        if value.startswith("/") and ":" not in value:
            yield Path(value)


def file_systems(places: Iterable[Path]) -> dict[str, Path]:
    """The first folder on each file system, by its name. Those without blocks (/proc, /sys) hold no data, and a working
    folder that was removed has no name."""
    found: dict[str, Path] = {}
    seen: set[int] = set()
    for place in places:
        folder = place if os.path.isdir(place) else place.parent  # noqa: PTH112  (pathlib raises where it may not look)
        try:
            name, device = os.path.realpath(folder), os.stat(folder).st_dev  # noqa: PTH116
            if device not in seen and os.statvfs(folder).f_blocks:
                seen.add(device)
                found[name] = folder
        except OSError:
            continue
        if len(found) >= MOST:
            break
    return found
