"""How much memory control groups leave: nested ones, both versions, and what `max` and `memory.high` say.

The trees hold what the files of Linux 6.x hold; what a process is in is asked of the kernel that runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from analyzer.collect.cgroup import MemoryCgroup, find_memory_cgroups, memory_left_bytes, tightest_limit

ROOT = Path(__file__).parents[2]
UNIFIED = Path("/sys/fs/cgroup/unified")
MIB = 1 << 20


def make_group(folder: Path, **files: object) -> Path:
    """`memory_max=5` is the file memory.max; `anon` and `file` are lines of memory.stat."""
    folder.mkdir(parents=True, exist_ok=True)
    stat = {name: files.pop(name, 0) for name in ("anon", "file", "shmem")}
    (folder / "memory.stat").write_text("".join(f"{name} {value}\n" for name, value in stat.items()))
    for name, value in files.items():
        (folder / name.replace("_", ".", 1)).write_text(f"{value}\n")
    return folder


def chain(tmp_path: Path, outer: Mapping[str, object], inner: Mapping[str, object]) -> list[MemoryCgroup]:
    return [
        MemoryCgroup(make_group(tmp_path / "outer" / "inner", **inner), 2),
        MemoryCgroup(make_group(tmp_path / "outer", **outer), 2),
    ]


@pytest.mark.parametrize(
    ("outer", "inner", "left"),
    [
        ({"memory_max": "max"}, {"memory_max": "max", "memory_high": "max"}, None),
        ({"memory_max": "max"}, {"memory_max": 500 * MIB, "anon": 100 * MIB}, 400 * MIB),
        ({"memory_max": 300 * MIB, "anon": 100 * MIB}, {"memory_max": 500 * MIB, "anon": 100 * MIB}, 200 * MIB),
        ({"memory_max": 900 * MIB, "anon": 850 * MIB}, {"memory_max": 500 * MIB, "anon": 100 * MIB}, 50 * MIB),
        ({"memory_max": 900 * MIB, "file": 850 * MIB}, {"memory_max": "max"}, 900 * MIB),
        ({"memory_max": 900 * MIB, "anon": 100 * MIB, "shmem": 50 * MIB}, {}, 750 * MIB),
        ({"memory_max": "max"}, {"memory_max": 500 * MIB, "memory_high": 200 * MIB, "anon": 50 * MIB}, 150 * MIB),
        ({"memory_high": 200 * MIB, "anon": 250 * MIB}, {"memory_max": 500 * MIB}, 0),
        ({}, {}, None),
    ],
)
def test_the_group_that_is_full_first_says_how_much_is_left(
    tmp_path: Path, outer: dict[str, object], inner: dict[str, object], left: int | None
) -> None:
    assert memory_left_bytes(chain(tmp_path, outer, inner)) == left


def test_the_tightest_group_is_the_one_of_the_least_limit(tmp_path: Path) -> None:
    groups = chain(tmp_path, {"memory_max": 5}, {"memory_max": "max"})
    assert tightest_limit(groups) == groups[1]


def test_where_only_the_container_s_own_group_is_seen_it_is_the_root(tmp_path: Path) -> None:
    """The host's path of this process is in no such tree."""
    make_group(tmp_path, cgroup_controllers="memory", memory_max=7 * MIB, anon=MIB)
    assert find_memory_cgroups(os.getpid(), tmp_path) == [MemoryCgroup(tmp_path, 2)]
    assert memory_left_bytes(find_memory_cgroups(os.getpid(), tmp_path)) == 6 * MIB


@pytest.fixture
def unified_group() -> Iterator[Path]:
    """A real group of version 2, in which nothing need be limited: the kernel names it to whoever is in it."""
    folder = UNIFIED / f"tf-postmortem-{os.getpid()}" / "job"
    try:
        folder.mkdir(parents=True)
    except OSError:
        pytest.skip("no group of version 2 can be made here")
    yield folder
    folder.rmdir()
    folder.parent.rmdir()


def test_a_limit_of_version_2_leaves_one_reader(unified_group: Path, tmp_path: Path) -> None:
    """The whole program in a real group. The files of its limits are ours where the kernel's memory is of version 1."""
    tree, logs = tmp_path / "tree", tmp_path / "logs"
    inner = tree / unified_group.relative_to(UNIFIED)
    make_group(tree, cgroup_controllers="cpu memory")
    make_group(inner.parent, memory_max=800 * MIB, memory_high="max", anon=650 * MIB)
    make_group(inner, memory_max="max", memory_high="max", anon=20 * MIB)
    for node in ("n1", "n2"):
        (logs / node).mkdir(parents=True)
        (logs / node / "a.log").write_bytes(b"2026-03-01 10:00:00 INFO nothing of note\n" * 240_000)
    line = (
        f"echo $$ > {unified_group}/cgroup.procs && mount -t tmpfs none /sys/fs/cgroup && "
        f"cp -r {tree}/. /sys/fs/cgroup && exec {sys.executable} -m analyzer analyze {logs} -q --json - --jobs 2"
    )
    command = ["unshare", "-m", "sh", "-c", line]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT)
    if "mount" in result.stderr or "unshare" in result.stderr:
        pytest.skip("only root may mount")
    assert result.returncode == 0 and not result.stderr, result.stderr
    assert any("reading processes than requested: 1." in note for note in json.loads(result.stdout)["notes"])
