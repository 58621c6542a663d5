"""Cores and the binaries beside them: always an answer, and soon."""

from __future__ import annotations

import base64
import gzip
import io
import json
import tarfile
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from zstandard import ZstdDecompressor

from analyzer.bundle.peek import Peekable
from analyzer.core_dump import core_from_json
from analyzer.cores import describe_core, extract_core, is_apport, list_missing_binaries, open_apport
from tests.cores.core_rows import read_core_row
from tests.cores.made_cores import make_core, make_note, make_prpsinfo, make_prstatus, make_siginfo
from tests.cores.made_gpu_cores import synthetic_gpu_core
from tests.fuzz.elves import change_elf
from tests.fuzz.target import Target, workplace

FIXTURES = Path(__file__).parents[1] / "cores/fixtures"
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
    message = b"F0000 00:00:00.000000 7 a.cc:1] Check failed: x == y\n\0" + bytes(200)
    small = [
        make_core(
            machine, _notes(machine), [(0x400000, 5, stack, 4096), (0x7FF000000000 % (1 << 32), 6, message, 8192)]
        )
        for machine in REGISTERS
    ]
    packed = base64.encodebytes(gzip.compress(small[0], mtime=0)).replace(b"\n", b"\n ")
    apport = (
        b"ProblemType: Crash\nExecutablePath: /bin/crash\nCoreDump: base64\n " + packed.rstrip() + b"\nSignal: 11\n"
    )
    return [*small, synthetic_gpu_core(), synthetic_gpu_core(16, True), apport, (_python() / CORE).read_bytes()]


CORE = "core.python3.14"


@cache
def _python() -> Path:
    """A real core of a Python thread that died in C, with the binaries that its stacks need beside it."""
    folder = Path(_kept.name)
    packed = (FIXTURES / "python-3.14.8-thread.tar.zst").read_bytes()
    tar_file = io.BytesIO(ZstdDecompressor().decompress(packed, max_output_size=1 << 24))
    with tarfile.open(fileobj=tar_file) as archive:
        archive.extractall(folder, filter="data")
    return folder


def python_files(pattern: str) -> list[Path]:
    """Binaries beside it whose names are so."""
    return sorted(path for path in (_python() / "sysroot").rglob(pattern) if path.is_file())


_kept = tempfile.TemporaryDirectory(prefix="fuzz-core-")


def check(data: bytes) -> None:
    path = workplace() / "core"
    if is_apport(data):
        with suppress(ValueError):
            extract_core(open_apport(Peekable(io.BytesIO(data))), path, 1 << 20)
        if not path.exists():
            return
    else:
        path.write_bytes(data)
    _answer(path, [_python()])
    for budget in (0, 3000):
        kept = extract_core(io.BytesIO(data), path.with_name(f"kept-{budget}"), budget)
        assert kept.dropped_bytes >= 0 and all(kept.notes)
        _answer(kept.path)


def _answer(path: Path, sysroots: Sequence[Path] = ()) -> None:
    core = read_core_row(path, sysroots=sysroots)
    json.dumps(core, allow_nan=False)
    list(describe_core(core_from_json(core)))
    list(list_missing_binaries(core_from_json(core)))


TARGET = Target("cores", seeds, check, (change_elf,))
