"""Archives that are known by their first bytes and not read: better said by name than called a binary file."""

from __future__ import annotations

from collections.abc import Mapping

# Magic numbers as file(1) has them.
_MAGIC: Mapping[bytes, str] = {
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "RAR",
    b"LZIP": "lzip",
    b"\x1f\x9d": "compress",
    b"\x89LZO\0\r\n\x1a\n": "lzop",
    b"\xff\x06\0\0sNaPpY": "Snappy",
    b"]\0\0": "LZMA (before xz)",
    b"MSCF": "cabinet",
    b"hsqs": "SquashFS",
}


def name_foreign(head: bytes) -> str | None:
    """A sentence on what a file is that begins with `head`; None for what no archive begins with."""
    kind = next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)
    return kind and f"{kind} data, which is not read here: unpack it, or pack it as tar or zip, gz, bz2, xz, zst or lz4"
