"""Writes the code that a task runs: its program, and the module of the user's that the program calls in each step."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import yaml

from accuracy.record.reuse import Interpreter
from accuracy.record.rows import HERE, RunPlan


def write_code(row: RunPlan, task: str, folder: Path) -> None:
    """`programs.yaml` says how the program calls its module and function; a part's text has them as MODULE and HOOK."""
    folder.mkdir(parents=True)
    place = yaml.safe_load((HERE / "places.yaml").read_text())[row.place]
    folder.chmod(0o777)
    program = yaml.safe_load((HERE / "programs.yaml").read_text())[row.program]
    (folder / f"{row.program}.py").write_text((HERE / "programs" / f"{row.program}.py").read_text())
    name = row.part if row.part and task == row.culprit else row.part_all or "plain"
    text = (HERE / "parts" / f"{name}.py").read_text()
    values = {"HOOK": program["hook"], "AT_STEP": row.step, "CODE": place["code"], **row.values}
    for key, value in values.items():
        text = re.sub(rf"\b{key}\b", row.fill(str(value)), text)
    (folder / f"{program['module']}.py").write_text(text)
    for extra in program.get("files", ()):
        (folder / extra).write_text((HERE / "programs" / extra).read_text())


def build_module(row: RunPlan, python: Interpreter, built_for: Interpreter, folder: Path) -> None:
    """An extension module for the task's Python, compiled against the numpy of another one."""
    version = "python" + ".".join(python.version.split()[1].split(".")[:2])
    numpy = next(path for path in (built_for.packages / "numpy").glob("*core/include") if (path / "numpy").is_dir())
    source, target = HERE / "parts" / f"{row.build}.c", folder / f"{row.build}.so"
    includes = [f"-I{python.base / 'include' / version}", f"-I{numpy}"]
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", *includes, str(source), "-o", str(target)], check=True)
