"""What the readers of cores find, beside each other, on cores made on the spot: a table in Markdown.

    PYTHONPATH=. python -m benchmarks.cores.peers FOLDER [ONLY]

gdb, eu-stack and pystack are asked where they are installed. `thr` and `sig`: the crashing thread and the signal equal
gdb's. `native`: program counters of eu-stack's frames that are in ours too, over all threads. `python`: file, line and
function of pystack's frames that are in ours too. CPU seconds and peak memory are of one run each, ours with the start
of Python. Below the table stand the rows in which ours is worse than the best of the others.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from analyzer.core_dump import CoreDump, core_from_json
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
TIMEOUT_S = "60"
SIGNAL_NAMES = {"4": "SIGILL", "5": "SIGTRAP", "6": "SIGABRT", "7": "SIGBUS", "8": "SIGFPE", "11": "SIGSEGV"}


class ToolRun(NamedTuple):
    """What a program printed, its CPU seconds and its peak memory in MB; `output` is empty where it is not there."""

    output: str = ""
    cpu: float = 0.0
    memory: float = 0.0


class Agreement(NamedTuple):
    """How many of another reader's frames are in ours too; `total` is 0 where it shows none."""

    both: int
    total: int

    def __str__(self) -> str:
        return f"{self.both}/{self.total}" if self.total else "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerComparison:
    """One row. True: as the peer says; None: it does not say."""

    name: str
    is_thread_equal: bool | None
    is_signal_equal: bool | None
    native: Agreement
    python: Agreement
    is_message_found: bool | None
    runs: dict[str, ToolRun] = field(default_factory=dict)

    def cells(self) -> list[str]:
        words = {True: "ok", False: "DIFFERS", None: "-"}
        cpu = " / ".join(f"{run.cpu:.2f}" if run.output else "-" for run in self.runs.values())
        memory = " / ".join(f"{run.memory:.0f}" if run.output else "-" for run in self.runs.values())
        message = {True: "found", False: "NOT FOUND", None: "-"}[self.is_message_found]
        same = (words[self.is_thread_equal], words[self.is_signal_equal], str(self.native), str(self.python))
        return [self.name, *same, message, cpu, memory]

    def failures(self) -> Iterator[str]:
        """Yield in what ours is worse than the best of the others."""
        ours, gdb, pystack = (self.runs[name] for name in ("ours", "gdb", "pystack"))
        checks = {
            "crashing thread": self.is_thread_equal is not False,
            "signal": self.is_signal_equal is not False,
            "native frames": self.native.both == self.native.total,
            "Python frames": self.python.both == self.python.total,
            "message": self.is_message_found is not False,
            "CPU above pystack's": not pystack.output or ours.cpu <= pystack.cpu,
            "CPU above a thirtieth of gdb's": not gdb.output or ours.cpu <= gdb.cpu / 30,
            "memory above pystack's": not pystack.output or ours.memory <= pystack.memory,
        }
        yield from (name for name, holds in checks.items() if not holds)


def run_tool(command: Sequence[str]) -> ToolRun:
    if shutil.which(command[0]) is None:
        return ToolRun()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(["timeout", TIMEOUT_S, *command], stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    return ToolRun(text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


def compare(case: CoreCase, file: Path) -> PeerComparison:
    program = os.path.realpath(shutil.which(case.command[0]) or case.command[0])
    ours = run_tool([sys.executable, "-m", "analyzer", "core", str(file), "--json", "-"])
    gdb = run_tool([*GDB, "-ex", "info threads", "-ex", "thread apply all bt", program, str(file)])
    eu_stack = run_tool(["eu-stack", "-n", "300", "--core", str(file)])
    is_python = "python" in case.name
    pystack = run_tool(["pystack", "core", "--native-all", str(file), program]) if is_python else ToolRun()
    core = core_from_json(json.loads(ours.output)) if ours.output else CoreDump(file=str(file))
    return PeerComparison(
        name=case.name,
        is_thread_equal=_is_thread_equal(core, gdb.output),
        is_signal_equal=_is_signal_equal(core, gdb.output),
        native=_compare_native(core, eu_stack.output),
        python=_compare_python(core, pystack.output),
        is_message_found=case.message in (core.abort_message or "") if case.message else None,
        runs={"ours": ours, "gdb": gdb, "pystack": pystack, "eu-stack": eu_stack},
    )


def _is_thread_equal(core: CoreDump, output: str) -> bool | None:
    current = re.search(r"^\* 1 .*?LWP (\d+)", output, re.MULTILINE)
    return int(current[1]) == core.crashing_thread if current and core.crashing_thread is not None else None


def _is_signal_equal(core: CoreDump, output: str) -> bool | None:
    number = re.search(r"^\$1 = (\d+)", output, re.MULTILINE)
    return SIGNAL_NAMES.get(number[1]) == core.signal if number and core.signal is not None else None


def _compare_native(core: CoreDump, output: str) -> Agreement:
    """Frames of deep stacks are counted as far as ours are listed: the rest is folded. Addresses at which nothing was
    mapped are words that eu-stack took for return addresses.
    """
    printed = {int(address, 16) for address in re.findall(r"^#\d+\s+0x([0-9a-f]+)", output, re.MULTILINE)}
    mapped = [(int(mapping.start, 16), int(mapping.end, 16)) for mapping in core.mappings]
    theirs = {address for address in printed if any(start <= address < end for start, end in mapped)}
    addresses = {int(frame.address, 16) for thread in core.threads for frame in thread.frames if frame.address}
    # eu-stack shows the return address less one; ours is the address itself.
    return Agreement(sum(bool({address, address + 1, address - 1} & addresses) for address in theirs), len(theirs))


def _compare_python(core: CoreDump, output: str) -> Agreement:
    theirs = {(tid, *frame) for tid, frames in parse_pystack_output(output).items() for frame in frames}
    names = {
        (thread.tid, (frame.file or "").rpartition("/")[2], frame.line, (frame.function or "").rpartition(".")[2])
        for thread in core.threads
        for frame in thread.frames
        if frame.kind == "python"
    }
    both = sum((tid, file.rpartition("/")[2], line, name) in names for tid, file, line, name in theirs)
    return Agreement(both, len(theirs))


def main() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # what is installed has its bytecode
    folder, only = Path(sys.argv[1]), "".join(sys.argv[2:3])
    readers = "ours / gdb / pystack / eu-stack"
    print_row(["case", "thr", "sig", "native", "python", "message", f"CPU s: {readers}", f"MB: {readers}"])
    print_row(["---"] * 8)
    failures: dict[str, list[str]] = {}
    count = 0
    for case, core in make_all(folder, only).values():
        row = compare(case, core)
        print_row(row.cells())
        count += 1
        for failure in row.failures():
            failures.setdefault(failure, []).append(row.name)
    sys.stdout.write(f"\n{count} rows; worse than the best of the others in:\n")
    for failure, names in failures.items():
        sys.stdout.write(f"* {failure}: {len(names)} ({', '.join(names)})\n")


def print_row(cells: Sequence[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
