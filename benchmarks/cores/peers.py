"""What the readers of cores find, beside each other, on cores made on the spot: a table in Markdown.

    PYTHONPATH=. python -m benchmarks.cores.peers FOLDER [ONLY]

gdb, eu-stack and pystack are asked where they are installed. `thr` and `sig`: the crashing thread and the signal equal
gdb's. `native`: program counters of eu-stack's frames that are in ours too, over all threads. `python`: file, line and
function of pystack's frames that are in ours too. CPU seconds are of one run each, ours with the start of Python.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from analyzer.core_dump import CoreDump
from analyzer.cores import read_core
from analyzer.cores.python.crosscheck import parse_pystack_output
from benchmarks.cores.cases import CoreCase, make_all

GDB = (
    "gdb",
    "-q",
    "-nx",
    "-batch",
    "-ex",
    "set pagination off",
    "-ex",
    "p $_siginfo.si_signo",
    "-ex",
    "p $_siginfo.si_code",
)
TIMEOUT_S = 60


class ToolRun(NamedTuple):
    """What a program printed, and its CPU seconds; `output` is empty where it is not installed or failed."""

    output: str
    cpu: float


def run_tool(command: Sequence[str]) -> ToolRun:
    if shutil.which(command[0]) is None:
        return ToolRun("", 0.0)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return ToolRun("", float("inf"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ToolRun(done.stdout, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def compare(case: CoreCase, file: Path) -> list[str]:
    """Return the cells of one row."""
    core, program = read_core(file), case.command[0]
    ours = run_tool([sys.executable, "-m", "analyzer", "core", str(file)])
    gdb = run_tool([*GDB, "-ex", "info threads", "-ex", "thread apply all bt", program, str(file)])
    eu_stack = run_tool(["eu-stack", "-n", "300", "--core", str(file)])
    pystack = (
        run_tool(["pystack", "core", "--native-all", str(file), program]) if "python" in case.name else ToolRun("", 0)
    )
    cpu = " / ".join("-" if not run.output else f"{run.cpu:.2f}" for run in (ours, gdb, pystack, eu_stack))
    return [
        case.name,
        _compare_thread(core, gdb.output),
        _compare_signal(core, gdb.output),
        _compare_native(core, eu_stack.output),
        _compare_python(core, pystack.output),
        ("found" if case.message in (core.abort_message or "") else "NOT FOUND") if case.message else "-",
        cpu,
    ]


def _compare_thread(core: CoreDump, output: str) -> str:
    current = re.search(r"^\* 1 .*?LWP (\d+)", output, re.MULTILINE)
    if not current or core.crashing_thread is None:
        return "-"
    return "ok" if int(current[1]) == core.crashing_thread else "DIFFERS"


def _compare_signal(core: CoreDump, output: str) -> str:
    number = re.search(r"^\$1 = (\d+)", output, re.MULTILINE)
    if not number or core.signal is None:
        return "-"
    known = {"4": "SIGILL", "5": "SIGTRAP", "6": "SIGABRT", "7": "SIGBUS", "8": "SIGFPE", "11": "SIGSEGV"}
    return "ok" if known.get(number[1]) == core.signal else "DIFFERS"


def _compare_native(core: CoreDump, output: str) -> str:
    """Frames of deep stacks are counted as far as ours are listed: the rest is folded."""
    theirs = {int(address, 16) for address in re.findall(r"^#\d+\s+0x([0-9a-f]+)", output, re.MULTILINE)}
    found = {int(frame.address, 16) for thread in core.threads for frame in thread.frames if frame.address}
    # eu-stack shows the return address less one; ours is the address itself.
    both = sum(bool({address, address + 1, address - 1} & found) for address in theirs)
    return f"{both}/{len(theirs)}" if theirs else "-"


def _compare_python(core: CoreDump, output: str) -> str:
    theirs = {(tid, *frame) for tid, frames in parse_pystack_output(output).items() for frame in frames}
    found = {
        (thread.tid, frame.file, frame.line, (frame.function or "").rpartition(".")[2])
        for thread in core.threads
        for frame in thread.frames
        if frame.kind == "python"
    }
    names = {(tid, (file or "").rpartition("/")[2], line, function) for tid, file, line, function in found}
    both = sum((tid, file.rpartition("/")[2], line, name) in names for tid, file, line, name in theirs)
    return f"{both}/{len(theirs)}" if theirs else "-"


def main() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode
    folder, only = Path(sys.argv[1]), "".join(sys.argv[2:3])
    print_row(["case", "thr", "sig", "native", "python", "message", "CPU s: ours / gdb / pystack / eu-stack"])
    print_row(["---"] * 7)
    for case, core in make_all(folder, only).values():
        print_row(compare(case, core))


def print_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
