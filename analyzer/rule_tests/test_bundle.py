"""The small bundle of a test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.rule_tests.inline_expectations import AnnotatedLog, read_expectations
from analyzer.rule_tests.time_shift import shift_times

TEST_KINDS = ("fires", "silent", "marked")
MAX_LOG_BYTES = 64 * 1024 * 1024  # of a log that a test names
TestFile = tuple[str, str | dict[str, object]]


class RuleTestError(ValueError):
    """What is wrong with the test itself, in one sentence."""

    __test__ = False  # tells pytest that this is not a test class


@dataclass(slots=True)
class RuleTestBundle:
    """The files of a test. `annotated_logs` and `files` hold those texts that come from a file beside the pack."""

    __test__ = False

    texts: dict[str, str] = field(default_factory=dict)
    cores: list[dict[str, object]] = field(default_factory=list)
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
        if not isinstance(content, str):
            if "from" not in content:
                bundle.cores.append(content)
                continue
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


def _build_core(crash: dict[str, object], path: str) -> dict[str, object]:
    """Return the core dump. `frames` are `function` or `module!function`, innermost first; `python_frame` comes before
    them.
    """
    named_frames = crash.get("frames")
    frames = [_build_frame(str(name)) for name in named_frames] if isinstance(named_frames, list) else []
    frames = frames or [{"kind": "native", "function": crash.get("function"), "module": crash.get("module")}]
    if crash.get("python_frame"):
        python = {
            "kind": "python",
            "function": crash["python_frame"],
            "file": crash.get("path"),
            "line": crash.get("lineno"),
        }
        frames.insert(0, python)
    interrupted = {"signal": crash.get("first_signal"), "explanation": crash.get("first_explanation")}
    facts = {name: crash.get(name) for name in ("explanation", "instruction", "needs_cpu")}
    if crash.get("exception"):
        gpu_exception = {name: crash.get(name) for name in ("exception", "code", "kernel", "device", "sm", "warp")}
        facts["gpu"] = {"devices": [], "exceptions": [gpu_exception]}
    return {
        "signal": None,
        **crash,
        "file": path,
        "abort_message": crash.get("message"),
        "facts": {**facts, "fault_mapping": crash.get("mapping"), "interrupted": interrupted},
        "threads": [{"tid": 1, "frames": frames}],
        "crashing_thread": 1,
        "signature": str(crash),
    }


def _build_frame(text: str) -> dict[str, object]:
    module, _, function = text.rpartition("!")
    return {"kind": "native", "function": function, "module": module}


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
