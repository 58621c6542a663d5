"""The intake: whatever an archive says, members and losses are printable and bounded, and no byte is hidden."""

from __future__ import annotations

import io
import re
import struct
import tarfile
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from analyzer.bundle import BundleLimits, DamageError, Loss, open_bundle
from analyzer.bundle.compression import detect_compression
from analyzer.bundle.tar.header import read_number
from analyzer.errors import InputError
from tests.bundle.packing import COMPRESSORS, pack_special, pack_tar, pack_zip
from tests.fuzz.packed import change_inside, change_tar, change_zip
from tests.fuzz.target import Target, workplace

MARK = b"<@marked@>"  # of a kilobyte of content each has some, so that it is known what became of them
FILES = {"n/a.log": (MARK + b" step 1 loss 0.5\n") * 40, "n/b.bin": bytes(range(256)) * 3 + MARK, "n/empty": b""}
LIMITS = BundleLimits(
    members=500, expanded=32 << 20, holes=32 << 20, ratio_from=4 << 20, nested_memory=1 << 12, name_length=200
)


def _pack_sparse(records: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("core")
        info.size, info.pax_headers = 1024, records
        archive.addfile(info, io.BytesIO(b"1\n0\n512\n".ljust(512, b"\0") + b"x" * 512))
        archive.addfile(tarfile.TarInfo("behind"))
    return out.getvalue()


def _pack_old_sparse(slots: int) -> bytes:
    """Old GNU: a map of four slots in the header, twenty-one in each block behind it."""
    pairs = [b"%011o\0%011o\0" % (4096 * at, 512) for at in range(slots)]
    block = bytearray(512)
    block[:4], block[156:157], block[257:265] = b"core", b"S", b"ustar  \0"
    block[124:136] = b"%011o\0" % (512 * slots)
    block[386 : 386 + 24 * len(pairs[:4])] = b"".join(pairs[:4])
    block[482], block[483:495] = slots > 4, b"%011o\0" % (4096 * slots)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    further_pairs = [pairs[at : at + 21] for at in range(4, slots, 21)]
    more = b"".join(
        b"".join(some).ljust(504, b"\0") + bytes([some is not further_pairs[-1]]) + bytes(7) for some in further_pairs
    )
    return bytes(block) + more + b"y" * 512 * slots + pack_tar({"behind": b"z"})


def _pack_zip64() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, archive.open(zipfile.ZipInfo("w.log"), "w", force_zip64=True) as member:
        member.write(FILES["n/a.log"])
    data = out.getvalue()
    end, start = data.rindex(b"PK\x05\x06"), data.index(b"PK\x01\x02")
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, end - start, start)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    return (
        data[:end] + record + locator + struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 1 << 32 - 1, 1, 0)
    )


def _pack_links() -> bytes:
    infos = []
    for kind in (tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE):
        info = tarfile.TarInfo(f"n/{kind.decode()}")
        info.type, info.linkname = kind, "../../etc/passwd"
        infos.append(info)
    return pack_special(*infos) + pack_tar({"behind.log": b"behind\n"})


def _pack_timed_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, extra in {
            "unix": struct.pack("<HHBi", 0x5455, 5, 1, 1_700_000_000),
            "windows": struct.pack("<HHIHHQQQ", 10, 32, 0, 1, 24, 133_000_000_000_000_000, 0, 0),
        }.items():
            info = zipfile.ZipInfo(name)
            info.extra = extra
            archive.writestr(info, b"x")
        link = zipfile.ZipInfo("link")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, b"../../etc/passwd")
    return out.getvalue()


@cache
def seeds() -> Sequence[bytes]:
    tar = pack_tar({**FILES, "ö" * 90: b"long name"}, tarfile.PAX_FORMAT)
    nested = {"in.zip": pack_zip(FILES), "in.tgz": COMPRESSORS["gz"](tar), "w.log.1.gz": COMPRESSORS["gz"](b"x")}
    noise = b"".join(n.to_bytes(3, "big") for n in range(0, 1 << 24, 7919))
    return [
        pack_tar(FILES),
        pack_tar(FILES, tarfile.USTAR_FORMAT),
        tar,
        *(compress(tar) for compress in COMPRESSORS.values()),
        *(pack_zip(FILES, method) for method in (0, 8, 12, 14)),
        *(pack_zip(FILES, method, seekable=False) for method in (0, 8)),
        pack_tar(nested),
        pack_zip(nested),
        COMPRESSORS["gz"](pack_tar({"large.zip": pack_zip({"noise": noise})})),
        pack_tar({"a": pack_tar({"b": pack_tar({"c": pack_tar({"d": pack_tar({"e": pack_tar(FILES)})})})})}),
        _pack_sparse({"GNU.sparse.map": "0,512,4096,512", "GNU.sparse.size": "9999", "GNU.sparse.name": "core"}),
        _pack_sparse({"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9999"}),
        _pack_old_sparse(3),
        _pack_old_sparse(40),
        _pack_zip64(),
        _pack_links(),
        _pack_timed_zip(),
        pack_tar(FILES) + pack_tar({"second.log": b"of another archive\n"}),
        COMPRESSORS["gz"](FILES["n/a.log"]) + COMPRESSORS["gz"](b"a second member\n"),
        COMPRESSORS["xz"](COMPRESSORS["gz"](COMPRESSORS["zst"](COMPRESSORS["bz2"](COMPRESSORS["lz4"](b"layers\n"))))),
    ]


def check(data: bytes) -> None:
    folder = workplace()
    path = folder / "x.tar"
    path.write_bytes(data)
    try:
        good, hidden = _read(path, folder)
    except InputError:
        return
    finally:
        assert [left.name for left in folder.iterdir()] == ["x.tar"], "something was left behind"
    assert sum(map(len, good.values())) <= LIMITS.expanded + LIMITS.holes + len(data) * len(good)
    seen = sum(content.count(MARK) for content in good.values())
    # What lies open in the archive is read, or as many bytes are said to be unread as it has at the least. Inside
    # compressed data it may lie by chance alone, as codes of other bytes.
    if hidden is not None and not detect_compression(data[:16]):
        hidden += _swallowed(data)
        assert (data.count(MARK) - seen) * len(MARK) <= hidden, (
            f"{data.count(MARK)} marks, {seen} seen, {hidden} unread"
        )


def _swallowed(data: bytes) -> int:
    """Bytes that headers claim for themselves (names, extra fields, records), or that are half a header."""
    total = 512
    for match in re.finditer(rb"PK\x03\x04", data):
        at = match.start()
        lengths = struct.unpack("<HH", data[at + 26 : at + 30].ljust(4, b"\0"))
        total += 24 + (sum(lengths) if at + 30 + sum(lengths) <= len(data) else 0)
    for at in range(0, len(data) - 511, 512):
        if data[at + 257 : at + 262] == b"ustar" and data[at + 156 : at + 157] in b"LKxXg":
            with suppress(DamageError):
                total += max(0, read_number(data[at + 124 : at + 136]))
    return total


def _read(path: Path, scratch: Path) -> tuple[dict[str, bytes], int | None]:
    """(what each member gave, bytes that were said to be unread: None where nobody can tell)."""
    good: dict[str, bytes] = {}
    unread: list[int | None] = []
    names = set[str]()
    for item in open_bundle([path], LIMITS, scratch):
        assert item.path and item.path.isprintable() and item.path not in names, item.path
        names.add(item.path)
        if isinstance(item, Loss):
            assert item.reason.isprintable() and (item.size is None or item.size >= 0), item
            unread.append(item.size)
            continue
        parts: list[bytes] = []
        try:
            while block := item.stream.read(10_000):
                parts.append(block)
        except DamageError as damage:
            assert str(damage)
        good[item.path] = b"".join(parts)
        left = item.stream.bytes_left()
        assert left is None or left >= 0
        unread.append(left)
    return good, None if None in unread else sum(count or 0 for count in unread)


TARGET = Target("archives", seeds, check, (change_tar, change_zip, change_inside))
