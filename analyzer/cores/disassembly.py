"""Instructions at the program counter in words, by binutils' objdump if it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from tempfile import NamedTemporaryFile

ARCHITECTURES = {"x86_64": "i386:x86-64", "i386": "i386", "aarch64": "aarch64"}
TIMEOUT_S = 5
# `    5653c1f2f5cb:\tf7 3d 5f 2a 00 00    \tidivl  0x2a5f(%rip)        # 0x5653c1f32030`
_match_line = re.compile(r"\s*([0-9a-f]+):\t((?:[0-9a-f]{2,8} )+)\s*\t(.*)").fullmatch


def disassemble(machine_name: str | None, code: bytes, address: int) -> list[str]:
    """Return the whole instructions in `code`, which stands at an address: `0x5653c1f2f5cb  idivl  0x2a5f(%rip)`.

    Return none without objdump, or if it does not know the machine.
    """
    program, architecture = shutil.which("objdump"), ARCHITECTURES.get(machine_name or "")
    if program is None or architecture is None or not code:
        return []
    with NamedTemporaryFile(prefix="tf-postmortem-code-") as file:
        file.write(code)
        file.flush()
        words = ["-D", "-b", "binary", "-m", architecture, f"--adjust-vma={address:#x}", file.name]
        try:
            done = subprocess.run([program, *words], capture_output=True, timeout=TIMEOUT_S, check=False, text=True)
        except (OSError, subprocess.SubprocessError, UnicodeError):
            return []
    shown: list[str] = []
    for match in filter(None, map(_match_line, done.stdout.splitlines())):
        text = re.sub(" {2,}", "  ", match[3]).strip()
        if text.startswith((".byte", "(bad)")):  # the last one is cut
            break
        shown.append(f"{int(match[1], 16):#x}  {text}")
    return shown
