"""Python frames of real interpreters that die here; each version that is installed is exercised."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from core_rows import read_core_row
from crashing import crash, find_python
from test_core_stacks import native_addresses, run_eu_stack

from analyzer.core_dump import core_from_json, core_to_json
from analyzer.cores.elf.binaries import BinaryLocator
from analyzer.cores.python.crosscheck import compare_with_pystack, parse_pystack_output
from analyzer.pipeline import analyze

VERSIONS = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"]
FIXTURES = Path(__file__).parent / "fixtures"

IN_A_THREAD = """\
import ctypes, threading, time
class Trainer:
    def step(self, depth):
        if depth:
            return sorted([1], key=lambda _: self.step(depth - 1))
        time.sleep(0.2)
        ctypes.string_at(16)
def wait():
    time.sleep(100)
threading.Thread(target=wait, daemon=True).start()
dying = threading.Thread(target=Trainer().step, args=(2,))
dying.start()
dying.join()
"""
ABORT = """\
import os
def outer(n):
    try:
        inner(
            n,
            kw=n)
    finally:
        pass
def inner(n, kw):
    os.abort()
outer(3)
"""
DEEP = """\
import sys
sys.setrecursionlimit(10**7)
def go():
    largest = lambda x: max([x], key=largest)
    return largest(1)
go()
"""


def run(version: str, folder: Path, text: str) -> Any:
    python = find_python(version)
    if python is None:
        pytest.skip(f"no Python {version} here")
    (folder / "job.py").write_text(text)
    path = crash(folder / "run", [python, str(folder / "job.py")])
    return path, read_core_row(path)


def python_frames(thread: Any) -> list[tuple[str, str, int]]:
    return [
        (f["function"].rsplit(".", 1)[-1], Path(f["file"]).name, f["line"])
        for f in thread["frames"]
        if f["kind"] == "python"
    ]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_crash_in_a_thread_shows_every_python_line(
    tmp_path: Path, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, core = run(version, tmp_path, IN_A_THREAD)
    assert core["facts"]["python"].startswith(version)
    crashed = core["threads"][0]
    frames = python_frames(crashed)
    assert [f for f in frames if f[1] == "job.py"] == [
        ("step", "job.py", 7),
        ("<lambda>", "job.py", 5),
        ("step", "job.py", 5),
        ("<lambda>", "job.py", 5),
        ("step", "job.py", 5),
    ]
    assert frames[0][0] == "string_at"
    others = [python_frames(t) for t in core["threads"][1:]]
    assert any(("wait", "job.py", 9) in frames for frames in others)
    assert any(("<module>", "job.py", 13) in frames for frames in others)
    assert core["facts"]["gil_holder"] == core["crashing_thread"]
    assert crashed["name"].startswith("Thread-2") and {t["name"] for t in core["threads"]} > {crashed["name"]}
    assert {t["tid"]: native_addresses(t) for t in core["threads"]} == run_eu_stack(path)

    # The core alone, as it comes from a container: the interpreter is found by what it keeps in memory.
    monkeypatch.setattr(BinaryLocator, "candidates", lambda *_: iter(()))
    alone = read_core_row(path)
    assert {module["status"] for module in alone["modules"] if module["path"] != "[vdso]"} == {"missing"}
    assert alone["facts"]["python"].startswith(version)
    assert alone["facts"]["gil_holder"] == core["crashing_thread"]
    assert {t["tid"]: python_frames(t) for t in alone["threads"]} == {
        t["tid"]: python_frames(t) for t in core["threads"]
    }
    assert alone["threads"][0]["name"] == crashed["name"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_thread_with_attributes_in_a_dict_of_its_own_has_its_name(tmp_path: Path, version: str) -> None:
    """A class shares the names of attributes among its instances, until one gets too many."""
    more = "dying.name = 'feeder \u65e5'\nvars(dying).update({f'k{i}': 1 for i in range(50)})\ndying.start()\n"
    _, core = run(version, tmp_path, IN_A_THREAD.replace("dying.start()\n", more))
    assert core["threads"][0]["name"] == "feeder \u65e5"


def test_python_3_14_from_a_slim_crash(tmp_path: Path) -> None:
    """Of a distribution's stripped interpreter, whose evaluator has no name: its frame on the C stack tells."""
    archive = FIXTURES / "python-3.14.8-thread.tar.zst"
    (dump,) = analyze([archive]).cores
    core: Any = core_to_json(dump)
    assert core["facts"]["python"] == "3.14.8"
    assert [f for f in python_frames(core["threads"][0]) if f[1] == "job.py"] == [
        ("step", "job.py", 7),
        ("<lambda>", "job.py", 5),
        ("step", "job.py", 5),
        ("<lambda>", "job.py", 5),
        ("step", "job.py", 5),
    ]
    assert core["facts"]["gil_holder"] == core["crashing_thread"]
    others = [python_frames(t) for t in core["threads"][1:]]
    assert any(("wait", "job.py", 9) in frames for frames in others)
    assert core["signature"].endswith("job.py:Trainer.step")
    frames = core["threads"][0]["frames"]
    words = [f["function"] for f in frames if f["kind"] == "python" or f["function"]]
    lambdas = [i for i, word in enumerate(words) if word.endswith("<lambda>")]
    assert [words[i + 1] for i in lambdas] == ["PyObject_CallOneArg"] * 2  # each is called from C
    assert words[-1] == "Thread._bootstrap" and frames[-1]["kind"] == "native"


@pytest.mark.parametrize("version", VERSIONS)
def test_python_frames_stand_inside_their_evaluator(tmp_path: Path, version: str) -> None:
    _, core = run(version, tmp_path, ABORT)
    frames = core["threads"][0]["frames"]
    shown = [(f["function"], f["line"]) if f["kind"] == "python" else f["function"] for f in frames]
    inner = shown.index(("inner", 10))
    assert "os_abort" in shown[:inner] or "abort" in shown[:inner]
    assert shown.index(("outer", 4)) > inner
    assert ("<module>", 11) in shown[: shown.index("Py_BytesMain")]
    assert "_PyEval_EvalFrameDefault" in shown[inner:]
    assert core["signature"].endswith("job.py:inner")


@pytest.mark.parametrize("version", ["3.8", "3.9", "3.11", "3.13"])
def test_a_fatal_error_of_the_interpreter_is_quoted(tmp_path: Path, version: str) -> None:
    _, core = run(version, tmp_path, "import ctypes\nctypes.pythonapi.Py_FatalError(b'the allocator is broken')\n")
    assert core["abort_message"] == "Fatal Python error: the allocator is broken"


@pytest.mark.parametrize("version", VERSIONS[:4])  # later ones stop such recursion before the stack ends
def test_deep_recursion_is_survived(tmp_path: Path, version: str) -> None:
    _, core = run(version, tmp_path, DEEP)
    assert "stack overflow" in core["facts"]["explanation"]
    thread = core["threads"][0]
    assert thread["omitted"]["period"] > 0
    assert thread["python"]["omitted"] > 1000
    assert python_frames(thread)[-1] == ("<module>", "job.py", 6)


def test_pystack_is_asked_in_a_process_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With pystack where it is installed; in any case what it prints is understood, and its lack is said."""
    path, core = run("3.11", tmp_path, IN_A_THREAD)
    if shutil.which("pystack"):
        (*earlier_lines, last) = compare_with_pystack(core_from_json(core), path)
        agreed, total = map(int, re.findall(r"\d+", last))
        assert earlier_lines == []
        assert agreed == total > 5
    monkeypatch.setenv("PATH", str(tmp_path))
    assert list(compare_with_pystack(core_from_json(core), path)) == ["pystack is not installed: pip install pystack"]
    text = 'Traceback for thread 7 (x) [] (most recent call last):\n    (Python) File "a.py", line 3, in f\n'
    text += '    (Python) File "b.py", line 4, in C.g\n'
    assert parse_pystack_output(text) == {7: [("b.py", 4, "g"), ("a.py", 3, "f")]}
