"""Recognize that CUDA's driver ended a process, which it does after it has written a GPU core."""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzer.core_dump import CoreDump, CoreThread
from analyzer.cores.lead_frames import choose_lead_frames, format_place, module_name


def explain_driver_abort(core: CoreDump, threads: Sequence[CoreThread]) -> str | None:
    """Return the meaning of a SIGABRT by CUDA's driver, and what the main thread did; None for any other abort.

    The driver aborts in its own thread, after it has loaded its debugger for the GPU core. The first of `threads` is
    the one that crashed.
    """
    modules = (module_name(frame.module) for frame in threads[0].frames if frame.kind == "native")
    caller = next((name for name in modules if name and not name.startswith(("libc.so", "libc-2", "libpthread"))), "")
    loaded = {module_name(module.path).partition(".so")[0] for module in core.modules}
    if core.signal != "SIGABRT" or not caller.startswith("libcuda.so") or "libcudadebugger" not in loaded:
        return None
    main = next((thread.frames for thread in threads[1:] if thread.tid == core.pid), [])
    places = choose_lead_frames([frame for frame in main if not _is_runtime(frame.function or "")])
    shown = ", called from ".join(format_place(frame) for frame in places if frame is not None)
    where = f"; the main thread was in {shown}" if shown else ""
    return f"CUDA's driver ended the process because a GPU kernel failed; the GPU core (.nvcudmp) names it{where}"


def _is_runtime(function: str) -> bool:
    return re.match(r"cuda[A-Z]|cu[A-Z]|libcudart_static|absl::|tsl::|nsync", function) is not None
