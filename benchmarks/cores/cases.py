"""Cores of many kinds, made on the spot with the compilers and interpreters that are there.

    python -m benchmarks.cores.cases FOLDER

One folder each, with the core and the file `command`. A case whose compiler is missing is left out and said.
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


@dataclass(frozen=True, slots=True)
class CoreCase:
    """A program that dies, or hangs until gcore has taken its core. `message`: what a person wants to read of it."""

    name: str
    command: tuple[str, ...]
    hangs: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    message: str = ""


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
    ways = {
        "native": [*cc, "-o", "die"],
        "library": [*cc, "-shared", "-fPIC", "-DLIBRARY", "-o", "libdie.so"],
        "rust": ["rustc", "-g", "-C", "panic=abort", "-o", "panic_rs", str(PROGRAMS / "panic.rs")],
        "go": ["go", "build", "-o", "panic_go", str(PROGRAMS / "panic.go")],
    }
    for name, command in ways.items():
        target = folder / command[command.index("-o") + 1]
        found = shutil.which(command[0])
        if found and subprocess.run([found, *command[1:]], cwd=folder, env=_go_environment(folder)).returncode == 0:
            compiled[name] = target
        else:
            sys.stderr.write(f"left out: {name}, no {command[0]} that compiles it\n")
    if "native" in compiled:
        compiled["stripped"] = folder / "die_stripped"
        subprocess.run(["strip", "-o", str(compiled["stripped"]), str(compiled["native"])], check=True)
    return compiled


def _go_environment(folder: Path) -> dict[str, str]:
    return {"GOCACHE": str(folder / "go-cache"), "HOME": str(folder), **os.environ}


def list_cases(compiled: dict[str, Path], pythons: list[str]) -> Iterator[CoreCase]:
    messages = {"smash": "stack smashing detected", "double-free": "double free", "throw": "shard 7 has no rows",
                "throw-int": "'int'", "unjoined": "terminate called without an active exception"}  # fmt: skip
    for name in ("native", "stripped"):
        for how in NATIVE if name in compiled else ():
            yield CoreCase(f"{name}-{how}", (str(compiled[name]), how), message=messages.get(how, ""))
    if "native" in compiled:
        yield CoreCase("native-deadlock", (str(compiled["native"]), "deadlock"), hangs=True)
    for python in pythons if "library" in compiled else ():
        script = (python, str(PROGRAMS / "train.py"))
        tag = Path(python).resolve().name
        for how in PYTHON:
            message = "the loader lost its queue" if how == "python-fatal" else messages.get(how, "")
            yield CoreCase(f"{tag}-{how}", (*script, how, str(compiled["library"])), message=message)
        for how in ("null", "fpe", "bus", "abort"):
            yield CoreCase(f"{tag}-faulthandler-{how}", (*script, how, str(compiled["library"]), "faulthandler"))
        for how in ("hang", "gil"):
            yield CoreCase(f"{tag}-{how}", (*script, how, str(compiled["library"])), hangs=True)
    if "rust" in compiled:
        yield CoreCase("rust-index", (str(compiled["rust"]),), message="the len is 3 but the index is 7")
    if "go" in compiled:
        crash = {"GOTRACEBACK": "crash"}
        yield CoreCase("go-nil", (str(compiled["go"]),), environment=crash, message="nil pointer dereference")
        yield CoreCase("go-panic", (str(compiled["go"]), "x"), environment=crash, message="the queue is lost: x")


def make_core(case: CoreCase, folder: Path) -> Path | None:
    """Return the core that the kernel or gcore wrote into the case's own folder; None where none was written."""
    place = folder / case.name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "command").write_text("\n".join(case.command))
    with (place / "output").open("wb") as output:
        process = subprocess.Popen(
            case.command,
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
    return next(iter(sorted(place.glob("core*"))), None)


def make_all(folder: Path, only: str = "") -> dict[str, tuple[CoreCase, Path]]:
    compiled = build(folder / "bin")
    pythons = [found for minor in range(8, 15) if (found := _find_python(f"3.{minor}"))]
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
