"""What is known of one core: `CoreDump` and its parts, with its JSON form (one element of `cores` in incident.json).

Addresses and register values are hexadecimal text (`0x7f00`), as in the JSON: readers compare and print them, and
redaction passes over them. Offsets, sizes and ids are numbers; sizes and offsets count bytes. None means "not known". A
stack's frames stand innermost first. All classes pickle: cores are read in child processes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeVar

ModuleStatus = Literal["verified", "header-match", "path-only", "mismatch", "missing"]
TRUSTED_STATUSES: tuple[ModuleStatus, ...] = ("verified", "header-match")  # the file is surely the one that was mapped

UnwindMethod = Literal["context", "cfi", "frame-pointer", "scan"]
FrameKind = Literal["native", "python"]
END_OF_STACK = "end of stack"  # the stop reason of a stack that is whole
NO_THREAD_STATES = "the interpreter's thread states are not in the core"  # a problem: who holds the GIL is not known


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreDetail:
    """How much of a core is read."""

    threads: str = "all"  # or `crashing`, or `unique`: threads with equal stacks are folded into one
    all_lines: bool = False  # source lines and inlined calls for all threads, not for the crashed one alone
    locals: bool = False  # arguments and variables of the crashed thread's frames; of all threads of a hang
    source: bool = False  # lines of source for the same frames, where the sources lie under the sysroots


DEFAULT_DETAIL = CoreDetail()


@dataclass(slots=True, kw_only=True)
class CoreFrame:
    """One frame of a stack: of native code, inlined into a native frame, or of Python."""

    address: str | None = None
    module: str | None = None  # path of the mapped file
    build_id: str | None = None
    module_offset: str | None = None  # hexadecimal, from the module's load address
    function: str | None = None  # demangled
    offset: int | None = None  # bytes from the function's start
    file: str | None = None
    line: int | None = None
    inlined: bool = False
    kind: FrameKind
    how: UnwindMethod | None = None  # the method that found it
    mangled: str | None = None  # where it differs from `function`
    own: bool = False  # the user's own code, as far as its path tells; of the crashing thread alone
    locals: dict[str, str] | None = None  # arguments and variables as text, where they were asked for
    source: str | None = None  # the line of source, where it was asked for


@dataclass(slots=True, kw_only=True)
class CrashPlaces:
    """Where a person looks first: the innermost frames of the user's own code, else of a library.

    `native` and `python` are `load_batch (train.py:13)`.
    """

    native: str | None = None
    module: str | None = None  # name of the native frame's file
    python: str | None = None
    python_file: str | None = None
    operation: str | None = None  # of TensorFlow: `BadOp`, `mat_mul`
    node: str | None = None  # of the graph, whose operation that is
    inputs: str | None = None  # of the operation: `float32[4,3], int32[]`


@dataclass(slots=True, kw_only=True)
class OmittedFrames:
    """Native frames that are left out of a deep stack."""

    after: int  # index in `frames` before which they belong
    frames: int  # how many
    period: int  # they repeat after so many frames; 0: no period was found


@dataclass(slots=True, kw_only=True)
class PythonGaps:
    """What is missing of a thread's Python frames."""

    omitted: int  # frames that are left out of a deep stack
    problem: str | None  # why the chain of frames ends early


@dataclass(slots=True, kw_only=True)
class CoreWait:
    """What a thread waits for in the kernel."""

    what: str  # `a mutex`, `the collective ncclAllReduce`
    holder: int | None = None  # tid of who holds it, where that is known
    is_telling: bool = True  # False: it waits for work, which is what it is for


@dataclass(slots=True, kw_only=True)
class CoreThread:
    """A thread with its merged native and Python stack."""

    tid: int
    frames: list[CoreFrame]
    name: str | None = None  # of the main thread, which a core notes, and of threads that Python started
    stop: str | None = None  # why the stack ends; END_OF_STACK where it is whole
    omitted: OmittedFrames | None = None
    python: PythonGaps | None = None
    also: list[int] = field(default_factory=list)  # tids of threads that have an equal stack and were folded into this
    role: str | None = None  # `main thread`, `tf.data thread`
    wait: CoreWait | None = None  # None: it runs, or that is not known


@dataclass(slots=True, kw_only=True)
class CoreModule:
    """A loaded object and how surely its file was found."""

    path: str
    start: str
    end: str
    build_id: str | None
    status: ModuleStatus


@dataclass(slots=True, kw_only=True)
class CoreMapping:
    """A mapping of the process: [start, end)."""

    start: str
    end: str
    flags: str = "---"  # as in /proc/PID/maps: `r-x`
    path: str | None = None
    offset: int | None = None  # of its start in the mapped file
    in_core: int = 0  # bytes of it that the core holds


@dataclass(slots=True, kw_only=True)
class CoreProcess:
    """The process as its NT_PRPSINFO note states it."""

    ppid: int
    uid: int
    gid: int
    comm: str  # the program's name, at most 15 bytes


@dataclass(slots=True, kw_only=True)
class CoreCommand:
    """Arguments and environment with their secrets masked."""

    arguments: list[str]
    environment: dict[str, str]
    limits: list[str]  # sentences: why they may be incomplete


@dataclass(slots=True, kw_only=True)
class CoreInterpreter:
    """The Python interpreter of the process."""

    version: str  # `3.11.7`, or `3.10` where only that is known
    gil_holder: int | None  # tid


@dataclass(slots=True, kw_only=True)
class InterruptedSignal:
    """A signal with what is known of its fault: of the one whose handler the crashing thread was in when it died."""

    signal: str | None
    signal_code: str | None = None
    fault_address: str | None = None
    fault_mapping: str | None = None
    explanation: str | None = None


@dataclass(slots=True, kw_only=True)
class GpuDevice:
    """A device of a GPU core."""

    id: int
    name: str | None = None
    type: str | None = None
    architecture: str | None = None  # `sm_90`
    pci: str | None = None  # `bus:device`, hexadecimal
    sms: int = 0
    warps_per_sm: int = 0
    lanes_per_warp: int = 0


@dataclass(slots=True, kw_only=True)
class GpuGrid:
    """A running kernel of a GPU core. Sizes are x, y, z: blocks of the grid, threads of a block."""

    id: int
    kernel: str | None
    entry: str
    grid_size: list[int]
    block_size: list[int]
    host_tid: int


@dataclass(slots=True, kw_only=True)
class GpuFrame:
    """A frame of GPU code: of a kernel, of a function that it calls, or of an inlined one."""

    address: str
    function: str | None = None
    file: str | None = None
    line: int | None = None
    inlined: bool = False


@dataclass(slots=True, kw_only=True)
class GpuPlace:
    """Where warps without an exception stand."""

    kernel: str | None
    warps: int
    frames: list[GpuFrame] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class GpuException:
    """An exception of a GPU core: where it struck, as far as the tables state it."""

    code: int | None = None  # number in EXCEPTION_NAMES; None: no table states it
    exception: str
    pc: str | None = None
    kernel: str | None = None
    grid: int | None = None
    block: list[int] | None = None  # x, y, z
    warp: int | None = None
    lanes: list[int] | None = None
    thread: list[int] | None = None  # x, y, z of the first lane
    device: int | None = None
    sm: int | None = None
    frames: list[GpuFrame] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class GpuCore:
    """What a GPU core holds in place of threads."""

    devices: list[GpuDevice] = field(default_factory=list)
    grids: list[GpuGrid] = field(default_factory=list)
    exceptions: list[GpuException] = field(default_factory=list)
    running: list[GpuPlace] = field(default_factory=list)  # if nothing failed: of kernels, the most warps first
    driver: str | None = None  # `580.159`
    cuda: str | None = None  # `13.0`
    written: float | None = None  # UTC seconds


@dataclass(slots=True, kw_only=True)
class CoreFacts:
    """What the analyzer found beyond the documented keys; in the JSON these stand under `facts`."""

    machine: str | None = None  # `x86_64`; None: the file could not be opened as a core
    bits: int | None = None  # 32 or 64
    command: CoreCommand | None = None
    process: CoreProcess | None = None
    registers: dict[str, str] | None = None  # of the crashing thread
    instruction: str | None = None  # up to 16 bytes at the program counter, hexadecimal without prefix
    needs_cpu: str | None = None  # CPU flag that an illegal instruction needs, as in /proc/cpuinfo
    fault_mapping: str | None = None  # what was mapped at the fault address: `rw- /dev/shm/x`
    explanation: str | None = None  # what the signal most likely means, a sentence
    interpreter: CoreInterpreter | None = None
    interrupted: InterruptedSignal | None = None
    signatures: dict[str, str] | None = None  # by level: exact, native, python, coarse
    joined_by: str | None = None  # level by which a core that was cut took the signature of a whole one
    gpu: GpuCore | None = None
    waits: list[str] = field(default_factory=list)  # sentences: which threads wait for what, the most telling first
    deadlock: list[int] = field(default_factory=list)  # tids that wait for each other in a circle
    places: CrashPlaces | None = None
    written: float | None = None  # UTC seconds; a minidump states when it was written, a core does not


@dataclass(slots=True, kw_only=True)
class CoreDump:
    """One core. The reader fills it step by step; afterwards nothing changes it but `dataclasses.replace`."""

    file: str  # path in the bundle
    node: str | None = None  # set once all sources of the bundle are known
    pid: int | None = None
    executable: str | None = None
    command_line: str | None = None  # secrets masked
    signal: str | None = None  # `SIGSEGV`; None: no signal ended the process
    signal_code: str | None = None  # `SEGV_MAPERR`; None: the core has no siginfo
    fault_address: str | None = None
    sender_pid: int | None = None  # who sent the signal, where a process did
    crashing_thread: int | None = None  # tid
    abort_message: str | None = None
    signature: str | None = None  # equal for equal crashes
    threads: list[CoreThread] = field(default_factory=list)
    modules: list[CoreModule] = field(default_factory=list)
    mappings: list[CoreMapping] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # sentences: what limits the reading
    auxv: dict[str, str] = field(default_factory=dict)  # the kernel's auxiliary vector: name to hexadecimal value
    facts: CoreFacts = field(default_factory=CoreFacts)

    @property
    def crashed_thread(self) -> CoreThread | None:
        """The thread that `crashing_thread` names."""
        return next((thread for thread in self.threads if thread.tid == self.crashing_thread), None)


def core_to_json(core: CoreDump) -> dict[str, Any]:
    """Return the core as one element of `cores` in incident.json: new dicts and lists of JSON values.

    The order of the keys is part of the output. Keys under `facts`, and some of threads and frames, are absent where
    the core has nothing to state.
    """
    return {
        "file": core.file,
        "node": core.node,
        "pid": core.pid,
        "executable": core.executable,
        "command_line": core.command_line,
        "signal": core.signal,
        "signal_code": core.signal_code,
        "fault_address": core.fault_address,
        "sender_pid": core.sender_pid,
        "crashing_thread": core.crashing_thread,
        "abort_message": core.abort_message,
        "signature": core.signature,
        "threads": [_thread_to_json(thread) for thread in core.threads],
        "modules": [asdict(module) for module in core.modules],
        "mappings": [asdict(mapping) for mapping in core.mappings],
        "problems": list(core.problems),
        "auxv": dict(core.auxv),
        "facts": _facts_to_json(core),
    }


def _thread_to_json(thread: CoreThread) -> dict[str, Any]:
    row: dict[str, Any] = {
        "tid": thread.tid,
        "name": thread.name,
        "stop": thread.stop,
        "frames": [_frame_to_json(frame) for frame in thread.frames],
    }
    if thread.omitted is not None:
        row["omitted"] = asdict(thread.omitted)
    if thread.python is not None:
        row["python"] = asdict(thread.python)
    if thread.also:
        row["also"] = list(thread.also)
    if thread.role is not None:
        row["role"] = thread.role
    if thread.wait is not None:
        row["wait"] = asdict(thread.wait)
    return row


def _frame_to_json(frame: CoreFrame) -> dict[str, Any]:
    row = {name: getattr(frame, name) for name in _FRAME_KEYS}
    if frame.mangled is not None:
        row["mangled"] = frame.mangled
    if frame.own:
        row["own"] = True
    if frame.locals:
        row["locals"] = dict(frame.locals)
    if frame.source is not None:
        row["source"] = frame.source
    return row


def _facts_to_json(core: CoreDump) -> dict[str, Any]:
    facts = core.facts
    if facts.machine is None:
        return {}
    row: dict[str, Any] = {"machine": facts.machine, "bits": facts.bits}
    for part in (facts.command, facts.process):
        if part is not None:
            row |= asdict(part)
    if facts.registers is not None:
        row["registers"] = dict(facts.registers)
    if core.signal is not None:
        row |= {"instruction": facts.instruction, "needs_cpu": facts.needs_cpu}
    if core.signal_code is not None:
        row["fault_mapping"] = facts.fault_mapping
    if facts.explanation is not None:
        row["explanation"] = facts.explanation
    if facts.interpreter is not None:
        row |= {"python": facts.interpreter.version, "gil_holder": facts.interpreter.gil_holder}
    if facts.signatures is not None:
        row["interrupted"] = asdict(facts.interrupted) if facts.interrupted is not None else None
        row["signatures"] = dict(facts.signatures)
    if facts.joined_by is not None:
        row["joined_by"] = facts.joined_by
    if facts.gpu is not None:
        row["gpu"] = asdict(facts.gpu)
    if facts.places is not None:
        row["places"] = asdict(facts.places)
    if facts.written is not None:
        row["written"] = facts.written
    if facts.waits:
        row |= {"waits": list(facts.waits), "deadlock": list(facts.deadlock)}
    return row


def core_from_json(row: Mapping[str, Any]) -> CoreDump:
    """Return the core that `core_to_json` wrote as `row`; text in it may have been redacted meanwhile."""
    core = _from_row(CoreDump, row)
    core.threads = [_thread_from_json(thread) for thread in row["threads"]]
    core.modules = [_from_row(CoreModule, module) for module in row["modules"]]
    core.mappings = [_from_row(CoreMapping, mapping) for mapping in row["mappings"]]
    core.facts = _facts_from_json(row["facts"])
    return core


def _thread_from_json(row: Mapping[str, Any]) -> CoreThread:
    thread = _from_row(CoreThread, row)
    thread.frames = [_from_row(CoreFrame, frame) for frame in row["frames"]]
    thread.omitted = _from_row(OmittedFrames, row["omitted"]) if "omitted" in row else None
    thread.python = _from_row(PythonGaps, row["python"]) if "python" in row else None
    thread.wait = _from_row(CoreWait, row["wait"]) if "wait" in row else None
    return thread


def _facts_from_json(row: Mapping[str, Any]) -> CoreFacts:
    facts = _from_row(CoreFacts, row)
    facts.command = _from_row(CoreCommand, row) if "arguments" in row else None
    facts.process = _from_row(CoreProcess, row) if "ppid" in row else None
    facts.interpreter = (
        CoreInterpreter(version=row["python"], gil_holder=row["gil_holder"]) if "python" in row else None
    )
    facts.places = _from_row(CrashPlaces, row["places"]) if "places" in row else None
    facts.interrupted = _from_row(InterruptedSignal, row["interrupted"]) if row.get("interrupted") else None
    if "gpu" in row:
        facts.gpu = _gpu_from_json(row["gpu"])
    return facts


def _gpu_from_json(row: Mapping[str, Any]) -> GpuCore:
    gpu = _from_row(GpuCore, row)
    gpu.devices = [_from_row(GpuDevice, device) for device in row["devices"]]
    gpu.grids = [_from_row(GpuGrid, grid) for grid in row["grids"]]
    gpu.exceptions = [_from_row(GpuException, exception) for exception in row["exceptions"]]
    gpu.running = [_from_row(GpuPlace, place) for place in row.get("running", ())]
    stacks: list[GpuException | GpuPlace] = [*gpu.exceptions, *gpu.running]
    for part in stacks:
        part.frames = [_from_row(GpuFrame, frame) for frame in part.frames]  # type: ignore[arg-type]
    return gpu


def _from_row(kind: type[_Record], row: Mapping[str, Any]) -> _Record:
    return kind(**{item.name: row[item.name] for item in fields(kind) if item.name in row})  # type: ignore[arg-type]


_Record = TypeVar("_Record")
_FRAME_KEYS = tuple(item.name for item in fields(CoreFrame) if item.name not in ("mangled", "own", "locals", "source"))
