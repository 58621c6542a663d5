"""Which node a core belongs to whose file lies beside the logs of several."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from crashing import compile_program, crash

from analyzer.assembly.core_owners import name_without_program
from analyzer.core_dump import CoreDump, CoreThread
from analyzer.pipeline import analyze


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("core.python3.4242", "core"),
        ("core.cuda-EvtHandlr.4242", "core"),
        ("core-python3-4242.zst", "core.zst"),
        ("core.gx7.4242", "core.gx7.4242"),
        ("core.python3.99", "core.python3.99"),
        ("core_1795747708_gpu-17_836.nvcudmp", "core"),
        ("worker-3.core", "worker-3.core"),
    ],
)
def test_program_and_pid_are_no_names_of_machines(name: str, shown: str) -> None:
    core = CoreDump(
        file=f"in/{name}", pid=4242, executable="/usr/bin/python3.11", threads=[CoreThread(tid=4242, frames=[])]
    )
    assert name_without_program(core) == f"in/{shown}"


def test_the_task_in_the_environment_of_the_process_names_the_node(tmp_path: Path) -> None:
    program = compile_program("crash.c", tmp_path / "crash")
    cluster = '{"cluster": {"worker": ["gx6:2222", "gx7:2222"]}, "task": {"type": "worker", "index": %d}}'
    folder = tmp_path / "made"
    folder.mkdir()
    core: Any = crash(folder, [str(program), "null"], env={"TF_CONFIG": cluster % 1})
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    for index in (0, 1):
        lines = f"2026-03-01 10:00:00,123 INFO TF_CONFIG={cluster % index}\n2026-03-01 10:00:01,123 INFO step 1\n"
        (bundle / f"gx{6 + index}.log").write_text(lines)
    (bundle / "core.31337").write_bytes(core.read_bytes())
    (read,) = analyze([bundle]).cores
    assert read.node == "gx7"
