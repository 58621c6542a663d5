"""Write a small ELF library: functions that take the addresses of string literals, as compiled code does."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from itertools import accumulate

_TEXT, _RODATA, _FRAMES = 0x1000, 0x2000, 0x3000  # addresses; the offsets in the file are the same
_NAMES = (b"", b".text", b".rodata", b".eh_frame_hdr", b".shstrtab")
X86_64, AARCH64 = 62, 183


def write_library(functions: Mapping[str, Sequence[str]], machine: int = X86_64) -> bytes:
    """Return an ELF whose functions use these literals. The names of the functions are for the reader only."""
    literals = list(dict.fromkeys(text for texts in functions.values() for text in texts))
    encoded = [text.encode() + b"\0" for text in literals]
    places = dict(zip(literals, accumulate(map(len, encoded), initial=_RODATA), strict=False))
    code, starts = b"", []
    for texts in functions.values():
        starts.append(_TEXT + len(code))
        for text in texts:
            end = _TEXT + len(code) + 7
            code += b"\x48\x8d\x3d" + struct.pack("<i", places[text] - end)  # lea text(%rip), %rdi
        code += b"\xc3"
    table = b"".join(struct.pack("<ii", start - _FRAMES, 0) for start in starts)
    frames = b"\x01\x1b\x03\x3b" + struct.pack("<iI", 0, len(starts)) + table
    return _write_elf((code, b"".join(encoded), frames), machine)


def _write_elf(contents: Sequence[bytes], machine: int) -> bytes:
    names = b"\0".join(_NAMES) + b"\0"
    addresses = (_TEXT, _RODATA, _FRAMES)
    image = bytearray(_FRAMES) + bytearray(contents[2])
    for address, content in zip(addresses, contents, strict=True):
        image[address : address + len(content)] = content
    names_offset = len(image)
    image += names
    headers = struct.pack("<IIQQQQIIQQ", *[0] * 10)
    rows = [*zip(addresses, map(len, contents), strict=True), (names_offset, len(names))]
    for index, (address, size) in enumerate(rows, start=1):
        kind = 3 if index == len(rows) else 1  # SHT_STRTAB, SHT_PROGBITS
        place = 0 if index == len(rows) else address
        headers += struct.pack("<IIQQQQIIQQ", names.index(_NAMES[index]), kind, 2, place, address, size, 0, 0, 1, 0)
    image[:64] = (
        b"\x7fELF\x02\x01\x01"
        + bytes(9)
        + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 0, len(image), 0, 64, 0, 0, 64, len(_NAMES), len(_NAMES) - 1)
    )
    return bytes(image) + headers
