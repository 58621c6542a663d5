"""Minidumps of Breakpad and Crashpad give the answer of the core of the same process, as far as their memory goes."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest
import zstandard
from core_rows import read_core_row
from crashing import compile_program, unlimit
from made_minidumps import (
    ARM64,
    WRITTEN,
    MinidumpFile,
    make_minidump,
    pack_amd64,
    pack_arm64,
    pack_exception,
    pack_system,
)

from analyzer.core_dump import core_from_json
from analyzer.cores import describe_core, extract_core, is_core, list_missing_binaries
from analyzer.pipeline import analyze
from tests.command_line import call_for_text

FIXTURES = Path(__file__).parent / "fixtures"
O1 = ("-O1", "-g")


def frames(core: Any) -> dict[int, list[tuple[str, str, str, int]]]:
    return {
        thread["tid"]: [
            (frame["address"], frame["function"], frame["module"], frame["line"]) for frame in thread["frames"]
        ]
        for thread in core["threads"]
    }


def functions(core: Any) -> list[str]:
    """The functions of the crashing thread, of which Crashpad names the libraries without their folders."""
    return [function for _, function, _, _ in frames(core)[core["crashing_thread"]]]


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("how", ["null", "threads", "abort", "divide"])
def test_a_minidump_tells_what_the_core_of_the_same_process_tells(make_core: Any, tmp_path: Path, how: str) -> None:
    path = make_core(how, *O1)
    core, dump = read_core_row(path), read_core_row(write(tmp_path / "crash.dmp", make_minidump(path)))
    assert frames(dump) == frames(core)
    same = ("pid", "executable", "command_line", "signal", "signal_code", "fault_address", "crashing_thread")
    assert {key: dump[key] for key in same} == {key: core[key] for key in same}
    assert dump["signature"] == core["signature"] and dump["auxv"] == core["auxv"]
    assert dump["facts"]["explanation"] == core["facts"]["explanation"]
    assert dump["facts"]["environment"] == core["facts"]["environment"]
    verified = {(m["path"], m["start"], m["build_id"]) for m in core["modules"] if m["status"] == "verified"}
    assert verified - {m for m in verified if m[0] == "[vdso]"} <= {
        (m["path"], m["start"], m["build_id"]) for m in dump["modules"] if m["status"] == "verified"
    }
    assert dump["facts"]["written"] == WRITTEN
    assert any(problem.startswith("a minidump: ") for problem in dump["problems"])


def test_without_the_texts_of_proc_the_stacks_are_the_same(make_core: Any, tmp_path: Path) -> None:
    """Crashpad copies none of them: modules alone say what was mapped."""
    path = make_core("null", *O1)
    dump = read_core_row(write(tmp_path / "crash.dmp", make_minidump(path, has_texts=False)))
    assert frames(dump) == frames(read_core_row(path))
    assert dump["pid"] == dump["crashing_thread"] and dump["executable"].endswith("/crash")


def test_a_minidump_that_crashpad_wrote(tmp_path: Path) -> None:
    """A real one with the program beside it; fixtures/README.md says how it was made."""
    packed = (FIXTURES / "crashpad-null.tar.zst").read_bytes()
    (tmp_path / "crash.tar").write_bytes(zstandard.decompress(packed, max_output_size=1 << 20))
    with tarfile.open(tmp_path / "crash.tar") as archive:
        archive.extractall(tmp_path, filter="data")
    core = read_core_row(tmp_path / "crash.dmp")
    (thread,) = core["threads"]
    names = [(frame["function"], frame["line"]) for frame in thread["frames"][:3]]
    assert names == [("read_node", 16), ("walk_nodes", 17), ("main", 66)]
    assert (core["signal"], core["signal_code"], core["fault_address"]) == ("SIGSEGV", "SEGV_MAPERR", "0x14")
    assert thread["name"] == "crash" and core["executable"] == "/srv/job/crash"
    assert core["facts"]["written"] > 1.7e9
    assert "not read of the minidump: Crashpad's annotations" in " ".join(core["problems"])
    assert not [problem for problem in core["problems"] if "cut" in problem]
    needs = list(list_missing_binaries(core_from_json(core)))
    assert not [line for line in needs if "vdso" in line], "the kernel's own module is no file that could be collected"


def test_crashpads_own_handler_and_the_kernel_agree(tmp_path: Path) -> None:
    """One process, two witnesses: a minidump by Crashpad's handler, and the kernel's core."""
    handler = Path("/usr/lib/chromium/chrome_crashpad_handler")
    if not handler.exists():
        pytest.skip("no crashpad handler")
    preload = compile_program("minidump_preload.c", tmp_path / "preload.so", "-shared", "-fPIC")
    program = compile_program("crash.c", tmp_path / "crash", *O1)
    environment = {
        **os.environ,
        "LD_PRELOAD": str(preload),
        "MINIDUMP_HANDLER": str(handler),
        "MINIDUMP_DATABASE": str(tmp_path / "database"),
    }
    command = [str(program), "null"]
    subprocess.run(command, cwd=tmp_path, env=environment, preexec_fn=unlimit, capture_output=True, timeout=120)
    dumps, cores = list((tmp_path / "database").rglob("*.dmp")), list(tmp_path.glob("core*"))
    if not dumps or not cores:
        pytest.skip("not both were written here")
    dump, core = read_core_row(dumps[0]), read_core_row(cores[0])
    assert functions(dump) == functions(core) and functions(dump)[-1] == "_start"
    assert dump["signature"] == core["signature"] and dump["fault_address"] == core["fault_address"]


def test_a_minidump_in_a_bundle_is_a_finding_with_its_time(make_core: Any, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    (bundle / "gx7").mkdir(parents=True)
    write(bundle / "gx7" / "crash.dmp", make_minidump(make_core("null", *O1)))
    line = "2026-03-01 09:59:0{0}.123456: I tensorflow/core/x.cc:88] starting worker {0}\n"
    (bundle / "gx7" / "worker.log").write_text(line.format(7))
    incident = analyze([bundle])
    (finding,) = [finding for finding in incident.findings if "crash" in finding.captures]
    assert finding.node == "gx7" and finding.time == WRITTEN
    assert finding.title.startswith("gx7: null pointer dereference in read_node")


@pytest.mark.parametrize(
    ("system", "words"),
    [
        (pack_system(platform=2), "a minidump of Windows: only those of Linux are read"),
        (pack_system(platform=0x8101), "a minidump of macOS"),
        (pack_system(architecture=1), "a processor that is not read"),
        (b"", "a system that it does not state"),
    ],
)
def test_what_is_not_read_is_named(tmp_path: Path, system: bytes, words: str) -> None:
    out = MinidumpFile(streams=1)
    out.add_stream(7, system)
    path = write(tmp_path / "crash.dmp", out.finish())
    assert words in " ".join(read_core_row(path)["problems"])
    outcome = call_for_text("core", path)
    assert words in outcome.stdout and not outcome.stderr


def test_a_dump_that_was_asked_for_has_no_signal(tmp_path: Path) -> None:
    out = MinidumpFile(streams=3)
    context = out.append(pack_amd64({"rip": 0x401000, "rsp": 0x7FFF0000}))
    out.add_stream(3, struct.pack("<IIIIIQQIIII", 1, 7, 0, 0, 0, 0, 0x7FFF0000, 0, 0, *context))
    out.add_stream(6, pack_exception(7, 0xFFFFFFFF, 0, 0, context))
    out.add_stream(7, pack_system())
    core = read_core_row(write(tmp_path / "crash.dmp", out.finish()))
    assert core["signal"] is None and [thread["tid"] for thread in core["threads"]] == [7]
    assert any("no signal ended the process" in problem for problem in core["problems"])


def test_the_sender_of_a_signal_is_where_breakpad_puts_it(tmp_path: Path) -> None:
    out = MinidumpFile(streams=2)
    context = out.append(pack_amd64({"rip": 0x401000, "rsp": 0x7FFF0000}))
    out.add_stream(6, pack_exception(7, 6, -6, 7 | 1000 << 32, context))
    out.add_stream(7, pack_system())
    core = read_core_row(write(tmp_path / "crash.dmp", out.finish()))
    assert (core["signal"], core["signal_code"], core["sender_pid"]) == ("SIGABRT", "SI_TKILL", 7)


def test_registers_of_aarch64(tmp_path: Path) -> None:
    out = MinidumpFile(streams=2)
    context = out.append(pack_arm64({"pc": 0x401000, "sp": 0x7FFF0000, "x0": 5}))
    out.add_stream(6, pack_exception(7, 11, 1, 5, context))
    out.add_stream(7, pack_system(ARM64))
    core = read_core_row(write(tmp_path / "crash.dmp", out.finish()))
    assert core["facts"]["machine"] == "aarch64" and core["facts"]["registers"]["x0"] == "0x5"
    assert [frame["address"] for frame in core["threads"][0]["frames"]] == ["0x401000"]


def test_counts_that_lie_cost_neither_time_nor_memory(tmp_path: Path) -> None:
    """The package believes every count: each is compared with the size of its stream before."""
    out = MinidumpFile(streams=5)
    out.add_stream(7, pack_system())
    for kind in (3, 4, 5):
        out.add_stream(kind, struct.pack("<I", 0xFFFFFFFF) + bytes(200))
    out.add_stream(9, struct.pack("<QQ", 1 << 63, 1 << 63) + bytes(64))
    core = read_core_row(write(tmp_path / "crash.dmp", out.finish()))
    lies = [problem for problem in core["problems"] if "are read: the list is cut off" in problem]
    assert len(lies) == 3 and "only 4 of 4294967295 threads are read" in " ".join(lies)


def test_a_cut_minidump_says_what_is_missing(make_core: Any, tmp_path: Path) -> None:
    data = make_minidump(make_core("null", *O1))
    for part in range(0, len(data), len(data) // 17):
        core = read_core_row(write(tmp_path / "crash.dmp", data[:part]))
        assert core["problems"]
        assert json.dumps(core) and list(describe_core(core_from_json(core)))


def test_a_minidump_over_the_budget_counts_as_cut(make_core: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "crash.dmp", make_minidump(make_core("null", *O1)))
    assert is_core(path.read_bytes()[:64])
    with path.open("rb") as stream:
        kept = extract_core(stream, tmp_path / "kept", 6000)
    assert kept.dropped_bytes and kept.path.stat().st_size < path.stat().st_size
    assert read_core_row(kept.path)["problems"]


def test_a_minidump_is_not_slimmed(make_core: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "crash.dmp", make_minidump(make_core("null", *O1)))
    outcome = call_for_text("core", path, "--slim", tmp_path / "out.tar.gz")
    assert outcome.returncode == 3 and "a minidump is small as it is" in outcome.stderr


def test_other_files_of_that_magic_are_no_minidumps() -> None:
    assert not is_core(b"MDMP is the magic of minidumps")
