"""Disassemble the instructions at the program counter with binutils' objdump, if it is installed."""

from __future__ import annotations

import shutil
import subprocess
from tempfile import NamedTemporaryFile

ARCHITECTURES = {"x86_64": "i386:x86-64", "i386": "i386", "aarch64": "aarch64"}
TIMEOUT_S = 5


def disassemble(machine_name: str | None, code: bytes, address: int) -> list[str]:
    """Return the complete instructions in `code`, the bytes at `address`: `0x5653c1f2f5cb  idiv %ecx`.

    The list is empty without objdump, or if objdump does not know the machine.
    """
    program, architecture = shutil.which("objdump"), ARCHITECTURES.get(machine_name or "")
    if program is None or architecture is None or not code:
        return []
    with NamedTemporaryFile(prefix="tf-postmortem-code-") as file:
        file.write(code)
        file.flush()
        words = ["-D", "-b", "binary", "-m", architecture, f"--adjust-vma={address:#x}", file.name]
        try:
            objdump = subprocess.run([program, *words], capture_output=True, timeout=TIMEOUT_S, check=False, text=True)
        except (OSError, subprocess.SubprocessError, UnicodeError):
            return []
    shown: list[str] = []
    for line in objdump.stdout.splitlines():  # `    5653c1f2f5cb:\tf7 f9                \tidiv   %ecx`
        place, _, columns = line.partition(":\t")
        text = " ".join(columns.partition("\t")[2].split())
        if text.startswith((".byte", "(bad)")):  # the last instruction is cut
            break
        if text:
            shown.append(f"0x{place.strip()}  {text}")
    return shown
