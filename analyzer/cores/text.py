"""A core in plain lines for people: what `tf-postmortem core` prints."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.core_dump import (
    NO_THREAD_STATES,
    TRUSTED_STATUSES,
    CoreDump,
    CoreFrame,
    CoreModule,
    CoreThread,
    CrashPlaces,
)
from analyzer.cores.disassembly import disassemble
from analyzer.cores.elf.registers import PC_NAMES
from analyzer.cores.recursion import fold_recursion

VDSO_PATH = "[vdso]"
MAX_LISTED_THREADS = 12  # threads with equal stacks that are listed


def describe_core(core: CoreDump) -> Iterator[str]:
    """Yield the facts, the crashing thread's stack, the other stacks, and the modules that are missing."""
    facts = core.facts
    if facts.gpu is not None:
        from analyzer.cores.gpu_text import describe_gpu_core

        yield from describe_gpu_core(core, facts.gpu)
        return
    yield f"{core.file}: {core.executable or 'unknown program'}, pid {core.pid}"
    if core.command_line:
        yield "  command: " + core.command_line
    if core.signal:
        yield f"  signal: {core.signal} ({core.signal_code or 'no siginfo'}) {_describe_origin(core)}".rstrip()
    if facts.explanation:
        yield f"  means: {facts.explanation}"
    if facts.fault_mapping and facts.fault_mapping not in (facts.explanation or ""):
        yield f"  mapped there: {facts.fault_mapping}"
    if (interrupted := facts.interrupted) and interrupted.signal != core.signal:
        address = f" at {interrupted.fault_address}" if interrupted.fault_address else ""
        first_signal = f"{interrupted.signal} ({interrupted.signal_code}){address}"
        yield f"  in the handler of: {first_signal}: {interrupted.explanation}"
    if core.abort_message:
        yield f"  message: {core.abort_message}"
    yield from _describe_places(facts.places)
    if facts.interpreter:
        holder = facts.interpreter.gil_holder
        is_known = NO_THREAD_STATES not in core.problems
        gil = f", GIL held by {f'thread {holder}' if holder else 'no thread'}" if is_known else ""
        yield f"  Python {facts.interpreter.version}{gil}"
    yield f"  signature: {core.signature}"
    for problem in core.problems:
        yield f"  note: {problem}"
    for sentence in facts.waits:
        yield f"  waits: {sentence}"
    for thread in sorted(core.threads, key=lambda thread: thread.tid != core.crashing_thread):
        yield ""
        crashed = " (crashed)" if thread.tid == core.crashing_thread else ""
        name = f" {thread.name}" if thread.name else ""
        role = f", {thread.role}" if thread.role else ""
        wait = f", waits for {thread.wait.what}" if thread.wait else ""
        yield f"thread {thread.tid}{name}{crashed}{_describe_sharing_threads(thread)}{role}{wait}"
        yield from _describe_frames(thread)
    missing = _list_missing_modules(core)
    if missing:
        yield ""
        yield "modules whose file was not found or is another build:"
        yield from (f"  {module.status:10} {module.path} {module.build_id or ''}".rstrip() for module in missing)


def _describe_places(places: CrashPlaces | None) -> Iterator[str]:
    if places is None:
        return
    if places.native:
        yield f"  crashed in: {places.native} of {places.module}"
    if places.python:
        yield f"  {'called from' if places.native else 'crashed in'}: {places.python}, Python, {places.python_file}"
    if places.operation:
        node = f", node {places.node}" if places.node and places.node != places.operation else ""
        yield f"  operation: {places.operation}{node}{f', inputs {places.inputs}' if places.inputs else ''}"


def _describe_sharing_threads(thread: CoreThread) -> str:
    """Return how many threads have the same stack, and the ids of the first ones."""
    if not thread.also:
        return ""
    listed = ", ".join(map(str, thread.also[:MAX_LISTED_THREADS]))
    more = ", …" if len(thread.also) > MAX_LISTED_THREADS else ""
    return f" and {len(thread.also)} more with this stack: {listed}{more}"


def list_missing_binaries(core: CoreDump) -> Iterator[str]:
    """Yield `BUILD_ID  PATH` of each file to collect for better stacks: those of the crashed thread's frames first."""
    used = {frame.module for thread in core.threads if thread.tid == core.crashing_thread for frame in thread.frames}
    for module in sorted(_list_missing_modules(core), key=lambda module: module.path not in used):
        yield f"{module.build_id or '-'}  {module.path}"


def _list_missing_modules(core: CoreDump) -> list[CoreModule]:
    """Return the modules whose file was not found. The vDSO has none: the kernel maps its own."""
    return [m for m in core.modules if m.status not in TRUSTED_STATUSES and m.path != VDSO_PATH]


def list_registers(core: CoreDump) -> Iterator[str]:
    """Yield the crashing thread's registers, four a line, and the bytes at its program counter."""
    registers = list((core.facts.registers or {}).items())
    yield ""
    yield "registers"
    for start in range(0, len(registers), 4):
        yield "  " + "  ".join(f"{name:>8} {int(value, 16):#018x}" for name, value in registers[start : start + 4])
    if core.facts.instruction:
        yield f"  code at the program counter: {core.facts.instruction}"
        pc = next((int(value, 16) for name, value in registers if name in PC_NAMES), None)
        code = bytes.fromhex(core.facts.instruction)
        for line in disassemble(core.facts.machine, code, pc) if pc is not None else ():
            yield f"    {line}"


def _describe_origin(core: CoreDump) -> str:
    if core.fault_address is not None:
        return f"at {core.fault_address}"
    return f"sent by pid {core.sender_pid}" if core.sender_pid is not None else ""


def _describe_frames(thread: CoreThread) -> Iterator[str]:
    omitted, skipped = thread.omitted, 0
    for start, period, count in fold_recursion(thread.frames, omitted.after if omitted else None):
        for index in range(start, start + period):
            if omitted and index == omitted.after:
                repeat = f", repeating every {omitted.period}" if omitted.period else ""
                yield f"       … {omitted.frames} more frames{repeat} …"
                skipped = omitted.frames
            frame = thread.frames[index]
            yield f"  #{index + skipped:<3} {_describe_frame(frame)}"
            if frame.source is not None:
                yield f"         > {frame.source}"
            yield from (f"         {name} = {value}" for name, value in (frame.locals or {}).items())
        if count > 1:
            yield f"       … {'this frame' if period == 1 else f'these {period} frames'} {count - 1} more times …"
    yield f"       ({thread.stop})"


def _describe_frame(frame: CoreFrame) -> str:
    location = f" at {frame.file}:{frame.line}" if frame.file else ""
    if frame.kind == "python":
        return f"{frame.function}{location}  [python]"
    module = f" in {frame.module.rsplit('/', 1)[-1]}" if frame.module else ""
    if frame.function:
        name = frame.function + (f"+{frame.offset:#x}" if frame.offset else "")
    else:
        name = f"{frame.address}" + (f" (+{frame.module_offset})" if frame.module_offset else "")
    method = "" if frame.how in ("context", "cfi") else f"  [{frame.how}]"
    return f"{name}{module}{location}{' [inlined]' if frame.inlined else ''}{method}"
