"""GPU cores of CUDA, put together after the layouts of NVIDIA's cudacoredump.h, for what no real one has."""

from __future__ import annotations

import struct

LOUSER = 0x80000000
Section = tuple[str, int, int, int, int, bytes]  # name, type, link, info, entsize, content


def synthetic_cubin(symbols: dict[str, tuple[int, int]]) -> bytes:
    """An ELF image with a symbol table: {name: (address, size)}."""
    strings, table = b"\0", bytes(24)
    for name, (address, size) in symbols.items():
        table += struct.pack("<IBBHQQ", len(strings), 0x12, 0, 1, address, size)
        strings += name.encode() + b"\0"
    start = min(address for address, _ in symbols.values())
    text = (".text.loaded", 1, 0, 0, 0, bytes(max(address + size for address, size in symbols.values()) - start))
    sections: list[Section] = [(".strtab", 3, 0, 0, 0, strings), (".symtab", 2, 1, 0, 24, table), text]
    return synthetic_elf(sections, kind=2, text_address=start)


def synthetic_elf(sections: list[Section], kind: int = 4, extended: bool = False, text_address: int = 0) -> bytes:
    """Sections behind the header, then the table of sections, as drivers write it."""
    names, body, rows = b"\0", bytearray(), []
    for name, *_, content in sections:
        rows.append((len(names), 64 + len(body), len(content)))
        names += name.encode() + b"\0"
        body += content
    label = len(names)
    names += b".shstrtab\0"
    count = len(sections) + 2
    table = bytearray(struct.pack("<II4QIIQQ", 0, 0, 0, 0, 0, count if extended else 0, 0, 0, 0, 0))
    for (at, offset, size), (_, type_, link, info, entry, _) in zip(rows, sections, strict=True):
        address = text_address if type_ == 1 else 0
        table += struct.pack("<II4QIIQQ", at, type_, 0, address, offset, size, link, info, 1, entry)
    table += struct.pack("<II4QIIQQ", label, 3, 0, 0, 64 + len(body), len(names), 0, 0, 1, 0)
    body += names
    ident = b"\x7fELF\x02\x01\x01\x33\x07" + bytes(7)
    shown = 0 if extended else count
    header = ident + struct.pack(
        "<HHIQQQIHHHHHH", kind, 190, 1, 0, 0, 64 + len(body), 0, 64, 56, 0, 64, shown, count - 1
    )
    return header + bytes(body) + bytes(table)


def synthetic_gpu_core(grown: int = 0, extended: bool = False, lane_size: int = 48) -> bytes:
    """Two SMs of one device: on SM 3, warp 7 of block (5, 0, 0), lanes 2 and 4 read where they may not; SM 4 is well.

    `grown`: bytes that a later driver appended to every row.
    """
    strings = b"\0NVIDIA Test GPU\0GX100\0sm_90\0"
    device = struct.pack("<3Q12I", 1, 17, 23, 0, 0x1B, 0, 2, 64, 32, 255, 7, 9, 0, 16, 0)
    grid = struct.pack("<7Q12I", 77, 1, 2, 0x7000, 3, 0, 0, 1, 1, 1, 32, 10, 1, 1, 256, 1, 1, 0, 4242)
    sms = [struct.pack("<IIIIQ", 3, 0, 14, 1, 0x7040), struct.pack("<IIIIQ", 4, 0, 0, 0, 0)]
    block = struct.pack("<Q4I", 77, 5, 0, 0, 0)
    warp = struct.pack("<Q6I", 0x7040, 7, 0xFFFFFFFF, 0xFFFFFFFF, 0, 1, 0)
    lanes = [struct.pack("<2Q8I", 0x7050, 0, n, n, 0, 0, 14 if n in (2, 4) else 0, 0, 0, 0) for n in range(6)]
    more = bytes(grown)

    def table(*rows: bytes) -> tuple[int, bytes]:
        return len(rows[0]) + grown, b"".join(row + more for row in rows)

    sections: list[Section] = [
        (".strtab", 3, 0, 0, 0, strings),
        (".cudbg.devtbl", LOUSER + 9, 0, 0, *table(device)),
        (".cudbg.gridtbl.dev0", LOUSER + 12, 2, 0, *table(grid)),
        (".cudbg.smtbl.dev0", LOUSER + 11, 2, 0, *table(*sms)),
        (".cudbg.ctatbl.dev0.sm0", LOUSER + 13, 4, 0, *table(block)),
        (".cudbg.wptbl.dev0.sm0.cta0", LOUSER + 14, 5, 0, *table(warp)),
        (".cudbg.lntbl.dev0.sm0.cta0.wp0", LOUSER + 15, 6, 0, *table(*(lane[:lane_size] for lane in lanes))),
        (".cudbg.relfimg.dev0.ctx0", LOUSER + 7, 0, 0, 0, synthetic_cubin({"_Z11scatter_addPfi": (0x7000, 0x200)})),
    ]
    return synthetic_elf(sections, extended=extended)
