"""The files of a bundle as disturbances see them."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

PACKED = (".gz", ".tgz", ".zip", ".xz", ".bz2", ".zst", ".tar")
# JSON over several lines, XML, and journald's export format.
_DOCUMENT = re.compile(rb"\s*(?:\[\s*[\[{\"\]]|\{(?:[^\n]*[^}\n\r])?\r?\n|<[?!a-z]|__CURSOR=)")


def is_text(path: str, content: bytes) -> bool:
    return bool(content) and not path.endswith(PACKED) and b"\0" not in content[:65_536]


def is_log(path: str, content: bytes) -> bool:
    """A text whose lines stand for themselves, so that it can be parted between any two."""
    kind = PurePosixPath(path).suffix.lower() in ("", ".log", ".out", ".err", ".stdout", ".stderr")
    return kind and is_text(path, content) and not _DOCUMENT.match(content)


def rename(files: Mapping[str, bytes], names: Iterable[tuple[str, str]]) -> dict[str, bytes]:
    """`names`: (old, new). Two files that would have the same name keep apart by a number, as file managers do it."""
    renamed: dict[str, bytes] = {}
    for old, new in names:
        renamed[find_free(renamed, new)] = files[old]
    return renamed


def find_free(taken: Iterable[str], name: str) -> str:
    """`name`, or `name (1)` where that is taken."""
    used, path, number = set(taken), PurePosixPath(name), 0
    while name in used:
        number += 1
        name = str(path.with_name(f"{path.stem} ({number}){path.suffix}"))
    return name


def pack_tar(files: Mapping[str, bytes], folder: str = "") -> bytes:
    """A .tar.gz; the same bytes for the same files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, content in files.items():
            member = tarfile.TarInfo(f"{folder}/{path}" if folder else path)
            member.size, member.mtime, member.mode = len(content), 1_760_000_000, 0o644
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), 6, mtime=0)
