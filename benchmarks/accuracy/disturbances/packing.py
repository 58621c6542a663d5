"""Bundles that come as archives: cut by an upload that broke, or packed per node."""

from __future__ import annotations

import io
import random
import zipfile

from accuracy.collectors import Files
from accuracy.disturbances import Case, Disturbance
from accuracy.disturbances._files import pack_tar

KEPT_SHARE = (0.6, 0.9)


def cut_archive(files: Files, case: Case, chance: random.Random) -> Files:
    """One .tar.gz without its last 10 to 40 %. Its folders and their files come in no order, as in a file system."""
    ranks = {path.rpartition("/")[0]: chance.random() for path in sorted(files)}
    order = sorted(chance.sample(sorted(files), len(files)), key=lambda path: ranks[path.rpartition("/")[0]])
    packed = pack_tar({path: files[path] for path in order}, "logs")
    return {"logs.tar.gz": packed[: int(len(packed) * chance.uniform(*KEPT_SHARE))]}


def nest_archives(files: Files, case: Case, chance: random.Random) -> Files:
    """A .tar.gz for each folder; where there is none, one of all within a .zip."""
    folders: dict[str, dict[str, bytes]] = {}
    top: dict[str, bytes] = {}
    for path, content in files.items():
        folder, slash, inner_path = path.partition("/")
        if slash:
            folders.setdefault(folder, {})[inner_path] = content
        else:
            top[path] = content
    if folders:
        return {**top, **{f"{folder}.tar.gz": pack_tar(inner, folder) for folder, inner in folders.items()}}
    return {"upload.zip": _zip({"logs.tar.gz": pack_tar(files, "logs")})}


def _zip(files: Files) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path, (2025, 10, 9, 8, 53, 20)), content)
    return packed.getvalue()


DISTURBANCES = (
    Disturbance("cut-archive", "packing", spoil=cut_archive),
    Disturbance("nested-archives", "packing", spoil=nest_archives),
)
