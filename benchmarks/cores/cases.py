"""Cores of many kinds, made on the spot with the compilers and interpreters that are there.

    python -m benchmarks.cores.cases FOLDER

One folder each, with the core and the file `command`. A case whose compiler is missing is left out and said. Cases of
TensorFlow need an interpreter that has it: TENSORFLOW_PYTHON=PATH.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
NATIVE = (
    *("null", "fpe", "ill", "trap", "garbage", "misaligned", "jump", "noexec", "constant", "smash", "abort", "raise"),
    *("double-free", "throw", "throw-int", "unjoined", "bus", "overflow", "thread"),
)
PYTHON = ("null", "fpe", "ill", "bus", "abort", "throw", "thread", "overflow", "python-fatal", "jump", "raise")
HUNG_SETTLE_S = 1.5  # seconds until a hanging program hangs
TENSORFLOW = {
    "eager": ("segv", "fpe", "ill", "check", "double-free", "throw", "thread"),
    "graph": ("segv", "check"),
    "data": ("segv",),
}
MESSAGES = {
    "smash": "stack smashing detected",
    "double-free": "double free",
    "throw": "shard 7 has no rows",
    "throw-int": "'int'",
    "unjoined": "terminate called without an active exception",
    "check": "Check failed: rows.dims() == 77",
    "python-fatal": "the loader lost its queue",
}
FILTERS = ("0x0", "0x1", "0x11", "0x33")  # what of its memory a core holds: coredump_filter of core(5)
CUTS = (50, 10, 2)  # percent of a core that are left
COMPRESSORS = {"zst": "zstd", "lz4": "lz4", "gz": "gzip", "xz": "xz", "bz2": "bzip2"}


@dataclass(frozen=True, slots=True)
class CoreCase:
    """A program that dies, or hangs until gcore has taken its core.

    `message`: what a person wants to read of it. `filter`: its coredump_filter. `cut`: percent of the core that are
    left. `compressor`: what packs the core. `is_alone`: the program and its library are gone when the core is read.
    """

    name: str
    command: tuple[str, ...]
    hangs: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    message: str = ""
    filter: str = ""
    cut: int = 100
    compressor: str = ""
    is_alone: bool = False


def build(folder: Path) -> dict[str, Path]:
    """Return the programs that could be compiled, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    compiled: dict[str, Path] = {}
    cc = [
        "g++",
        "-O1",
        "-g",
        "-fstack-protector-strong",
        "-fno-optimize-sibling-calls",
        "-pthread",
        str(PROGRAMS / "die.cc"),
    ]
    commands = {
        "native": [*cc, "-o", "die"],
        "library": [*cc, "-shared", "-fPIC", "-DLIBRARY", "-o", "libdie.so"],
        "static": [*cc, "-static", "-o", "die_static"],
        "rust": ["rustc", "-g", "-C", "panic=abort", "-o", "panic_rs", str(PROGRAMS / "panic.rs")],
        "go": ["go", "build", "-o", "panic_go", str(PROGRAMS / "panic.go")],
    }
    for name, command in commands.items():
        target = folder / command[command.index("-o") + 1]
        program = shutil.which(command[0])
        if program and subprocess.run([program, *command[1:]], cwd=folder, env=_go_environment(folder)).returncode == 0:
            compiled[name] = target
        else:
            sys.stderr.write(f"left out: {name}, no {command[0]} that compiles it\n")
    if "native" in compiled:
        compiled["stripped"], compiled["debuglink"] = folder / "die_stripped", folder / "die_linked"
        subprocess.run(["strip", "-o", str(compiled["stripped"]), str(compiled["native"])], check=True)
        debug = folder / "die_linked.debug"
        subprocess.run(["objcopy", "--only-keep-debug", str(compiled["native"]), str(debug)], check=True)
        link = ["objcopy", "--strip-all", f"--add-gnu-debuglink={debug}"]
        subprocess.run([*link, str(compiled["native"]), str(compiled["debuglink"])], check=True)
    if (tensorflow := os.environ.get("TENSORFLOW_PYTHON")) and (library := _build_operation(tensorflow, folder)):
        compiled["tensorflow"] = library
        compiled["tensorflow-stripped"] = library.with_name("libbad_op_stripped.so")
        subprocess.run(["strip", "-o", str(compiled["tensorflow-stripped"]), str(library)], check=True)
    return compiled


def _build_operation(python: str, folder: Path) -> Path | None:
    """Return a library with an operation for the TensorFlow of an interpreter; None if it cannot be compiled."""
    ask = "import tensorflow as tf; print(*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags())"
    flags = subprocess.run([python, "-c", ask], capture_output=True, text=True).stdout.split()
    library = folder / "libbad_op.so"
    source = [str(PROGRAMS / "bad_op.cc"), "-o", str(library)]
    options = ["-w", "-O1", "-g", "-shared", "-fPIC", "-fno-optimize-sibling-calls"]
    compiler = subprocess.run(["g++", *options, *source, *flags]) if flags and shutil.which("g++") else None
    if compiler is None or compiler.returncode != 0:
        sys.stderr.write("left out: tensorflow, its operation does not compile\n")
        return None
    return library


def _go_environment(folder: Path) -> dict[str, str]:
    return {"GOCACHE": str(folder / "go-cache"), "HOME": str(folder), **os.environ}


def list_cases(compiled: dict[str, Path], pythons: list[str]) -> Iterator[CoreCase]:
    for name in ("native", "stripped"):
        for how in NATIVE if name in compiled else ():
            yield CoreCase(f"{name}-{how}", (str(compiled[name]), how), message=MESSAGES.get(how, ""))
    for name in ("debuglink", "static"):
        for how in ("null", "abort", "overflow") if name in compiled else ():
            yield CoreCase(f"{name}-{how}", (str(compiled[name]), how))
    if "native" in compiled:
        yield CoreCase("native-deadlock", (str(compiled["native"]), "deadlock"), hangs=True)
    yield from _list_python_cases(compiled, pythons)
    yield from _list_tensorflow_cases(compiled)
    if "rust" in compiled:
        yield CoreCase("rust-index", (str(compiled["rust"]),), message="the len is 3 but the index is 7")
    if "go" in compiled:
        crash = {"GOTRACEBACK": "crash"}
        yield CoreCase("go-nil", (str(compiled["go"]),), environment=crash, message="nil pointer dereference")
        yield CoreCase("go-panic", (str(compiled["go"]), "x"), environment=crash, message="the queue is lost: x")


def _list_python_cases(compiled: dict[str, Path], pythons: list[str]) -> Iterator[CoreCase]:
    for python in pythons if "library" in compiled else ():
        script = (python, str(PROGRAMS / "train.py"))
        tag = Path(python).resolve().name
        for how in PYTHON:
            yield CoreCase(f"{tag}-{how}", (*script, how, str(compiled["library"])), message=MESSAGES.get(how, ""))
        for how in ("null", "fpe", "bus", "abort"):
            yield CoreCase(f"{tag}-faulthandler-{how}", (*script, how, str(compiled["library"]), "faulthandler"))
        for how in ("hang", "gil"):
            yield CoreCase(f"{tag}-{how}", (*script, how, str(compiled["library"])), hangs=True)


def _list_tensorflow_cases(compiled: dict[str, Path]) -> Iterator[CoreCase]:
    if "tensorflow" not in compiled:
        return

    def command(mode: str, how: str, library: str = "tensorflow") -> tuple[str, ...]:
        return (os.environ["TENSORFLOW_PYTHON"], str(PROGRAMS / "tensorflow_job.py"), mode, how, str(compiled[library]))

    for mode, crashes in TENSORFLOW.items():
        for how in crashes:
            yield CoreCase(f"tensorflow-python-{mode}-{how}", command(mode, how), message=MESSAGES.get(how, ""))
    segv = command("eager", "segv")
    yield CoreCase("tensorflow-python-stripped", command("eager", "segv", "tensorflow-stripped"))
    for bits in FILTERS:
        yield CoreCase(f"tensorflow-python-filter-{bits}", segv, filter=bits)
    for percent in CUTS:
        yield CoreCase(f"tensorflow-python-cut-{percent}", segv, cut=percent)
    for suffix, program in COMPRESSORS.items():
        if shutil.which(program):
            yield CoreCase(f"tensorflow-python-{suffix}", segv, compressor=program)
    yield CoreCase("tensorflow-python-alone", segv, is_alone=True)


def make_core(case: CoreCase, folder: Path) -> Path | None:
    """Return the core that the kernel or gcore wrote into the case's own folder; None where none was written."""
    place = folder / case.name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "command").write_text("\n".join(case.command))
    command, gone = case.command, None
    if case.is_alone:  # its last argument is the library, which is taken away afterwards
        gone = shutil.copy(command[-1], place / Path(command[-1]).name)
        command = (*command[:-1], str(gone))
    with (place / "output").open("wb") as output:
        shell = f'echo {case.filter or "0x33"} > /proc/self/coredump_filter; exec "$@"'
        process = subprocess.Popen(
            ["sh", "-c", shell, "sh", *command],
            cwd=place,
            env={**os.environ, **case.environment},
            stdout=output,
            stderr=output,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2),
        )
        if case.hangs:
            time.sleep(HUNG_SETTLE_S)
            subprocess.run(["gcore", "-o", str(place / "core"), str(process.pid)], capture_output=True)
            process.kill()
        process.wait(timeout=120)
    if gone is not None:
        Path(gone).unlink()
    core = next(iter(sorted(place.glob("core*"))), None)
    if core is not None and case.cut < 100:
        os.truncate(core, core.stat().st_size * case.cut // 100)
    if core is not None and case.compressor:
        with core.open("rb") as source, (packed := place / f"packed-{case.compressor}").open("wb") as target:
            subprocess.run([case.compressor, "-c"], stdin=source, stdout=target, check=True)
        core.unlink()
        return packed
    return core


def make_all(folder: Path, only: str = "") -> dict[str, tuple[CoreCase, Path]]:
    compiled = build(folder / "bin")
    pythons = [python for minor in range(8, 15) if (python := _find_python(f"3.{minor}"))]
    made: dict[str, tuple[CoreCase, Path]] = {}
    for case in list_cases(compiled, pythons):
        if only in case.name and (core := make_core(case, folder)):
            made[case.name] = case, core
    return made


def _find_python(version: str) -> str | None:
    installed = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}"))
    return str(installed[0]) if installed else shutil.which(f"python{version}")


if __name__ == "__main__":
    for name, (_, core) in make_all(Path(sys.argv[1]), *sys.argv[2:]).items():
        sys.stdout.write(f"{name}: {core}\n")
