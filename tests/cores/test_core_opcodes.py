"""Instructions against what the assembler makes of their names, and a real one that this CPU refuses."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from core_rows import read_core_row
from crashing import unlimit
from hypothesis import given
from hypothesis import strategies as st

from analyzer.cores.cpu_flags import required_cpu_flag

X86 = {
    "vaddps %zmm0,%zmm1,%zmm2": "avx512f",
    "vpaddd %ymm16,%ymm1,%ymm2": "avx512vl",
    "vpdpbusd %zmm0,%zmm1,%zmm2": "avx512_vnni",
    "vpermb %zmm0,%zmm1,%zmm2": "avx512_vbmi",
    "vaddps %ymm0,%ymm1,%ymm2": "avx",
    "vpaddd %xmm0,%xmm1,%xmm2": "avx",
    "vpaddd %ymm0,%ymm1,%ymm2": "avx2",
    "vpabsd %ymm1,%ymm2": "avx2",
    "vpermq $3,%ymm1,%ymm2": "avx2",
    "vfmadd213ps %ymm0,%ymm1,%ymm2": "fma",
    "vcvtph2ps %xmm0,%ymm1": "f16c",
    "mulx %rax,%rbx,%rcx": "bmi2",
    "rorx $3,%rax,%rbx": "bmi2",
    "andn %rax,%rbx,%rcx": "bmi1",
    "popcnt %rax,%rbx": "popcnt",
    "crc32 %eax,%ebx": "sse4_2",
    "pmulld %xmm0,%xmm1": "sse4_1",
    "pshufb %xmm0,%xmm1": "ssse3",
    "aesenc %xmm0,%xmm1": "aes",
    "rdrand %rax": "rdrand",
    "ud2": "trap",
    "int3": "trap",
    "nop": None,
    "addps %xmm0,%xmm1": None,
}
ARM = {
    "add z0.s, z1.s, z2.s": "sve",
    "ldadd x0, x1, [x2]": "atomics",
    "casal x0, x1, [x2]": "atomics",
    "sdot v0.4s, v1.16b, v2.16b": "asimddp",
    "bfdot v0.4s, v1.8h, v2.8h": "bf16",
    "smmla v0.4s, v1.16b, v2.16b": "i8mm",
    "udf #0": None,
    "udf #1": "trap",
    "fmla v0.4s, v1.4s, v2.4s": None,
    "add x0, x1, x2": None,
}


def assemble(assembler: str, dumper: str, text: str, folder: Path, *flags: str) -> bytes:
    if shutil.which(assembler) is None or shutil.which(dumper) is None:
        pytest.skip(f"no {assembler}")
    made = subprocess.run(
        [assembler, *flags, "-o", folder / "x.o", "-"], input=f"{text}\n", text=True, capture_output=True
    )
    if made.returncode:
        pytest.skip(f"this {assembler} does not know it")
    subprocess.run([dumper, "-O", "binary", "-j", ".text", folder / "x.o", folder / "x.bin"], check=True)
    return (folder / "x.bin").read_bytes()


@pytest.mark.parametrize(("text", "flag"), X86.items())
def test_x86_instructions_are_known_by_their_bytes(tmp_path: Path, text: str, flag: str | None) -> None:
    assert required_cpu_flag(assemble("as", "objcopy", text, tmp_path).ljust(16, b"\x90"), "x86_64") == flag


@pytest.mark.parametrize(("text", "flag"), ARM.items())
def test_arm_instructions_are_known_by_their_bytes(tmp_path: Path, text: str, flag: str | None) -> None:
    march = "-march=armv8.6-a+sve+bf16+i8mm"
    code = assemble("aarch64-linux-gnu-as", "aarch64-linux-gnu-objcopy", text, tmp_path, march)
    assert required_cpu_flag(code, "aarch64") == flag


@given(st.binary(max_size=16), st.sampled_from(["x86_64", "aarch64", "riscv"]))
def test_any_bytes_are_survived(code: bytes, machine: str) -> None:
    required_cpu_flag(code, machine)


def test_a_real_instruction_that_this_cpu_lacks_is_named(tmp_path: Path) -> None:
    """SVE under an emulator's CPU without it: `cortex-a57` is ARMv8.0."""
    compiler, emulator = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64")
    if compiler is None or emulator is None:
        pytest.skip("no aarch64 compiler or qemu-aarch64")
    source = tmp_path / "sve.c"
    source.write_text('int main(void) { __asm__ volatile(".inst 0x04a20020"); return 0; }\n')
    program = tmp_path / "sve"
    subprocess.run([compiler, "-static", "-o", program, source], check=True)
    subprocess.run([emulator, "-cpu", "cortex-a57", program], cwd=tmp_path, capture_output=True, preexec_fn=unlimit)
    cores = list(tmp_path.glob("qemu_*.core"))
    if not cores:
        pytest.skip("qemu wrote no core")
    core: Any = read_core_row(cores[0], executable=program)
    assert (core["signal"], core["facts"]["needs_cpu"]) == ("SIGILL", "sve")
    assert core["facts"]["instruction"].startswith("2000a204")
    assert "looks like sve, which this CPU" in core["facts"]["explanation"]
