"""Instructions at the program counter."""

from __future__ import annotations

import shutil

import pytest

from analyzer.cores.disassembly import disassemble

needs_objdump = pytest.mark.skipif(shutil.which("objdump") is None, reason="needs objdump")


@needs_objdump
def test_whole_instructions_are_shown() -> None:
    code = bytes.fromhex("488b47088b04b0c705902d0000000000")  # the third one is longer than what is there
    assert disassemble("x86_64", code, 0x1000) == ["0x1000  mov 0x8(%rdi),%rax", "0x1004  mov (%rax,%rsi,4),%eax"]


@pytest.mark.parametrize(("machine", "code"), [("s390x", b"\x07\x00"), (None, b"\xc3"), ("x86_64", b"")])
def test_what_is_not_known_has_none(machine: str | None, code: bytes) -> None:
    assert disassemble(machine, code, 0x1000) == []
