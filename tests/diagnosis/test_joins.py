"""Lines of the kernel, exit codes and logs are one story: whose process was killed, when, and by whom."""

from __future__ import annotations

import pytest
from test_stories import END, analyze, begin, lost

from analyzer.reading import ReadPlan
from analyzer.rules.types import Packs


def kill(time: str, comm: str = "python3", pid: int = 4242) -> str:
    return f"[Fri Jan  2 {time} 2026] Out of memory: Killed process {pid} ({comm}) total-vm:9kB, anon-rss:8kB\n"


def own(pid: int) -> str:
    return f"I0102 03:04:06.500000 {pid:7d} train.py:10] step 5 loss 0.5\n"


OLD_BOOT = (
    "-- Boot 1111aaaa --\nJan 01 03:04:08 n2 kernel: Out of memory: Killed process 4242 (python3) total-vm:9kB, "
    "anon-rss:8kB\n-- Boot 2222bbbb --\nJan 02 01:00:00 n2 kernel: Linux version 5.15.0\n"
)
CLEAN = "[Fri Jan  2 02:00:00 2026] eth0: link up\n[Fri Jan  2 03:30:00 2026] eth0: renamed from veth1\n"
CASES = {
    "the worker's own": ({"n2/dmesg.txt": kill("03:04:08")}, "resource.host-oom-killed"),
    "one of an earlier boot": ({"n2/journal.txt": OLD_BOOT}, "process.killed-by-signal"),
    "by nobody that the kernel knows": ({"n2/dmesg.txt": CLEAN, "n2/exit_code": "137\n"}, "process.killed-by-signal"),
    "exit 139": ({"n2/exit_code": "139\n"}, "process.segfault"),
    "exit -11": ({"n2/exit_code": "-11\n"}, "process.segfault"),
    "exit 134": ({"n2/exit_code": "134\n"}, "process.abort-check"),
    "exit -9": ({"n2/exit_code": "-9\n"}, "process.killed-by-signal"),
}


@pytest.mark.parametrize("name", CASES)
def test_how_a_lost_worker_ended(name: str, packs: Packs, plan: ReadPlan) -> None:
    files, cause = CASES[name]
    base = {"n0/a.log": begin(0) + lost(9, 2), "n1/a.log": begin(1) + lost(9, 2), "n2/a.log": begin(2)}
    first = analyze({**base, **files}, packs, plan).root_causes[0].finding
    assert (first.cause, first.node) == (cause, "n2")


def test_a_kill_of_the_jobs_own_pid_is_surer_than_one_of_a_strangers(packs: Packs, plan: ReadPlan) -> None:
    base = {"n0/a.log": begin(0) + lost(9, 2), "n1/a.log": begin(1) + lost(9, 2), "n2/a.log": begin(2) + own(4242)}
    own_kill = analyze({**base, "n2/dmesg.txt": kill("03:04:08")}, packs, plan).root_causes[0]
    other = analyze({**base, "n2/dmesg.txt": kill("03:04:08", "indexer", 77)}, packs, plan).root_causes[0]
    assert "pid 4242 is a process of the job" in own_kill.why
    assert "no line shows that indexer (pid 77) is a process of the job" in other.against
    assert other.confidence < own_kill.confidence


def test_the_deepest_target_of_a_chain_is_meant_and_the_outer_ones_carry_the_message(
    packs: Packs, plan: ReadPlan
) -> None:
    def chain(*tasks: int) -> str:
        calls = "".join(
            f"Additional GRPC error information from remote target /job:worker/replica:0/task:{task} while calling "
            "/tensorflow.WorkerService/RecvBuf:\n"
            for task in tasks
        )
        return (
            "2026-01-02 03:04:09,000 ERROR train: step failed\n"
            "tensorflow.python.framework.errors_impl.UnavailableError: "
            f"Collective ops is aborted by: Collective ops is aborted by: Socket closed\n{calls}"
        )

    files = {"n0/a.log": begin(0) + chain(2, 1), "n1/a.log": begin(1) + chain(2), "n2/a.log": begin(2)}
    assert analyze(files, packs, plan).root_causes[0].finding.node == "n2"


def test_two_independent_faults_are_both_told(packs: Packs, plan: ReadPlan) -> None:
    xid = "[Fri Jan  2 03:04:08 2026] NVRM: Xid (PCI:0000:3b:00): 79, pid=4242, GPU has fallen off the bus.\n"
    files = {
        "n0/a.log": begin(0) + lost(9, 2) + lost(9, 1),
        "n1/a.log": begin(1),
        "n2/a.log": begin(2),
        "n2/dmesg.txt": kill("03:04:08"),
        "n1/dmesg.txt": xid,
    }
    causes = {
        (root.finding.cause, root.finding.node, root.status) for root in analyze(files, packs, plan).root_causes[:2]
    }
    assert causes == {("resource.host-oom-killed", "n2", "established"), ("hardware.gpu-lost", "n1", "established")}


def test_a_caught_exception_is_no_failure(packs: Packs, plan: ReadPlan) -> None:
    caught = (
        'Traceback (most recent call last):\n  File "/opt/job/train.py", line 9, in load\n    open(path)\n'
        "FileNotFoundError: [Errno 2] No such file or directory: 'cache'\n"
    )
    lines = begin(1).splitlines(keepends=True)
    files = {
        "n0/a.log": begin(0) + END,
        "n1/a.log": "".join([*lines[:3], caught, *lines[3:]]) + END,
        "n2/a.log": begin(2) + END,
    }
    assert analyze(files, packs, plan).verdict == "no-failure"
