"""Stacks, signals and words of real cores that these tests make, against what the program did and against eu-stack."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from core_rows import read_core_row
from crashing import compile_program, crash, crash_by_signal

from analyzer.core_dump import CoreDetail, core_from_json
from analyzer.cores import describe_core, list_missing_binaries

O1 = ("-O1", "-g")

# how, flags, signal, code, words of the explanation, functions innermost first (a prefix of the telling ones)
CASES: list[tuple[str, tuple[str, ...], str, str, str, list[str]]] = [
    ("null", ("-O0", "-g"), "SIGSEGV", "SEGV_MAPERR", "null pointer", ["read_node", "walk_nodes", "main"]),
    ("null", ("-O2",), "SIGSEGV", "SEGV_MAPERR", "null pointer", ["read_node", "walk_nodes", "main"]),
    (
        "null",
        ("-O2", "-fomit-frame-pointer", "-static"),
        "SIGSEGV",
        "SEGV_MAPERR",
        "null pointer",
        ["read_node", "walk_nodes", "main"],
    ),
    (
        "null",
        ("-O2", "-fno-omit-frame-pointer", "-no-pie"),
        "SIGSEGV",
        "SEGV_MAPERR",
        "null pointer",
        ["read_node", "walk_nodes", "main"],
    ),
    ("assert", O1, "SIGABRT", "SI_TKILL", "aborted itself", ["check_answer", "main"]),
    ("abort", O1, "SIGABRT", "SI_TKILL", "aborted itself", ["main"]),
    ("double-free", O1, "SIGABRT", "SI_TKILL", "aborted itself", ["free_twice", "main"]),
    ("bus", O1, "SIGBUS", "BUS_ADRERR", "truncated", ["touch_behind_file", "main"]),
    ("illegal", O1, "SIGILL", "ILL_ILLOPN", "stopped itself at a trap", ["run_illegal", "main"]),
    ("divide", O1, "SIGFPE", "FPE_INTDIV", "division by zero", ["divide", "main"]),
    ("jump", O1, "SIGSEGV", "SEGV_MAPERR", "jumped there", ["jump_to_null", "main"]),
    ("garbage", O1, "SIGSEGV", "SI_KERNEL", "non-canonical", ["follow_garbage", "main"]),
    ("constant", O1, "SIGSEGV", "SEGV_ACCERR", "does not permit", ["write_constant", "main"]),
    ("threads", O1, "SIGSEGV", "SEGV_MAPERR", "offset 0x8", ["die_in_thread"]),
    ("raise-again", O1, "SIGSEGV", "SI_TKILL", "null pointer dereference; its handler raised", ["segfault", "main"]),
    ("handler", O1, "SIGABRT", "SI_TKILL", "aborted itself", ["die_in_handler", "segfault", "main"]),
]


@pytest.mark.parametrize(("how", "flags", "name", "code", "words", "functions"), CASES)
def test_a_crash_is_told_as_it_happened(
    make_core: Any, how: str, flags: tuple[str, ...], name: str, code: str, words: str, functions: list[str]
) -> None:
    core: Any = read_core_row(make_core(how, *flags))
    assert (core["signal"], core["signal_code"]) == (name, code)
    assert words in core["facts"]["explanation"]
    assert core["problems"] == []
    crashed = core["threads"][0]
    assert crashed["tid"] == core["crashing_thread"]
    names = [frame["function"] for frame in crashed["frames"]]
    assert [f for f in names if f in functions] == functions
    assert crashed["stop"] == "end of stack"
    first = core["facts"]["interrupted"]
    assert (first and (first["signal"], first["signal_code"], first["fault_address"])) == (
        ("SIGSEGV", "SEGV_MAPERR", "0x0") if how in ("handler", "raise-again") else None
    )
    assert core["executable"].endswith("/crash")
    assert how in core["command_line"]
    assert {m["status"] for m in core["modules"]} == {"verified"}


@pytest.mark.parametrize(("how", "flags"), [case[:2] for case in CASES if case[0] != "jump"])
def test_physical_frames_agree_with_eu_stack(make_core: Any, how: str, flags: tuple[str, ...]) -> None:
    path = make_core(how, *flags)
    theirs = run_eu_stack(path)
    ours = {t["tid"]: native_addresses(t) for t in read_core_row(path)["threads"]}
    assert ours == theirs


def run_eu_stack(path: Path) -> dict[int, list[int]]:
    """{tid: addresses}; eu-stack walks the same tables with code of its own."""
    if shutil.which("eu-stack") is None:
        pytest.skip("eu-stack (elfutils) is not installed")
    command = ["eu-stack", "-n", "0", "--core", str(path)]
    text = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    stacks: dict[int, list[int]] = {}
    current: list[int] = []
    for line in text.splitlines():
        if match := re.match(r"TID (\d+):", line):
            current = stacks.setdefault(int(match[1]), [])
        elif match := re.match(r"#\d+\s+0x([0-9a-f]+)", line):
            current.append(int(match[1], 16))
    return stacks


def native_addresses(thread: Any) -> list[int]:
    frames = [f for f in thread["frames"] if f["kind"] == "native" and not f["inlined"]]
    return [int(frame["address"], 16) for frame in frames]


@pytest.mark.parametrize(("how", "period"), [("overflow", 1), ("mutual", 2)])
def test_a_stack_overflow_is_compressed_and_named(make_core: Any, how: str, period: int) -> None:
    core: Any = read_core_row(make_core(how, *O1))
    assert "stack overflow" in core["facts"]["explanation"]
    thread = core["threads"][0]
    assert thread["omitted"]["period"] == period
    assert thread["omitted"]["frames"] > 50_000
    assert len(thread["frames"]) == 250
    assert thread["frames"][-4]["function"] == "main"
    assert any("more frames, repeating every" in line for line in describe_core(core_from_json(core)))


def test_six_threads_are_all_there_and_the_crashing_one_is_first(make_core: Any) -> None:
    core: Any = read_core_row(make_core("threads", *O1))
    assert len(core["threads"]) == 7
    inner = [[f["function"] for f in t["frames"]] for t in core["threads"]]
    assert sum("idle" in names for names in inner) == 5
    assert "die_in_thread" in inner[0]
    folded: Any = read_core_row(make_core("threads", *O1), detail=CoreDetail(threads="unique"))
    assert sorted(1 + len(t.get("also", [])) for t in folded["threads"]) == [1, 1, 5]
    (idle,) = [t for t in folded["threads"] if "also" in t]
    others = ", ".join(map(str, idle["also"]))
    lines = list(describe_core(core_from_json(folded)))
    heading = f"thread {idle['tid']} and 4 more with this stack: {others}"
    assert any(line.startswith(heading) for line in lines)
    alone: Any = read_core_row(make_core("threads", *O1), detail=CoreDetail(threads="crashing"))
    assert [t["tid"] for t in alone["threads"]] == [core["crashing_thread"]]
    assert alone["signature"] == core["signature"]


def test_sigbus_in_shared_memory_is_told_apart_from_a_file(tmp_path: Path) -> None:
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK):
        pytest.skip("no /dev/shm")
    program = compile_program("crash.c", tmp_path / "crash", *O1)
    with tempfile.NamedTemporaryFile(dir=shared, prefix="nccl-") as segment:
        core: Any = read_core_row(crash(tmp_path / "run", [str(program), "bus", segment.name]))
        assert core["facts"]["fault_mapping"] == f"rw- {segment.name}"
    assert (core["signal"], core["signal_code"]) == ("SIGBUS", "BUS_ADRERR")
    assert core["facts"]["explanation"].startswith("shared memory without backing")


def test_a_signal_from_outside_names_its_sender(make_core: Any, tmp_path: Path) -> None:
    program = compile_program("crash.c", tmp_path / "crash", *O1)
    path, sender = crash_by_signal(tmp_path / "run", [str(program), "wait"], signal.SIGQUIT)
    core: Any = read_core_row(path)
    assert (core["signal"], core["signal_code"], core["sender_pid"]) == ("SIGQUIT", "SI_USER", sender)
    assert "from outside" in core["facts"]["explanation"]
    assert core["fault_address"] is None


def test_last_words_are_found(make_core: Any, tmp_path: Path) -> None:
    assert 'Assertion `x == 42 && "the answer"\' failed' in str(
        read_core_row(make_core("assert", *O1))["abort_message"]
    )
    assert "double free" in str(read_core_row(make_core("double-free", *O1))["abort_message"])
    assert read_core_row(make_core("null", "-O2"))["abort_message"] is None
    program = compile_program("throw.cc", tmp_path / "throw", "-O1")
    own = "'DeviceLost'\n  what():  the device fell off the bus"
    thrown = {"alloc": "'std::bad_alloc'", "own": own, "int": "'int'"}
    for how, words in thrown.items():
        message = read_core_row(crash(tmp_path / how, [str(program), how]))["abort_message"]
        assert message == f"terminate called after throwing an instance of {words}"
    for how, words in {"pure": "pure virtual method called", "thread": "terminate called without an active"}.items():
        assert read_core_row(crash(tmp_path / how, [str(program), how]))["abort_message"].startswith(words)
    core: Any = read_core_row(crash(tmp_path / "run", [str(program)]))
    assert core["abort_message"] == (
        "terminate called after throwing an instance of 'std::runtime_error'\n  what():  bad rank 1"
    )
    assert any(f["function"] == "void shapes::check<int>(int)" for f in core["threads"][0]["frames"])


def test_frame_pointers_serve_where_tables_are_missing(tmp_path: Path) -> None:
    flags = ("-O0", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-omit-frame-pointer")
    program = compile_program("crash.c", tmp_path / "crash", *flags)
    path = crash(tmp_path / "run", [str(program), "null"])
    core: Any = read_core_row(path)
    frames = [(f["function"], f["how"]) for f in core["threads"][0]["frames"]]
    assert frames[:3] == [("read_node", "context"), ("walk_nodes", "frame-pointer"), ("main", "frame-pointer")]
    assert core["threads"][0]["stop"] == "end of stack"
    assert native_addresses(core["threads"][0]) == run_eu_stack(path)[core["crashing_thread"]]


@pytest.mark.parametrize(
    "flags",
    [("-Wl,--no-eh-frame-hdr",), ("-g", "-fno-asynchronous-unwind-tables"), ("-static", "-Wl,--no-eh-frame-hdr")],
)
def test_tables_are_found_without_the_search_table(tmp_path: Path, flags: tuple[str, ...]) -> None:
    """.eh_frame by itself, and .debug_frame, where compilers put rules that only debug information asks for."""
    program = compile_program("crash.c", tmp_path / "crash", "-O2", "-fomit-frame-pointer", *flags)
    core: Any = read_core_row(crash(tmp_path / "run", [str(program), "null"]))
    frames = [(f["function"], f["how"]) for f in core["threads"][0]["frames"] if not f["inlined"]]
    assert frames[:3] == [("read_node", "context"), ("walk_nodes", "cfi"), ("main", "cfi")]
    assert core["threads"][0]["stop"] == "end of stack"


def test_a_deleted_executable_gives_honest_frames(tmp_path: Path) -> None:
    program = compile_program("crash.c", tmp_path / "crash", "-O2")
    path = crash(tmp_path / "run", [str(program), "null"])
    program.unlink()
    core: Any = read_core_row(path)
    main = next(m for m in core["modules"] if m["path"] == str(program))
    assert main["status"] == "missing"
    assert main["build_id"]
    first = core["threads"][0]["frames"][0]
    assert (first["function"], first["module"]) == (None, str(program))
    assert "missing" in core["threads"][0]["stop"]
    assert list(list_missing_binaries(core_from_json(core))) == [f"{main['build_id']}  {program}"]


def test_another_build_of_the_executable_is_not_believed(make_core: Any, tmp_path: Path) -> None:
    program = compile_program("crash.c", tmp_path / "crash", "-O2")
    path = crash(tmp_path / "run", [str(program), "null"])
    compile_program("crash.c", program, "-O0", "-DOTHER=1")
    core: Any = read_core_row(path)
    assert next(m for m in core["modules"] if m["path"] == str(program))["status"] == "mismatch"
    assert len(core["threads"][0]["frames"]) == 1
    given: Any = read_core_row(path, executable=program)
    assert next(m for m in given["modules"] if m["path"] == str(program))["status"] == "mismatch"


def test_binaries_are_found_by_build_id_under_a_sysroot_and_beside_the_core(tmp_path: Path) -> None:
    program = compile_program("crash.c", tmp_path / "crash", "-O2")
    path = crash(tmp_path / "run", [str(program), "null"])
    root = tmp_path / "sysroot"
    (root / "anywhere").mkdir(parents=True)
    program.rename(root / "anywhere" / "renamed.bin")
    core: Any = read_core_row(path, sysroots=[root])
    assert core["threads"][0]["frames"][0]["function"] == "read_node"
    (root / "anywhere" / "renamed.bin").rename(path.parent / "crash")
    beside: Any = read_core_row(path)
    assert beside["threads"][0]["frames"][0]["function"] == "read_node"


def test_a_stripped_program_is_named_by_its_debug_file(tmp_path: Path) -> None:
    if shutil.which("objcopy") is None:
        pytest.skip("no objcopy")
    program = compile_program("crash.c", tmp_path / "crash", "-O2", "-g")
    debug = tmp_path / "crash.debug"
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", program], check=True)
    path = crash(tmp_path / "run", [str(program), "null"])
    bare: Any = read_core_row(path)
    assert bare["threads"][0]["frames"][0]["function"] is None
    assert len(bare["threads"][0]["frames"]) == 6
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", program], check=True)
    named: Any = read_core_row(path)
    assert [f["function"] for f in named["threads"][0]["frames"][:3]] == ["read_node", "walk_nodes", "main"]
    assert named["signature"] != bare["signature"]
    assert named["facts"]["signatures"]["python"] == bare["facts"]["signatures"]["python"]


def test_equal_crashes_have_equal_signatures_and_others_do_not(make_core: Any) -> None:
    first = read_core_row(make_core("assert", *O1))
    second = read_core_row(make_core("assert", *O1, again=True))
    assert first["signature"] == second["signature"]
    others = {
        str(read_core_row(make_core(how, *O1))["signature"]) for how in ("double-free", "bus", "divide", "garbage")
    }
    assert len({*others, str(first["signature"])}) == 5
