"""The intake: whatever an archive says, members and losses are printable, distinct and bounded."""

from __future__ import annotations

import io
import tarfile
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from analyzer.bundle import Limits
from analyzer.errors import InputError
from tests.bundle.packing import COMPRESSORS, pack_tar, pack_zip, read_all, write
from tests.fuzz.target import Target

FILES = {"n/a.log": b"step 1 loss 0.5\n" * 40, "n/b.bin": bytes(range(256)) * 3, "n/empty": b""}
LIMITS = Limits(members=500, expanded=32 << 20, holes=32 << 20, ratio_from=4 << 20, nested_memory=1 << 20)


def _pack_sparse(records: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("core")
        info.size, info.pax_headers = 1024, records
        archive.addfile(info, io.BytesIO(b"1\n0\n512\n".ljust(512, b"\0") + b"x" * 512))
        archive.addfile(tarfile.TarInfo("behind"))
    return out.getvalue()


@cache
def seeds() -> Sequence[bytes]:
    tar = pack_tar({**FILES, "ö" * 120: b"long name"}, tarfile.PAX_FORMAT)
    return [
        pack_tar(FILES),
        tar,
        *(compress(tar) for compress in COMPRESSORS.values()),
        *(pack_zip(FILES, method) for method in (0, 8, 12, 14)),
        pack_zip(FILES, seekable=False),
        pack_tar({"in.zip": pack_zip(FILES), "in.tgz": COMPRESSORS["gz"](tar), "w.log.1.gz": COMPRESSORS["gz"](b"x")}),
        _pack_sparse({"GNU.sparse.map": "0,512,4096,512", "GNU.sparse.size": "9999", "GNU.sparse.name": "core"}),
        _pack_sparse({"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9999"}),
    ]


def check(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "x.tar", data)
        try:
            good, losses, broken = read_all(path, LIMITS, Path(folder))
        except InputError:
            return
    assert all(name.isprintable() for name in (*good, *losses))
    assert all(loss.reason for loss in losses.values()) and all(broken.values())
    assert sum(map(len, good.values())) <= LIMITS.expanded + LIMITS.holes + len(data) * len(good)


TARGET = Target("archives", seeds, check)
