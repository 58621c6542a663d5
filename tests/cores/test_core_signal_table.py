"""Each signal and code has a sentence, and none says more than its siginfo does."""

from __future__ import annotations

import pytest

from analyzer.cores.elf.notes import SignalNote
from analyzer.cores.protection_fault import explain_protection_fault, find_operand_address, is_division
from analyzer.cores.signals import CODE_NAMES, SENT_CODE_NAMES, FaultContext, explain_signal, name_code

PC = 0x40_1000


def explain(number: int, code: int, address: int = PC, mapping: str = "", code_bytes: bytes = b"") -> str:
    context = FaultContext(pid=7, mapping=mapping, pc=PC, sp=0x7FFC_0000, code=code_bytes, machine="x86_64")
    return explain_signal(SignalNote(number, code, address, 7 if code <= 0 else 0, 0), context)


@pytest.mark.parametrize(("number", "code"), [(n, c) for n, codes in CODE_NAMES.items() for c in codes])
def test_every_code_of_the_kernel_has_a_sentence_of_its_own(number: int, code: int) -> None:
    sentence = explain(number, code)
    assert name_code(number, code) not in sentence
    assert "with the code" not in sentence
    # The address of an instruction that traps is always the program counter: only accesses can be jumps.
    assert ("jumped there" in sentence) == (name_code(number, code) in ("SEGV_MAPERR", "SEGV_ACCERR", "BUS_ADRERR"))


@pytest.mark.parametrize("code", [0x80, *SENT_CODE_NAMES])
@pytest.mark.parametrize("number", [3, 4, 5, 6, 7, 8, 11, 15, 24, 25, 31])
def test_no_code_that_has_no_address_is_told_as_an_access(number: int, code: int) -> None:
    sentence = explain(number, code)
    assert "null pointer" not in sentence
    assert "jumped" not in sentence
    assert "not mapped" not in sentence


def test_an_unknown_code_is_named_by_its_number() -> None:
    assert explain(11, 77) == "SIGSEGV with the code 77"


@pytest.mark.parametrize(
    ("number", "address", "mapping", "sentence"),
    [
        (11, 0, "", "null pointer dereference"),
        (11, 0x18, "", "null pointer dereference at offset 0x18 of an object"),
        (11, PC, "rw- [anonymous]", "access to rw- [anonymous]; the program jumped there"),
        (11, 0x7FFB_FFF8, "", "stack overflow: the access is at the stack pointer, below the stack's last page"),
        (11, 2**64 - 1, "", "access through the invalid pointer -1, such as MAP_FAILED or an error code"),
    ],
)
def test_an_access_is_told_by_its_address(number: int, address: int, mapping: str, sentence: str) -> None:
    assert explain(number, 1, address, mapping) == sentence


@pytest.mark.parametrize(
    ("code", "registers", "sentence"),
    [
        ("c700 01000000", {"rax": 0xDEAD_0000_0000_0000}, "non-canonical address 0xdead000000000000"),
        ("0f294101", {"rcx": 0x7FFC_0000_0000}, "misaligned vector access at 0x7ffc00000001"),
        ("c5f8294101", {"rcx": 0x7FFC_0000_0000}, "misaligned vector access at 0x7ffc00000001"),
        ("488b44d908", {"rcx": 8, "rbx": 0x1000_0000_0000_0000}, "non-canonical address 0x8000000000000010"),
        ("c3", {}, "return to a non-canonical address"),
        ("f4", {}, "privileged instruction"),
        ("0f30", {}, "privileged instruction"),
        ("488b00", {}, "the CPU reports no address"),
        ("", {}, "the CPU reports no address"),
    ],
)
def test_the_instruction_tells_what_a_protection_fault_was(code: str, registers: dict[str, int], sentence: str) -> None:
    assert sentence in explain_protection_fault(bytes.fromhex(code), registers, "x86_64")


def test_operands_and_divisions_are_decoded() -> None:
    assert find_operand_address(bytes.fromhex("8b4708"), {"rdi": 0}) == 8  # mov eax, [rdi+8]
    assert find_operand_address(bytes.fromhex("8bc0"), {"rax": 8}) is None  # no memory operand
    assert find_operand_address(bytes.fromhex("488b0d00000000"), {}) is None  # relative to RIP
    assert is_division(bytes.fromhex("48f7f9"))
    assert not is_division(bytes.fromhex("48f7e1"))
    for first in range(256):  # any bytes decode to something
        explain_protection_fault(bytes([first]), {"rax": 1}, "x86_64")
        explain_protection_fault(bytes([0x0F, first]), {"rax": 1}, "x86_64")
