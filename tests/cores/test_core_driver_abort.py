"""A host process that CUDA's driver ended; the stacks are those of one on an H100."""

from __future__ import annotations

from analyzer.core_dump import CoreDump, CoreFrame, CoreModule, CoreThread
from analyzer.cores.driver_abort import explain_driver_abort

LIBRARIES = "/usr/lib/x86_64-linux-gnu"


def native(function: str | None, module: str) -> CoreFrame:
    return CoreFrame(kind="native", function=function, module=module)


def made_core(*, debugger: bool = True, signal: str = "SIGABRT") -> CoreDump:
    names = ["libc.so.6", "libcuda.so.580.159.04", *(["libcudadebugger.so.580.159.04"] if debugger else [])]
    modules = [
        CoreModule(path=f"{LIBRARIES}/{name}", start="0x1", end="0x2", status="missing", build_id=None)
        for name in names
    ]
    driver = f"{LIBRARIES}/libcuda.so.580.159.04"
    handler = [native("abort", f"{LIBRARIES}/libc.so.6"), native(None, driver), native(None, driver)]
    main = [
        native(None, driver),
        native("cudaDeviceSynchronize", "/srv/train/faults"),
        native("main", "/srv/train/faults"),
    ]
    threads = [CoreThread(tid=734, frames=handler), CoreThread(tid=729, frames=main)]
    return CoreDump(file="core.729", pid=729, signal=signal, modules=modules, threads=threads)


def test_the_abort_is_explained_and_the_main_threads_place_is_named() -> None:
    core = made_core()
    assert explain_driver_abort(core, core.threads) == (
        "CUDA's driver ended the process because a GPU kernel failed; the GPU core (.nvcudmp) names it; "
        "the main thread was in main"
    )


def test_other_aborts_stay_what_they_are() -> None:
    for core in (made_core(debugger=False), made_core(signal="SIGSEGV")):
        assert explain_driver_abort(core, core.threads) is None
