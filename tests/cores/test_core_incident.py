"""Cores and kernel lines of several nodes as one incident."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from core_rows import read_core_row

from analyzer.core_dump import CoreDump, CoreFacts, CoreThread
from analyzer.cores.elf.headers import read_header, read_segments
from analyzer.cores.reader import read_core
from analyzer.facts.core_events import crash_events
from analyzer.facts.crash_matching import join_truncated_crashes
from analyzer.pipeline import analyze

O1 = ("-O1", "-g")


def kernel_line(core: Any, tid: int) -> str:
    """What this kernel writes of the crash (arch/x86/mm/fault.c, print_vma_addr of Linux 6.4)."""
    frame = core["threads"][0]["frames"][0]
    address = int(frame["address"], 16)
    mapping = next(m for m in core["mappings"] if int(m["start"], 16) <= address < int(m["end"], 16))
    start, size = int(mapping["start"], 16), int(mapping["end"], 16) - int(mapping["start"], 16)
    where = f"{frame['module'].rsplit('/', 1)[-1]}[{address - start + mapping['offset']:x},{start:x}+{size:x}]"
    return f"[  100.5] crash[{tid}]: segfault at 14 ip {address:016x} sp 00007ffc00112233 error 4 in {where}\n"


def write_log(folder: Path, index: int) -> None:
    folder.mkdir(parents=True)
    line = "2026-03-01 10:00:0{0}.123456: I tensorflow/core/x.cc:88] starting worker {0}\n"
    (folder / "worker.log").write_text(line.format(index))


def test_equal_crashes_of_many_nodes_are_one_finding(make_core: Any, tmp_path: Path) -> None:
    """Three with a core, one of which is cut; the kernel's line of the first and of a fourth, which has no core."""
    path = make_core("null", *O1)
    core: Any = read_core_row(path)
    for index in range(4):
        write_log(tmp_path / f"node-{index}", index)
    for index in (0, 1):
        shutil.copy(path, tmp_path / f"node-{index}" / "core.7")
    data = path.read_bytes()
    header = read_header(data)
    assert header is not None
    notes = next(s for s in read_segments(data, header) if s.type == 4)
    (tmp_path / "node-2" / "core.7").write_bytes(data[: notes.offset + notes.filesz + 40_000])
    (tmp_path / "node-0" / "dmesg.txt").write_text(kernel_line(core, core["crashing_thread"]))
    (tmp_path / "node-3" / "dmesg.txt").write_text(kernel_line(core, 99))
    incident = analyze([tmp_path])
    crashes = [f for f in incident.findings if "crash" in f.captures]
    assert len(crashes) == 1
    assert crashes[0].captures["nodes"] == "node-0, node-1, node-2, node-3"
    assert {event.locus.file.rsplit("/", 1)[-1] for event in crashes[0].evidence} == {"core.7", "dmesg.txt"}
    assert crashes[0].count == 3
    assert crashes[0].title.startswith("4 nodes: null pointer dereference in read_node")
    assert [root.finding.id for root in incident.root_causes][:1] == [crashes[0].id]


def test_kernel_lines_without_any_core_are_joined_by_their_place(tmp_path: Path) -> None:
    for index, base in enumerate((0x7F2A10000000, 0x7F99AA000000, 0x7F11BB000000)):
        write_log(tmp_path / f"node-{index}", index)
        address = base + (0x1223344 if index < 2 else 0x99)
        (tmp_path / f"node-{index}" / "dmesg.txt").write_text(
            f"[  100.5] python3[{40 + index}]: segfault at 10 ip {address:016x} sp 00007ffc00112233 error 4 in "
            f"libtensorflow_framework.so.2[{base:x}+2000000]\n"
        )
    crashes = [f for f in analyze([tmp_path]).findings if "crash" in f.captures]
    assert [f.captures.get("nodes") for f in crashes] == ["node-0, node-1", None]
    assert crashes[0].captures["module_offset"] == "0x1223344"


def test_a_cut_core_joins_none_where_two_would_fit(make_core: Any) -> None:
    def make_dump(exact: str, stop: str) -> CoreDump:
        levels = {"exact": exact, "native": exact, "python": "SIGSEGV", "coarse": "SIGSEGV | f"}
        thread = CoreThread(tid=1, stop=stop, frames=[])
        facts = CoreFacts(signatures=levels)
        return CoreDump(file="core", signature=exact, crashing_thread=1, threads=[thread], facts=facts)

    full, other, cut = (
        make_dump("SIGSEGV | f | g", "end of stack"),
        make_dump("SIGSEGV | f | h", "end of stack"),
        make_dump("SIGSEGV | f", "gone"),
    )
    assert join_truncated_crashes([cut, full])[0].signature == full.signature
    assert join_truncated_crashes([full, cut])[1].facts.joined_by == "coarse"
    assert join_truncated_crashes([cut, full, other])[0].signature == cut.signature


def test_every_part_of_a_crash_is_an_event(make_core: Any) -> None:
    events = list(crash_events(read_core(make_core("assert", *O1)), "n1"))
    by_signal = {name: [e for e in events if e.signal == name] for name in {e.signal for e in events}}
    assert by_signal["core.signal"][0].captures["signal"] == "SIGABRT"
    assert "Assertion" in by_signal["core.message"][0].captures["message"]
    functions = [e.captures.get("function") for e in by_signal["core.frame"]]
    assert functions[functions.index("check_answer") + 1] == "main"
    assert [e.captures["depth"] for e in by_signal["core.frame"]] == [str(n) for n in range(len(functions))]
    assert len({e.captures["crash"] for e in events}) == 1


def test_a_problem_folder_of_abrt_is_a_core_and_what_was_written_of_it(make_core: Any, tmp_path: Path) -> None:
    """ABRT keeps the core as `coredump` (or `coredump.gz`) beside one small file for each fact."""
    problem = tmp_path / "node-0" / "ccpp-2026-03-01-10:00:00.123456-7"
    problem.mkdir(parents=True)
    shutil.copy(make_core("null", *O1), problem / "coredump")
    for name, text in {"executable": "/opt/job/crash", "pid": "7", "signal": "11", "hostname": "node-0"}.items():
        (problem / name).write_text(text)
    incident = analyze([tmp_path])
    assert [core.signal for core in incident.cores] == ["SIGSEGV"]
    assert incident.root_causes[0].finding.cause == "process.segfault"
    assert all(source.status in ("read", "not-understood") for source in incident.sources)
