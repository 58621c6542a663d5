"""The small bundle of a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.core_dump import (
    END_OF_STACK,
    CoreDump,
    CoreFacts,
    CoreFrame,
    CoreThread,
    CoreWait,
    GpuCore,
    GpuException,
    InterruptedSignal,
)
from analyzer.rule_tests.inline_expectations import AnnotatedLog, read_expectations
from analyzer.rule_tests.time_shift import shift_times

TEST_KINDS = ("fires", "silent", "marked")
MAX_LOG_BYTES = 64 * 1024 * 1024  # of a log that a test names
TestFile = tuple[str, str | dict[str, object] | CoreDump]  # path, text or `{"from": path}` or a core


class RuleTestError(ValueError):
    """What is wrong with the test itself, in one sentence."""

    __test__ = False  # tells pytest that this is not a test class


@dataclass(slots=True)
class RuleTestBundle:
    """The files of a test. `annotated_logs` and `files` hold those texts that come from a file beside the pack."""

    __test__ = False

    texts: dict[str, str] = field(default_factory=dict)
    cores: list[CoreDump] = field(default_factory=list)
    annotated_logs: dict[str, AnnotatedLog] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)


def test_kind(test: Mapping[str, object]) -> str:
    """Return `fires`, `silent` or `marked`. Raises RuleTestError."""
    kinds = [kind for kind in TEST_KINDS if test.get(kind) is not None]
    if len(kinds) != 1:
        raise RuleTestError("a test has exactly one of fires, silent and marked")
    return kinds[0]


def read_bundle(test: Mapping[str, object], pack: Path) -> RuleTestBundle:
    """Return the files of a test, without expectations, and with clocks set by `clock_offset`. Raises RuleTestError."""
    bundle = RuleTestBundle()
    for path, content in test_files(test[test_kind(test)]):
        if isinstance(content, CoreDump):
            bundle.cores.append(content)
            continue
        if not isinstance(content, str):
            bundle.files[path] = file = _resolve_beside_pack(pack, str(content["from"]))
            bundle.annotated_logs[path] = log = read_expectations(_read_log(file))
            content = log.text
        bundle.texts[path] = content
    for node, seconds in _clock_offsets(test).items():
        node_paths = [path for path in bundle.texts if path.startswith(f"{node}/")]
        if not node_paths:
            raise RuleTestError(f"clock_offset names {node}, but the test has no file of that node")
        for path in node_paths:
            bundle.texts[path] = shift_times(bundle.texts[path], seconds)
    return bundle


def test_files(raw: object, prefix: str = "") -> Iterator[TestFile]:
    """Yield (path, text) for `text`, `{path: text}` or `{node: {file: text}}`. A text may be a list of lines.

    `{path: {crash: {signal: SIGSEGV, message: …}}}` represents a core dump: the values that `core.crash` captures.
    `waits` are the sentences of `core.hang`; one that begins with `deadlock: ` is a deadlock. `wait` is what its only
    thread waits for.
    `{path: {from: logs/long.txt}}` is a file beside the pack.
    """
    if isinstance(raw, Mapping) and isinstance(crash := raw.get("crash"), Mapping):
        yield prefix, _build_core({str(name): value for name, value in crash.items()}, prefix)
    elif isinstance(raw, Mapping) and set(raw) == {"from"} and isinstance(raw["from"], str):
        yield prefix or "node-1/log.txt", {"from": raw["from"]}
    elif isinstance(raw, Mapping):
        for name, inner in raw.items():
            yield from test_files(inner, f"{prefix}/{name}" if prefix else str(name))
    elif isinstance(raw, list):
        yield prefix or "node-1/log.txt", "\n".join(map(str, raw)) + "\n"
    else:
        yield prefix or "node-1/log.txt", str(raw).rstrip("\n") + "\n"


def _build_core(crash: Mapping[str, object], path: str) -> CoreDump:
    """Return the core that a test describes with the captures of `core.crash`.

    `frames` are `function` or `module!function`, innermost first; `python_frame` comes before them.
    """
    named_frames = crash.get("frames")
    frames = [_build_frame(str(name)) for name in named_frames] if isinstance(named_frames, list) else []
    frames = frames or [CoreFrame(kind="native", function=_text(crash, "function"), module=_text(crash, "module"))]
    if crash.get("python_frame"):
        python_frame = _text(crash, "python_frame")
        line = _number(crash, "lineno")
        frames.insert(0, CoreFrame(kind="python", function=python_frame, file=_text(crash, "path"), line=line))
    waits = [str(sentence) for sentence in given] if isinstance(given := crash.get("waits"), list) else []
    wait = CoreWait(what=str(crash["wait"])) if crash.get("wait") else None
    facts = CoreFacts(
        explanation=_text(crash, "explanation"),
        instruction=_text(crash, "instruction"),
        needs_cpu=_text(crash, "needs_cpu"),
        fault_mapping=_text(crash, "mapping"),
        interrupted=InterruptedSignal(
            signal=_text(crash, "first_signal"), explanation=_text(crash, "first_explanation")
        ),
        waits=waits,
        deadlock=[1] if waits and waits[0].startswith("deadlock: ") else [],
    )
    if crash.get("exception"):
        gpu_exception = GpuException(
            exception=str(crash["exception"]),
            code=_number(crash, "code"),
            kernel=_text(crash, "kernel"),
            device=_number(crash, "device"),
            sm=_number(crash, "sm"),
            warp=_number(crash, "warp"),
        )
        facts.gpu = GpuCore(exceptions=[gpu_exception])
    return CoreDump(
        file=path,
        pid=_number(crash, "pid"),
        executable=_text(crash, "executable"),
        signal=_text(crash, "signal"),
        signal_code=_text(crash, "signal_code"),
        fault_address=_text(crash, "fault_address"),
        sender_pid=_number(crash, "sender_pid"),
        crashing_thread=1,
        abort_message=_text(crash, "message"),
        signature=_describe_crash(crash),
        threads=[CoreThread(tid=1, stop=END_OF_STACK, frames=frames, wait=wait)],
        facts=facts,
    )


def _describe_crash(crash: Mapping[str, object]) -> str:
    """Return the values as words; equal crashes have equal signatures."""
    values = (value if isinstance(value, list) else [value] for value in crash.values())
    return " ".join(str(word) for words in values for word in words)


def _text(crash: Mapping[str, object], name: str) -> str | None:
    value = crash.get(name)
    return None if value is None else str(value)


def _number(crash: Mapping[str, object], name: str) -> int | None:
    text = _text(crash, name)
    return int(text) if text and text.isdecimal() else None


def _build_frame(text: str) -> CoreFrame:
    module, _, function = text.rpartition("!")
    return CoreFrame(kind="native", function=function, module=module)


def _clock_offsets(test: Mapping[str, object]) -> dict[str, float]:
    raw = test.get("clock_offset") or {}
    if not isinstance(raw, Mapping) or not all(isinstance(value, int | float) for value in raw.values()):
        raise RuleTestError("clock_offset must map a node to the seconds by which its clock is ahead")
    return {str(node): float(value) for node, value in raw.items()}


def _resolve_beside_pack(pack: Path, name: str) -> Path:
    """Return the path of a file beside the pack. Raises RuleTestError if it lies outside the pack's folder.

    A pack may come from anywhere, so its tests read (and --bless writes) nothing outside its own folder.
    """
    folder = pack.resolve().parent
    file = (folder / name).resolve()
    if not file.is_relative_to(folder):
        raise RuleTestError(f"{name} lies outside the pack's folder")
    return file


def _read_log(file: Path) -> str:
    try:
        if (size := file.stat().st_size) > MAX_LOG_BYTES:
            raise RuleTestError(f"{file} has {size} bytes; at most {MAX_LOG_BYTES} are read")
        return file.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise RuleTestError(f"{file} cannot be read: {error.strerror}") from None
