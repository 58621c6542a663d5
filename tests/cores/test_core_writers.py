"""Cores unlike a plain one of an x86_64 kernel: gdb's, QEMU's of aarch64, other coredump_filters, huge ones."""

from __future__ import annotations

import os
import resource
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest
from core_rows import read_core_row
from crashing import PROGRAMS, compile_program, crash
from made_cores import make_core as put_together
from made_cores import make_note, make_prstatus, make_siginfo

from analyzer.cores import extract_core
from analyzer.cores.elf.headers import count_segments, read_header

AARCH64_ROOT = Path("/usr/aarch64-linux-gnu")


def names(core: Any) -> list[str | None]:
    return [f["function"] for f in core["threads"][0]["frames"] if not f["inlined"]]


@pytest.mark.parametrize("bits", ["0x23", "0x33", "0x7f"])
def test_every_coredump_filter_gives_the_same_stack(make_core: Any, tmp_path: Path, bits: str) -> None:
    """0x23 leaves the ELF headers out, and with them the build ids; 0x7f has the text too."""
    full_core = read_core_row(make_core("assert", "-O1", "-g"))
    program = compile_program("crash.c", tmp_path / "crash", "-O1", "-g")
    shell = f"echo {bits} > /proc/self/coredump_filter; exec {program} assert"
    core: Any = read_core_row(crash(tmp_path / "run", ["sh", "-c", shell]))
    assert names(core) == names(full_core)
    assert {m["status"] for m in core["modules"]} <= {"verified", "header-match"}
    assert core["abort_message"] == full_core["abort_message"]


def test_without_any_memory_nothing_is_made_up(tmp_path: Path) -> None:
    program = compile_program("crash.c", tmp_path / "crash", "-O1", "-g")
    shell = f"echo 0 > /proc/self/coredump_filter; exec {program} assert"
    core: Any = read_core_row(crash(tmp_path / "run", ["sh", "-c", shell]))
    assert len(core["threads"][0]["frames"]) == 1
    assert (core["signal"], core["executable"]) == ("SIGABRT", str(program))
    assert "path-only" in {m["status"] for m in core["modules"]}


def test_an_i386_core_says_what_is_not_read(tmp_path: Path) -> None:
    """The place is known from the registers, the stack is not."""
    registers = [0] * 17
    registers[12], registers[15] = 0x8049012, 0xFFFF0000  # eip, esp
    notes = make_note("<", 1, make_prstatus(32, "<", 7, 11, registers)) + make_note(
        "<", 0x53494749, make_siginfo(32, "<", 11, 1, 8)
    )
    path = tmp_path / "core"
    path.write_bytes(put_together("i386", notes, [(0x8049000, 5, bytes(4096), 4096)]))
    core: Any = read_core_row(path)
    assert [frame["address"] for frame in core["threads"][0]["frames"]] == ["0x8049012"]
    assert core["facts"]["explanation"].startswith("null pointer dereference")
    assert core["signature"].startswith("SIGSEGV")
    assert any(problem.startswith("stacks of i386 (32 bits) are not read") for problem in core["problems"])


def test_a_core_that_gdb_wrote(make_core: Any, tmp_path: Path) -> None:
    """gdb leaves out mappings that it does not dump, and writes the notes at the end."""
    if shutil.which("gdb") is None:
        pytest.skip("no gdb")
    program = compile_program("crash.c", tmp_path / "crash", "-O1", "-g")
    path = tmp_path / "core"
    steps = ["-ex", "run", "-ex", f"generate-core-file {path}", "-ex", "kill"]
    command = ["gdb", "-q", "-nx", "-batch", *steps, "--args", str(program), "null"]
    subprocess.run(command, capture_output=True, timeout=120)
    if not path.exists():
        pytest.skip("gdb may not trace here")
    core: Any = read_core_row(path)
    assert names(core)[:3] == ["read_node", "walk_nodes", "main"]
    assert core["threads"][0]["stop"] == "end of stack"
    with path.open("rb") as stream:
        kept = extract_core(stream, tmp_path / "kept", 120_000)
    assert names(read_core_row(kept.path)) == names(core)


@pytest.mark.parametrize(
    "flags", [("-O2",), ("-O2", "-mbranch-protection=standard"), ("-O0", "-g"), ("-O2", "-static")]
)
def test_aarch64_under_qemu(tmp_path: Path, flags: tuple[str, ...]) -> None:
    """Leaf functions, signed return addresses, signal frames; modules by link map, for QEMU notes no files."""
    compiler, emulator = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64")
    if compiler is None or emulator is None or not AARCH64_ROOT.exists():
        pytest.skip("no aarch64 compiler or qemu-aarch64")
    program = tmp_path / "crash"
    subprocess.run([compiler, *flags, "-o", program, PROGRAMS / "crash.c"], check=True, capture_output=True)
    for how, wanted in (
        ("null", ["read_node", "walk_nodes", "main"]),
        ("handler", ["die_in_handler", "segfault", "main"]),
    ):
        folder = tmp_path / how
        folder.mkdir()
        subprocess.run(
            [emulator, "-L", AARCH64_ROOT, program, how],
            cwd=folder,
            capture_output=True,
            timeout=120,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)),
        )
        cores = list(folder.glob("qemu_*.core"))
        if not cores:
            pytest.skip("qemu wrote no core")
        core: Any = read_core_row(cores[0], executable=program, sysroots=[AARCH64_ROOT])
        assert [name for name in names(core) if name in wanted] == wanted
        assert core["threads"][0]["stop"] == "end of stack"
        assert {f["how"] for f in core["threads"][0]["frames"]} == {"context", "cfi"}


def test_a_sparse_core_of_48_gib_is_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "core"
    notes = make_note("<", 1, make_prstatus(64, "<", 9, 11, [0] * 27)) + make_note(
        "<", 0x53494749, make_siginfo(64, "<", 6, -6, 9)
    )
    data = bytearray(put_together("x86_64", notes, [(0x10000, 6, b"\0" * 4096, 4096)]))
    at = 64 + 56
    struct.pack_into("<QQQQQ", data, at + 8, 0x10000, 0x10000, 0, 48 << 30, 48 << 30)
    path.write_bytes(data)
    os.truncate(path, (48 << 30) + 0x10000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    core: Any = read_core_row(path)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert core["signal"] == "SIGABRT"
    assert core["problems"] == []
    assert (after - before) < 300 << 10  # KiB


def test_more_than_65534_mappings_are_counted(tmp_path: Path) -> None:
    """PN_XNUM: by the section header that the kernel puts at the end, and by the first note when that is cut off."""
    notes = make_note("<", 1, make_prstatus(64, "<", 9, 11, [0] * 27))
    data = bytearray(put_together("x86_64", notes, [(0x1000 * (i + 1), 4, b"", 4096) for i in range(70_000)]))
    struct.pack_into("<H", data, 56, 0xFFFF)
    header = read_header(data)
    assert header is not None
    assert count_segments(data, header) == 70_001
    section = len(data)
    data += bytes(44) + struct.pack("<I", 70_001) + bytes(16)
    struct.pack_into("<Q", data, 40, section)
    header = read_header(data)
    assert header is not None
    assert count_segments(data, header) == 70_001
    (tmp_path / "core").write_bytes(data)
    core: Any = read_core_row(tmp_path / "core")
    assert core["crashing_thread"] == 9
    assert len(core["mappings"]) == 20_000
