"""The bundle in small that a test of a rule holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.rules.marks import Marked, read_marks
from analyzer.rules.shift import shift_times

KINDS = ("fires", "silent", "marked")
LARGEST = 64 * 1024 * 1024  # bytes of a log that a test names
Member = tuple[str, str | dict[str, object]]


class TestError(ValueError):
    """What is wrong with the test itself, in a sentence."""

    __test__ = False  # for pytest: the name only looks like a test


@dataclass(slots=True)
class TestBundle:
    """`marked` and `files` are those texts that came from a file of their own: with their marks, and where they lie."""

    __test__ = False

    texts: dict[str, str] = field(default_factory=dict)
    cores: list[dict[str, object]] = field(default_factory=list)
    marked: dict[str, Marked] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)


def kind_of(test: Mapping[str, object]) -> str:
    """`fires`, `silent` or `marked`. Raises TestError."""
    kinds = [kind for kind in KINDS if test.get(kind) is not None]
    if len(kinds) != 1:
        raise TestError("a test has exactly one of fires, silent and marked")
    return kinds[0]


def read_bundle(test: Mapping[str, object], pack: Path) -> TestBundle:
    """The files of a test, with marks taken out and clocks set as `clock_offset` says. Raises TestError."""
    bundle = TestBundle()
    for path, content in bundle_of(test[kind_of(test)]):
        if not isinstance(content, str):
            if "from" not in content:
                bundle.cores.append(content)
                continue
            bundle.files[path] = file = _beside(pack, str(content["from"]))
            bundle.marked[path] = marked = read_marks(_read(file))
            content = marked.text
        bundle.texts[path] = content
    for node, seconds in _offsets(test).items():
        mine = [path for path in bundle.texts if path.startswith(f"{node}/")]
        if not mine:
            raise TestError(f"clock_offset names {node}, of which the test has no file")
        for path in mine:
            bundle.texts[path] = shift_times(bundle.texts[path], seconds)
    return bundle


def bundle_of(raw: object, prefix: str = "") -> Iterator[Member]:
    """`text`, `{path: text}` or `{node: {file: text}}` as (path, text) pairs; lines may be given as a list.

    `{path: {crash: {signal: SIGSEGV, message: …}}}` stands for a core dump: what `core.crash` captures.
    `{path: {from: logs/long.txt}}` is a file beside the pack.
    """
    if isinstance(raw, Mapping) and isinstance(crash := raw.get("crash"), Mapping):
        yield prefix, _core_of({str(name): value for name, value in crash.items()}, prefix)
    elif isinstance(raw, Mapping) and set(raw) == {"from"} and isinstance(raw["from"], str):
        yield prefix or "node-1/log.txt", {"from": raw["from"]}
    elif isinstance(raw, Mapping):
        for name, inner in raw.items():
            yield from bundle_of(inner, f"{prefix}/{name}" if prefix else str(name))
    elif isinstance(raw, list):
        yield prefix or "node-1/log.txt", "\n".join(map(str, raw)) + "\n"
    else:
        yield prefix or "node-1/log.txt", str(raw).rstrip("\n") + "\n"


def _core_of(said: dict[str, object], path: str) -> dict[str, object]:
    """`frames` are `function` or `module!function`, innermost first; `python_frame` stands before them."""
    listed = said.get("frames")
    frames = [_frame(str(name)) for name in listed] if isinstance(listed, list) else []
    frames = frames or [{"kind": "native", "function": said.get("function"), "module": said.get("module")}]
    if said.get("python_frame"):
        python = {
            "kind": "python",
            "function": said["python_frame"],
            "file": said.get("path"),
            "line": said.get("lineno"),
        }
        frames.insert(0, python)
    first = {"signal": said.get("first_signal"), "explanation": said.get("first_explanation")}
    facts = {name: said.get(name) for name in ("explanation", "instruction", "needs_cpu")}
    if said.get("exception"):
        struck = {name: said.get(name) for name in ("exception", "code", "kernel", "device", "sm", "warp")}
        facts["gpu"] = {"devices": [], "exceptions": [struck]}
    return {
        "signal": None,
        **said,
        "file": path,
        "abort_message": said.get("message"),
        "facts": {**facts, "fault_mapping": said.get("mapping"), "interrupted": first},
        "threads": [{"tid": 1, "frames": frames}],
        "crashing_thread": 1,
        "signature": str(said),
    }


def _frame(text: str) -> dict[str, object]:
    module, _, function = text.rpartition("!")
    return {"kind": "native", "function": function, "module": module}


def _offsets(test: Mapping[str, object]) -> dict[str, float]:
    raw = test.get("clock_offset") or {}
    if not isinstance(raw, Mapping) or not all(isinstance(value, int | float) for value in raw.values()):
        raise TestError("clock_offset is a mapping of a node to the seconds that its clock is ahead")
    return {str(node): float(value) for node, value in raw.items()}


def _beside(pack: Path, name: str) -> Path:
    """A pack may come from anywhere: its tests read (and bless writes) nothing outside its own folder."""
    folder = pack.resolve().parent
    file = (folder / name).resolve()
    if not file.is_relative_to(folder):
        raise TestError(f"{name} lies outside the pack's folder")
    return file


def _read(file: Path) -> str:
    try:
        if (size := file.stat().st_size) > LARGEST:
            raise TestError(f"{file} has {size} bytes; at most {LARGEST} are read")
        return file.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise TestError(f"{file} cannot be read: {error.strerror}") from None
