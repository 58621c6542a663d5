"""The frames that lead: the user's own, never a wrapper, the C library or a runtime."""

from __future__ import annotations

import pytest

from analyzer.core_dump import CoreDump, CoreFrame, CoreThread
from analyzer.cores.lead_frames import choose_lead_frames
from analyzer.cores.recursion import fold_recursion
from analyzer.cores.signature import make_signatures
from analyzer.facts.core_events import crash_events

SITE = "/opt/venv/lib/python3.11/site-packages"


def native(function: str | None, module: str, line: int | None = None, offset: str = "0x10") -> CoreFrame:
    file = "/src/op.cc" if line else None
    return CoreFrame(kind="native", function=function, module=module, module_offset=offset, file=file, line=line)


def python(function: str, file: str) -> CoreFrame:
    return CoreFrame(kind="python", function=function, file=file, line=3)


OWN = native("BadOp::Compute(tensorflow::OpKernelContext*)", "/home/me/bad_op.so", 18)
MEMCPY = native("__memcpy_avx512_unaligned_erms", "/lib/x86_64-linux-gnu/libc.so.6")
NUMPY = native("raw_array_assign_array", f"{SITE}/numpy/core/_multiarray_umath.so")
TENSORFLOW = native("tensorflow::KernelAndDeviceOp::Run()", f"{SITE}/tensorflow/libtensorflow_cc.so.2")
KILL = native("__pthread_kill_implementation", "/lib/x86_64-linux-gnu/libc.so.6")
UNNAMED_RUNTIME = native(None, "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30")
TRAMPOLINE = native("__restore_rt", "/lib/x86_64-linux-gnu/libc.so.6")
HANDLER = native("on_crash(int)", "/home/me/handlers.so")
WRAPPER = python("bad_op_eager_fallback", "<string>")
EXECUTE = python("quick_execute", f"{SITE}/tensorflow/python/eager/execute.py")
LOAD = python("load_batch", "/home/me/train.py")


@pytest.mark.parametrize(
    ("frames", "native_lead", "python_lead"),
    [
        ([OWN, TENSORFLOW, EXECUTE, WRAPPER, LOAD], OWN, LOAD),
        ([MEMCPY, OWN, LOAD], OWN, LOAD),
        ([MEMCPY, NUMPY, LOAD], NUMPY, LOAD),
        ([TENSORFLOW, OWN, EXECUTE], OWN, EXECUTE),
        ([KILL, UNNAMED_RUNTIME, OWN], OWN, None),
        ([KILL, UNNAMED_RUNTIME], None, None),
        ([HANDLER, TRAMPOLINE, OWN], OWN, None),
        ([EXECUTE, WRAPPER], None, WRAPPER),
        ([native("std::vector<int>::at(unsigned long)", "/home/me/bad_op.so"), OWN], OWN, None),
        ([native(None, "/home/me/stripped.so")], native(None, "/home/me/stripped.so"), None),
        ([python("<module>", "<stdin>"), LOAD], None, python("<module>", "<stdin>")),
    ],
)
def test_the_users_frame_leads(
    frames: list[CoreFrame], native_lead: CoreFrame | None, python_lead: CoreFrame | None
) -> None:
    assert choose_lead_frames(frames) == (native_lead, python_lead)


def test_the_event_of_a_crash_names_both_places() -> None:
    frames = [MEMCPY, OWN, TENSORFLOW, EXECUTE, WRAPPER, LOAD]
    core = CoreDump(
        file="core.7", pid=7, signal="SIGSEGV", crashing_thread=7, threads=[CoreThread(tid=7, frames=frames)]
    )
    event = next(iter(crash_events(core, "n1")))
    assert event.captures["where"] == "BadOp::Compute (op.cc:18)"
    assert event.captures["module"] == "bad_op.so"
    assert event.captures["caller"] == "load_batch (train.py:3)"
    assert event.text.startswith("SIGSEGV in BadOp::Compute (op.cc:18), called from load_batch (train.py:3)")


def test_a_signature_has_no_offset_that_the_next_build_changes() -> None:
    def exact(runtime: str, offset: str, library: str) -> str:
        frames = [
            KILL,
            native(None, f"/usr/lib/{runtime}", offset=offset),
            OWN,
            native(None, f"/home/me/{library}", offset=offset),
        ]
        return make_signatures("SIGABRT", None, [*frames, LOAD], None)["exact"]

    first = exact("libstdc++.so.6.0.30", "0xd44a3", "libhelper.so.1.2")
    assert first == exact("libstdc++.so.6.0.33", "0xe1112", "libhelper.so.1.3")
    assert first == "SIGABRT | BadOp::Compute | libhelper.so | train.py:load_batch"


def test_crashes_of_which_nothing_has_a_name_stay_apart() -> None:
    stripped = [native(None, "/home/me/trainer", offset=offset) for offset in ("0x10", "0x20")]
    assert make_signatures("SIGSEGV", None, stripped[:1], None) != make_signatures("SIGSEGV", None, stripped[1:], None)


@pytest.mark.parametrize(
    "file", ["/tmp/__autograph_generated_file{}.py", "<ipython-input-{}>", "/tmp/ipykernel_9{}/7.py"]
)
def test_the_name_of_a_generated_file_does_not_enter_the_signature(file: str) -> None:
    first, second = (make_signatures("SIGSEGV", None, [python("f", file.format(n))], None) for n in ("ab1", "cd2"))
    assert first == second


def test_a_recursion_is_shown_once() -> None:
    def frames(names: str) -> list[CoreFrame]:
        return [native(name, "/home/me/a.so") for name in names]

    assert list(fold_recursion(frames("abababc"))) == [(0, 2, 3), (6, 1, 1)]
    assert list(fold_recursion(frames("xaaay"))) == [(0, 1, 1), (1, 1, 3), (4, 1, 1)]
    assert list(fold_recursion(frames("aabb"))) == [(0, 4, 1)]
    assert list(fold_recursion(frames("aaaaaa"), gap=3)) == [(0, 1, 3), (3, 1, 3)]
    assert list(fold_recursion([])) == []


@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("core.python3.1000.0123456789abcdef0123456789abcdef.4242.1767326400123456.zst", 1767326400.123456),
        ("core.my.prog.0.0123456789abcdef0123456789abcdef.7.1767326400123456", 1767326400.123456),
        ("core.4242", None),
        ("core.x.0.0123456789abcdef0123456789abcdef.7.never", None),
    ],
)
def test_systemd_writes_the_time_of_a_crash_into_the_name_of_its_core(name: str, time: float | None) -> None:
    core = CoreDump(file=f"n1/{name}", signal="SIGSEGV")
    assert next(iter(crash_events(core, "n1"))).time == time
