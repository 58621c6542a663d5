"""The recorder's table of rows fits together, and of the kernel's lines a host keeps those about itself."""

from __future__ import annotations

import pytest
from accuracy.record.keep import select
from accuracy.record.rows import HERE, RunPlan, load_rows
from accuracy.run_files import load_causes

ROWS = load_rows()
KERNEL = """\
[  10.000001] bridge0: port 1(port0) entered forwarding state
[  10.000002] python3.11[41]: segfault at 10 ip 00007fc4d7f70a89 sp 00007ffebc4ae248 error 4 in libc.so.6[152a89]
[  10.000003] Code: 66 66 2e 0f
[  10.000004] python3.11[42]: segfault at 14 ip 00007fc4d7f70a89 sp 00007ffebc4ae248 error 4 in libc.so.6[152a89]
[  10.000005] Code: 00 00 00 5b
[  10.000006] python3.12 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0
[  10.000007] Memory cgroup out of memory: Killed process 42 (python3.12) total-vm:3940004kB
[  10.000008] cgroup: fork rejected by pids controller in /slurm/uid_1000/job_7/step_0/task_1
[  10.000009] __vm_enough_memory: pid: 42, comm: python3.11, bytes: 3200000004096 not enough memory for the allocation
""".splitlines()


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_row_names_what_there_is(row: RunPlan) -> None:
    assert row.cause in {"none", *load_causes()}
    assert set(row.also) <= load_causes()
    assert not row.culprit or row.culprit in row.members
    assert (HERE / "programs" / f"{row.program}.py").exists()
    for part in filter(None, (row.part, row.part_all)):
        assert (HERE / "parts" / f"{part}.py").exists()
    assert len(set(row.names)) == len(row.names)
    assert all(name.replace("-", "").isalnum() and len(name) < 64 for name in row.names)


def test_a_hosts_kernel_tells_of_its_own_processes() -> None:
    assert list(select(KERNEL, 41, set())) == KERNEL[1:3]
    assert list(select(KERNEL, 42, {"slurm/uid_1000/job_7/step_0/task_1"})) == KERNEL[3:]


def test_a_row_is_drawn_alike_every_time() -> None:
    assert load_rows() == ROWS
