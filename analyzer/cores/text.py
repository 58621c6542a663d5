"""A core in plain lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from analyzer.cores.core_dump import TRUSTED_STATUSES

MAX_LISTED_THREADS = 12  # threads of one stack that are listed


def describe_core(core: Mapping[str, Any]) -> Iterator[str]:
    """The facts, the crashing thread's stack, the others, what is missing. `core` is what `read_core` returns."""
    if gpu := core["facts"].get("gpu"):
        yield from _describe_gpu(core, gpu)
        return
    yield f"{core['file']}: {core['executable'] or 'unknown program'}, pid {core['pid']}"
    if core["command_line"]:
        yield "  command: " + core["command_line"]
    if core["signal"]:
        yield f"  signal: {core['signal']} ({core['signal_code'] or 'no siginfo'}) {_describe_origin(core)}".rstrip()
    if core["facts"].get("explanation"):
        yield f"  means: {core['facts']['explanation']}"
    if before := core["facts"].get("interrupted"):
        place = f" at {before['fault_address']}" if before["fault_address"] else ""
        yield f"  in the handler of: {before['signal']} ({before['signal_code']}){place}: {before['explanation']}"
    if core["abort_message"]:
        yield f"  message: {core['abort_message']}"
    yield f"  signature: {core['signature']}"
    for problem in core["problems"]:
        yield f"  note: {problem}"
    threads = sorted(core["threads"], key=lambda t: t["tid"] != core["crashing_thread"])
    for thread in threads:
        yield ""
        crashed = " (crashed)" if thread["tid"] == core["crashing_thread"] else ""
        yield f"thread {thread['tid']}{' ' + thread['name'] if thread['name'] else ''}{crashed}{_describe_sharing_threads(thread)}"
        yield from _describe_frames(thread)
    missing = [m for m in core["modules"] if m["status"] not in TRUSTED_STATUSES]
    if missing:
        yield ""
        yield "modules whose file was not found or is another build:"
        yield from (f"  {m['status']:10} {m['path']} {m['build_id'] or ''}".rstrip() for m in missing)


def _describe_sharing_threads(thread: Mapping[str, Any]) -> str:
    """The threads that were folded into this one."""
    also: list[int] = thread.get("also", [])
    if not also:
        return ""
    named = ", ".join(map(str, also[:MAX_LISTED_THREADS])) + (", …" if len(also) > MAX_LISTED_THREADS else "")
    return f" and {len(also)} more with this stack: {named}"


def _describe_gpu(core: Mapping[str, Any], gpu: Mapping[str, Any]) -> Iterator[str]:
    yield f"{core['file']}: GPU core, {len(gpu['devices'])} devices, {len(gpu['grids'])} kernels running"
    for device in gpu["devices"]:
        yield f"  device {device['id']}: {device['name']} ({device['architecture']}, PCI {device['pci']})"
    for grid in gpu["grids"]:
        size, block = ("x".join(map(str, grid[key])) for key in ("grid_size", "block_size"))
        threads = f"{size} blocks of {block} threads, of host thread {grid['host_tid']}"
        yield f"  kernel {grid['kernel'] or grid['entry']}: {threads}"
    for exception in gpu["exceptions"]:
        known = [
            f"{word} {exception[word]}"
            for word in ("block", "warp", "lanes", "thread", "pc")
            if exception[word] is not None
        ]
        yield f"  {exception['exception']} in {exception['kernel'] or 'an unknown kernel'}: device {exception['device']}, SM {exception['sm']}"
        yield f"    {', '.join(known)}"
    for problem in core["problems"]:
        yield f"  note: {problem}"


def list_missing_binaries(core: Mapping[str, Any]) -> Iterator[str]:
    """The files to collect for better stacks: those of the crashing thread's frames first, then in order of address."""
    used = {f["module"] for t in core["threads"] if t["tid"] == core["crashing_thread"] for f in t["frames"]}
    wanted = [m for m in core["modules"] if m["status"] not in TRUSTED_STATUSES]
    for module in sorted(wanted, key=lambda m: m["path"] not in used):
        yield f"{module['build_id'] or '-'}  {module['path']}"


def list_registers(core: Mapping[str, Any]) -> Iterator[str]:
    """The crashing thread's registers, four a line, and the bytes at its program counter."""
    registers = list((core["facts"].get("registers") or {}).items())
    yield ""
    yield "registers"
    for start in range(0, len(registers), 4):
        yield "  " + "  ".join(f"{name:>8} {int(value, 16):#018x}" for name, value in registers[start : start + 4])
    if code := core["facts"].get("instruction"):
        yield f"  code at the program counter: {code}"


def _describe_origin(core: Mapping[str, Any]) -> str:
    if core["fault_address"] is not None:
        return f"at {core['fault_address']}"
    return f"sent by pid {core['sender_pid']}" if core["sender_pid"] is not None else ""


def _describe_frames(thread: Mapping[str, Any]) -> Iterator[str]:
    omitted = thread.get("omitted")
    for index, frame in enumerate(thread["frames"]):
        if omitted and index == omitted["after"]:
            repeat = f", repeating every {omitted['period']}" if omitted["period"] else ""
            yield f"       … {omitted['frames']} more frames{repeat} …"
        skipped = omitted["frames"] if omitted and index >= omitted["after"] else 0
        yield f"  #{index + skipped:<3} {_describe_frame(frame)}"
    yield f"       ({thread['stop']})"


def _describe_frame(frame: Mapping[str, Any]) -> str:
    location_note = f" at {frame['file']}:{frame['line']}" if frame["file"] else ""
    if frame["kind"] == "python":
        return f"{frame['function']}{location_note}  [python]"
    module_note = f" in {frame['module'].rsplit('/', 1)[-1]}" if frame["module"] else ""
    if frame["function"]:
        name = frame["function"] + (f"+{frame['offset']:#x}" if frame["offset"] else "")
    else:
        name = f"{frame['address']}" + (f" (+{frame['module_offset']})" if frame["module_offset"] else "")
    method_note = "" if frame["how"] in ("context", "cfi") else f"  [{frame['how']}]"
    return f"{name}{module_note}{location_note}{' [inlined]' if frame['inlined'] else ''}{method_note}"
