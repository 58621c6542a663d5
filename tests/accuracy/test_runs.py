"""A recorded run is kept as it was, and one that is damaged or contradicts itself is refused with file and field."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from accuracy.run_files import RunError, load_causes, load_run, save_run
from accuracy.runs import Proof, Run, Truth

from tests.accuracy.tiny import tiny_run


@pytest.fixture(scope="module")
def causes() -> frozenset[str]:
    return load_causes()


def test_a_run_is_read_as_it_was_written(tmp_path: Path, causes: frozenset[str]) -> None:
    save_run(tiny_run(), tmp_path / "tiny")
    assert load_run(tmp_path / "tiny", causes) == tiny_run()


def _with_truth(**changes: Any) -> Run:
    return tiny_run().replace(truth=dataclasses.replace(tiny_run().truth, **changes))


KILLED = tiny_run().truth.proofs[0]
SPOILT = {
    "truth.yaml: culprits: 'worker:7' is no task": lambda: _with_truth(culprits=("worker:7",)),
    "truth.yaml: cause: 'process.bored' is in no catalogue": lambda: _with_truth(cause="process.bored"),
    "truth.yaml: ended_first: 'worker-9' is no process": lambda: _with_truth(ended_first="worker-9"),
    "truth.yaml: proofs.0.says: in no line of launcher": lambda: _with_truth(
        proofs=(Proof("launcher", "launcher", ("cause",), "worker:1 exploded"),)
    ),
    "truth.yaml: proofs.0.process: 'worker-9' is no process": lambda: _with_truth(
        proofs=(dataclasses.replace(KILLED, process="worker-9"),)
    ),
    "truth.yaml: proofs: what failed has some": lambda: _with_truth(proofs=()),
    "truth.yaml: proofs: what failed": lambda: tiny_run().replace(truth=Truth("none", proofs=(KILLED,))),
    "lines.zst: worker-9: a line of no process": lambda: tiny_run().replace(
        lines=(tiny_run().lines[0]._replace(process="worker-9"),)
    ),
    "lines.zst: time: the lines are not in the order": lambda: tiny_run().replace(lines=tiny_run().lines[::-1]),
    "run.yaml: processes.worker-1.host: 'gpu-b' is none of the hosts": lambda: tiny_run().replace(
        hosts=tiny_run().hosts[:1], processes=tiny_run().processes[:3]
    ),
    "run.yaml: processes: two have the same name": lambda: tiny_run().replace(
        processes=(*tiny_run().processes, tiny_run().processes[0])
    ),
}


@pytest.mark.parametrize("complaint", SPOILT)
def test_what_contradicts_itself_is_refused(complaint: str, tmp_path: Path, causes: frozenset[str]) -> None:
    save_run(SPOILT[complaint](), tmp_path / "tiny")
    with pytest.raises(RunError) as refused:
        load_run(tmp_path / "tiny", causes)
    assert complaint in str(refused.value)


@pytest.mark.parametrize("file", ["run.yaml", "truth.yaml", "lines.zst"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"- 1\n", b"a: 1\n", b"a: [\n"])
def test_a_damaged_file_is_refused_by_its_name(
    file: str, content: bytes, tmp_path: Path, causes: frozenset[str]
) -> None:
    save_run(tiny_run(), tmp_path / "tiny")
    (tmp_path / "tiny" / file).write_bytes(content)
    with pytest.raises(RunError, match=file):
        load_run(tmp_path / "tiny", causes)
