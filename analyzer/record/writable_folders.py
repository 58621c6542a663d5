"""Choose the folders whose free space the recorder watches: where the program may write, one for each file system."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

MAX_FILE_SYSTEMS = 8  # file systems


def list_writable_folders(command: Sequence[str], environment: Mapping[str, str], out: Path) -> Iterator[Path]:
    """Yield its working folder, the record's folder, the temporary folder and /dev/shm, then folders that its options
    and variables name, as in `--model_dir=/ckpt/run7`.

    Nothing is looked up here, because a file server may be dead.
    """
    yield from (Path(), out.parent, Path(environment.get("TMPDIR", "/tmp")), Path("/dev/shm"))
    for word in (*command[1:], *environment.values()):
        value = word.rpartition("=")[2]
        if value.startswith("/") and ":" not in value:
            yield Path(value)


def one_folder_per_file_system(candidates: Iterable[Path]) -> dict[str, Path]:
    """Return the first folder on each file system, by its name.

    File systems without blocks (/proc, /sys) hold no data, and a working folder that was removed has no name.
    """
    folders: dict[str, Path] = {}
    seen_devices: set[int] = set()
    for candidate in candidates:
        folder = candidate if os.path.isdir(candidate) else candidate.parent  # noqa: PTH112  (pathlib raises where it may not look)
        try:
            name, device = os.path.realpath(folder), os.stat(folder).st_dev  # noqa: PTH116
            if device not in seen_devices and os.statvfs(folder).f_blocks:
                seen_devices.add(device)
                folders[name] = folder
        except OSError:
            continue
        if len(folders) >= MAX_FILE_SYSTEMS:
            break
    return folders
