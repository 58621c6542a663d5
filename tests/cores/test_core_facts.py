"""Notes and facts of cores that are put together by hand: every class and byte order, and lies."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from core_rows import read_core_row
from hypothesis import given
from hypothesis import strategies as st
from made_cores import MACHINE, make_core, make_note, make_prpsinfo, make_prstatus, make_siginfo

from analyzer.core_dump import core_from_json
from analyzer.cores import describe_core, is_core
from analyzer.cores.elf.headers import read_header, read_segments
from analyzer.cores.elf.notes import read_notes
from analyzer.cores.process_info import mask_arguments
from analyzer.cores.python.line_tables import find_python_line

KEYS = {
    "file",
    "node",
    "pid",
    "executable",
    "command_line",
    "signal",
    "signal_code",
    "fault_address",
    "sender_pid",
    "crashing_thread",
    "abort_message",
    "signature",
    "threads",
    "modules",
    "mappings",
    "auxv",
    "problems",
}


def notes_of(machine: str, tid: int = 77, code: int = 1, address: int = 0x1234) -> bytes:
    bits, order, number = MACHINE[machine]
    narrow = number in (3, 40)
    return (
        make_note(order, 1, make_prstatus(bits, order, tid, 11, range(40)))
        + make_note(order, 3, make_prpsinfo(bits, order, narrow, tid, b"trainer", b"trainer --steps 9"))
        + make_note(order, 0x53494749, make_siginfo(bits, order, 11, code, address))
    )


@pytest.mark.parametrize("machine", sorted(MACHINE))
def test_notes_tell_the_facts_in_every_class_and_byte_order(tmp_path: Path, machine: str) -> None:
    path = tmp_path / "core"
    path.write_bytes(make_core(machine, notes_of(machine)))
    core: Any = read_core_row(path, name="node/core")
    assert is_core(path.read_bytes()[:18])
    assert set(core) >= KEYS
    assert (core["file"], core["pid"]) == ("node/core", 77)
    assert (core["signal"], core["signal_code"]) == ("SIGSEGV", "SEGV_MAPERR")
    assert (core["fault_address"], core["crashing_thread"]) == ("0x1234", 77)
    assert (core["command_line"], core["facts"]["uid"], core["facts"]["ppid"]) == ("trainer --steps 9", 1000, 7)
    assert core["facts"]["machine"] == machine
    assert core["facts"]["registers"]
    if machine not in ("x86_64", "aarch64"):
        assert any("only the notes" in problem for problem in core["problems"])
        [thread] = core["threads"]
        assert (thread["tid"], [frame["how"] for frame in thread["frames"]]) == (77, ["context"])


def test_what_is_no_core_is_said_to_be_none(tmp_path: Path) -> None:
    program = Path("/bin/true").read_bytes()[:4096]
    contents = {"empty": b"", "text": b"core values of the team\n" * 9, "program": program}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        core: Any = read_core_row(tmp_path / name)
        assert core["threads"] == []
        assert len(core["problems"]) == 1
        assert not is_core(content[:64])
    assert "cannot be opened" in str(read_core_row(tmp_path / "nowhere")["problems"])


def test_a_truncated_core_keeps_its_facts_and_says_what_is_missing(make_core: Any, tmp_path: Path) -> None:
    content = make_core("null", "-O1", "-g").read_bytes()
    header = read_header(content)
    assert header is not None
    notes = next(s for s in read_segments(content, header) if s.type == 4)
    path = tmp_path / "core"
    path.write_bytes(content[: notes.offset + notes.filesz])
    program = Path(str(read_core_row(make_core("null", "-O1", "-g"))["executable"]))
    core: Any = read_core_row(path, executable=program)
    main = next(m for m in core["modules"] if m["path"] == str(program))
    assert main["status"] == "path-only"  # nothing is left to compare it with
    assert (core["signal"], core["fault_address"]) == ("SIGSEGV", "0x14")
    assert core["threads"][0]["frames"][0]["function"] == "read_node"
    assert "not in the core" in core["threads"][0]["stop"]
    assert any("ulimit" in problem for problem in core["problems"])
    path.write_bytes(content[:200])
    assert any("program headers are read" in problem for problem in read_core_row(path)["problems"])  # type: ignore[attr-defined]


def test_counts_that_lie_are_not_followed(tmp_path: Path) -> None:
    files = make_note("<", 0x46494C45, struct.pack("<QQ", 1 << 40, 4096) + bytes(64))
    (tmp_path / "core").write_bytes(make_core("x86_64", notes_of("x86_64") + files))
    assert any("mappings" in problem for problem in read_core_row(tmp_path / "core")["problems"])  # type: ignore[attr-defined]


@given(st.binary(max_size=400), st.sampled_from(sorted(MACHINE)))
def test_arbitrary_notes_never_raise(body: bytes, machine: str) -> None:
    data = make_core(machine, body)
    header = read_header(data)
    assert header is not None
    read_notes(data, header, read_segments(data, header))


@given(st.binary(max_size=80))
def test_arbitrary_heads_never_raise(head: bytes) -> None:
    is_core(head)
    read_header(head)


@given(st.binary(max_size=60), st.integers(0, 200), st.sampled_from([(3, 8), (3, 10), (3, 11), (3, 13)]))
def test_arbitrary_line_tables_never_raise(table: bytes, offset: int, version: tuple[int, int]) -> None:
    find_python_line(table, 1, offset, version)


def test_line_tables_of_the_running_interpreter_agree_with_it() -> None:
    import sys

    code = mask_arguments.__code__
    version = sys.version_info[:2]
    for start, _, line in code.co_lines():
        assert find_python_line(code.co_linetable, code.co_firstlineno, start, version) == line


def test_secrets_are_masked() -> None:
    words = ["train.py", "--api-key", "abc", "--token=xyz", "--lr", "0.1", "s3://user:pw@host/x"]
    masked = mask_arguments(words)
    assert not {"abc", "--token=xyz"} & set(masked)
    assert "pw" not in " ".join(masked)
    assert masked[4:6] == ["--lr", "0.1"]


def test_the_environment_is_read_and_its_secrets_are_not(tmp_path: Path) -> None:
    from crashing import compile_program, crash

    program = compile_program("crash.c", tmp_path / "crash", "-O1")
    environment = {"TF_CONFIG": '{"task": 1}', "AWS_SECRET_ACCESS_KEY": "hush", "PROXY": "http://me:hush@proxy/"}
    path = crash(tmp_path / "run", [str(program), "null", "a b"], env=environment)
    core: Any = read_core_row(path)
    assert core["facts"]["environment"]["TF_CONFIG"] == '{"task": 1}'
    assert "hush" not in str(core)
    assert core["facts"]["arguments"] == [str(program), "null", "a b"]
    assert core["command_line"].endswith("null 'a b'")


def test_the_text_names_what_matters(make_core: Any) -> None:
    text = "\n".join(describe_core(core_from_json(read_core_row(make_core("null", "-O1", "-g")))))
    for words in ("SIGSEGV", "SEGV_MAPERR", "null pointer", "#0   read_node", "end of stack"):
        assert words in text
