"""Cores and the binaries beside them: always an answer, and soon."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from analyzer.cores import describe_core, extract, list_needs, read_core
from tests.cores.made_cores import make_core, make_note, make_prpsinfo, make_prstatus, make_siginfo
from tests.fuzz.target import Target, workplace

REGISTERS = {"x86_64": 27, "aarch64": 34, "i386": 17, "ppc64": 48, "s390x": 27}


def _notes(machine: str) -> bytes:
    bits, order = (32 if machine == "i386" else 64), (">" if machine in ("ppc64", "s390x") else "<")
    word = 8 if bits == 64 else 4
    auxv = b"".join(number.to_bytes(word, "little") for number in (3, 0x400040, 5, 9, 9, 0x400100, 0, 0))
    files = b"".join(number.to_bytes(word, "little") for number in (1, 4096, 0x400000, 0x401000, 0)) + b"/bin/crash\0"
    return b"".join(
        (
            make_note(order, 1, make_prstatus(bits, order, 7, 11, range(0x400000, 0x400000 + REGISTERS[machine]))),
            make_note(order, 3, make_prpsinfo(bits, order, bits == 32, 7, b"python3", b"python3 train.py")),
            make_note(order, 0x53494749, make_siginfo(bits, order, 11, 1, 0xDEAD)),
            make_note(order, 6, auxv),
            make_note(order, 0x46494C45, files),
            make_note(order, 1, make_prstatus(bits, order, 8, 0, range(REGISTERS[machine]))),
        )
    )


@cache
def seeds() -> Sequence[bytes]:
    stack = b"".join((0x400000 + 8 * n).to_bytes(8, "little") for n in range(200))
    said = b"F0000 00:00:00.000000 7 a.cc:1] Check failed: x == y\n\0" + bytes(200)
    return [
        make_core(machine, _notes(machine), [(0x400000, 5, stack, 4096), (0x7FF000000000 % (1 << 32), 6, said, 8192)])
        for machine in REGISTERS
    ]


def check(data: bytes) -> None:
    path = workplace() / "core"
    path.write_bytes(data)
    _answer(path)
    for budget in (0, 3000):
        _answer(extract(io.BytesIO(data), path.with_name(f"kept-{budget}"), budget).path)


def _answer(path: Path) -> None:
    core = read_core(path)
    json.dumps(core, allow_nan=False)
    list(describe_core(core))
    list(list_needs(core))


TARGET = Target("cores", seeds, check)
