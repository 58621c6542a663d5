"""Who waits for whom: kinds of waits, owners of mutexes, circles, and the node that waits elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import MakeCore
from crashing import compile_program, crash_by_signal

from analyzer.core_dump import (
    CoreDetail,
    CoreDump,
    CoreFacts,
    CoreFrame,
    CoreThread,
    CoreWait,
    core_from_json,
    core_to_json,
)
from analyzer.cores.dwarf.machine import MACHINES
from analyzer.cores.elf.binaries import BinaryLocator
from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.elf.notes import ThreadNote
from analyzer.cores.reader import read_core
from analyzer.cores.wait_kinds import find_role, find_wait
from analyzer.cores.waits import describe_waits, fill_waits, find_circle
from analyzer.facts.core_events import crash_events
from analyzer.facts.crash_matching import find_odd_waits


def make_thread(tid: int, what: str, holder: int | None = None, role: str | None = None) -> CoreThread:
    frames = [CoreFrame(kind="python", function="load", file="/home/me/train.py", line=8)]
    return CoreThread(tid=tid, frames=frames, role=role, wait=CoreWait(what=what, holder=holder))


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (["pthread_cond_timedwait", "take_gil", "PyEval_RestoreThread"], "the GIL"),
        (["__lll_lock_wait", "pthread_mutex_lock", "push"], "a mutex"),
        (["sched_yield", "ncclGroupEndInternal", "ncclAllReduce"], "the collective ncclGroupEndInternal"),
        (["syscall", "nsync::nsync_mu_semaphore_p", "tensorflow::RingReducer::Run"], "the collective RingReducer::Run"),
        (["do_futex_wait", "PyThread_acquire_lock_timed", "queue.py:Queue.get"], "a queue (queue.py:Queue.get)"),
        (["__futex_abstimed_wait_common", "PyThread_acquire_lock_timed", "train.py:waiter"], "a Python lock"),
        (["__futex_abstimed_wait_common", "sem_wait", "threading.py:Thread.join"], "another thread to end"),
        (["syscall", "Eigen::ThreadPoolTempl::WaitForWork"], "work, as an idle worker does"),
        (["epoll_wait", "grpc_core::Poller::Work"], "events of gRPC, as a poller does"),
        (["read", "_Py_read"], "a file"),
        (["ioctl", "something_else"], "the kernel"),
        ([], "the kernel"),
    ],
)  # fmt: skip
def test_what_a_thread_waits_for_shows_in_its_functions(names: list[str], what: str) -> None:
    assert find_wait(names).what == what


def test_the_role_of_a_thread_shows_in_its_functions() -> None:
    assert (
        find_role(["x", "tensorflow::data::MapDataset::Run", "Eigen::ThreadPoolTempl::WorkerLoop"]) == "tf.data thread"
    )
    assert find_role(["x", "thread_run"]) == "Python thread"
    assert find_role(["x"]) is None


def test_a_circle_of_waiting_threads_is_a_deadlock() -> None:
    circle = [make_thread(7, "a mutex", 8), make_thread(8, "the GIL", 7), make_thread(9, "a mutex", 8)]
    assert sorted(find_circle(circle)) == [7, 8]
    first, second = describe_waits(circle)
    assert first.startswith("deadlock: thread 7 in load (train.py:8) waits for a mutex that thread 8 holds, thread 8")
    assert second == "thread 9 in load (train.py:8) waits for a mutex that thread 8 holds in load (train.py:8)"
    assert not find_circle([make_thread(7, "a mutex", 8), make_thread(8, "a queue")])


def test_equal_waits_are_one_sentence_and_the_main_thread_comes_first() -> None:
    threads = [
        *(make_thread(tid, "a Python lock", role="Python thread") for tid in (11, 12)),
        make_thread(7, "another thread to end", role="main thread"),
        CoreThread(tid=13, frames=[], wait=CoreWait(what="work, as an idle worker does", is_telling=False)),
    ]
    assert describe_waits(threads) == [
        "the main thread in load (train.py:8) waits for another thread to end",
        "2 threads (11, 12) (Python thread) in load (train.py:8) wait for a Python lock",
        "1 thread waits for work, as an idle worker does",
    ]


def test_a_mutex_names_its_owner(tmp_path: Path) -> None:
    program = compile_program("crash.c", tmp_path / "crash", "-O1", "-g")
    file, _ = crash_by_signal(tmp_path / "core", [str(program), "relock"], 3)
    core = core_from_json(core_to_json(read_core(file)))
    [thread] = core.threads
    assert thread.wait == CoreWait(what="a mutex", holder=thread.tid)
    assert core.facts.deadlock == [thread.tid]
    [event] = [event for event in crash_events(core, "n1") if event.signal == "core.hang"]
    assert "that it holds itself" in event.captures["deadlock"]
    assert event.captures["where"].startswith("lock_twice (crash.c:")


def test_lines_of_all_threads_come_when_asked_for(make_core: MakeCore) -> None:
    core = make_core("threads", "-O1", "-g")

    def lines(**detail: bool) -> set[tuple[str | None, int | None]]:
        threads = read_core(core, detail=CoreDetail(**detail)).threads[1:]  # type: ignore[arg-type]
        return {(frame.function, frame.line) for thread in threads for frame in thread.frames if frame.line}

    assert lines() == set()
    assert {"idle", "six_threads"} <= {function for function, _ in lines(all_lines=True)}


def make_hung(node: str, *whats: str) -> CoreDump:
    threads = [make_thread(n, what) for n, what in enumerate(whats, 1)]
    return CoreDump(file=f"{node}/core", node=node, threads=threads, facts=CoreFacts(waits=["x"]))


def test_the_process_that_does_not_join_the_others_is_the_odd_one() -> None:
    meeting = "the collective ncclAllReduce"
    cores = [make_hung("n1", meeting, "a queue"), make_hung("n2", meeting), make_hung("n3", "a file")]
    assert find_odd_waits(cores) == {"n3/core": f"2 others wait for {meeting}"}
    assert not find_odd_waits(cores[1:])  # one against one tells nothing
    assert not find_odd_waits([make_hung("n1", "a file"), make_hung("n2", "a file"), make_hung("n3", "a queue")])


@pytest.mark.parametrize("how", ["null", "assert"])
def test_a_thread_that_crashed_waits_for_nothing(
    make_core: MakeCore, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """Even if the code is not in the core, and a system call may stand before its program counter."""
    monkeypatch.setattr(BinaryLocator, "candidates", lambda *_: iter(()))
    crashed = read_core(make_core(how, "-O1", "-g")).crashed_thread
    assert crashed is not None
    assert crashed.wait is None


def test_a_thread_that_runs_in_unreadable_code_waits_for_nothing() -> None:
    memory = ProcessMemory(b"", 0, [], "<", 64)
    threads = [CoreThread(tid=tid, frames=[]) for tid in (7, 8)]
    registers = [{"rip": 0x401000, "orig_rax": number} for number in ((1 << 64) - 1, 0)]  # none; read(2)
    notes = [
        ThreadNote(tid=thread.tid, ppid=1, signal=0, registers=thread_registers)
        for thread, thread_registers in zip(threads, registers, strict=True)
    ]
    fill_waits(threads, notes, memory, MACHINES[62], pid=7, gil_holder=None)
    assert threads[0].wait is None
    assert threads[1].wait is not None
