"""A real program dies under `record`; `collect` hands in its part; `analyze` names cause and node."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from collecting import analyze, files_of, manifest_of, run

from analyzer.collect.core_trimming import trim_core
from analyzer.report.decode import decode_incident
from analyzer.report.html import render_html

CONFIG = '{"cluster": {"worker": ["node-a:2222", "node-b:2222"]}, "task": {"type": "worker", "index": 1}}'


def incident_of(tmp_path: Path, code: str, *wrapper: str) -> dict[str, Any]:
    """The kernel's log of this machine may hold other people's crashes: only what was written since is handed in."""
    began = time.time()
    flight, part = tmp_path / "flight.jsonl", tmp_path / "node-b.tar.zst"
    record = [sys.executable, "-m", "analyzer", "record", "--interval", "0.1", "--out", str(flight), "--"]
    subprocess.run(
        [*wrapper, *record, sys.executable, "-u", "-c", code],
        cwd=tmp_path,  # where a relative core_pattern puts the core
        env={**os.environ, "TF_CONFIG": CONFIG},
        capture_output=True,
        timeout=120,
    )
    logs = ["--log", tmp_path / "flight*.jsonl"]
    result = run("collect", "--out", part, *logs, "--since", f"@{int(began)}", "--node", "node-b", "--redact")
    assert result.returncode == 0, result.stderr
    return analyze(part)


def test_a_core_goes_in_slim_form_with_its_modules(tmp_path: Path) -> None:
    record = [sys.executable, "-m", "analyzer", "record", "--core", "--out", "flight.jsonl", "--"]
    code = "import ctypes; print('step 1'); ctypes.string_at(8)"
    traced = [sys.executable, "-X", "faulthandler", "-c", code]  # which prints its trace and raises the signal again
    subprocess.run([*record, *traced], cwd=tmp_path, capture_output=True, timeout=120)
    cores = [path for path in tmp_path.iterdir() if path.name.startswith("core")]
    if not cores:
        pytest.skip("this machine's core_pattern or limit leaves no core in the working folder")
    part = tmp_path / "n.tar"
    run(
        "collect", "--out", part, "--core", cores[0], "--log", tmp_path / "flight*", "--since", "0s", "--node", "node-b"
    )
    assert f"cores/{cores[0].name}.slim.tar.gz" in files_of(part)
    incident = analyze(part)
    (core,) = incident["cores"]
    crashed = next(thread for thread in core["threads"] if thread["tid"] == core["crashing_thread"])
    assert (core["signal"], core["node"]) == ("SIGSEGV", "node-b")
    assert any(frame["function"] == "string_at" for frame in crashed["frames"])
    assert "pthread_kill" in crashed["frames"][0]["function"]
    assert not any("pthread_kill" in root["title"] for root in incident["root_causes"])
    assert part.stat().st_size < cores[0].stat().st_size


def test_a_crash_is_named_with_its_node_and_task(tmp_path: Path) -> None:
    code = (
        "import ctypes, faulthandler, time\nfaulthandler.enable()\n"
        "for step in range(5): print(f'step {step}'); time.sleep(0.1)\n"
        "ctypes.string_at(0)"
    )
    incident = incident_of(tmp_path, code)
    assert incident["verdict"] == "diagnosed"
    causes = [(root["cause"], root["node"]) for root in incident["root_causes"]]
    assert ("process.segfault", "node-b") in causes
    (node,) = [node for node in incident["nodes"] if node["name"] == "node-b"]
    assert node["tasks"] == ["worker:1"]
    assert [note for note in incident["notes"] if note.startswith("the collection of")] == []


@pytest.fixture
def memory_group() -> Iterator[Path]:
    """A control group of 300 MiB, as a container is."""
    root = Path("/sys/fs/cgroup")
    two = (root / "cgroup.controllers").exists()
    group = (root if two else root / "memory") / f"tf-postmortem-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / ("memory.max" if two else "memory.limit_in_bytes")).write_text(str(300 << 20))
    except OSError:
        if group.is_dir():
            group.rmdir()
        pytest.skip("needs root and a memory controller to make a control group")
    try:
        yield group
    finally:
        until = time.monotonic() + 10
        while (group / "cgroup.procs").read_text() and time.monotonic() < until:
            time.sleep(0.05)
        group.rmdir()


def test_a_leak_up_to_the_limit_and_the_kill_are_one_story(tmp_path: Path, memory_group: Path) -> None:
    code = (
        "import time\nhold = []\nfor step in range(200):\n"
        "    hold.append(bytearray(4 << 20)); print(f'step {step}'); time.sleep(0.1)"
    )
    join = ["sh", "-c", f'echo $$ > {memory_group}/cgroup.procs; exec "$@"', "sh"]
    incident = incident_of(tmp_path, code, *join)
    root = incident["root_causes"][0]
    assert (root["cause"], root["node"], root["task"]) == ("resource.host-oom-killed", "node-b", "worker:1")
    assert "grew" in root["title"] and "then the OOM kill" in root["title"]
    assert float(root["captures"]["share"]) > 70
    curves = [
        series for series in incident["resources"] if (series["scope"], series["metric"]) == ("process", "memory")
    ]
    assert curves and curves[0]["node"] == "node-b" and len(curves[0]["points"]) >= 8
    html = render_html(decode_incident(incident)[0])
    assert 'id="resources"' in html and "memory of python" in html and 'class="limit"' in html


def test_the_one_file_cuts_a_large_core_to_its_stacks_and_small_mappings(collector: Path, tmp_path: Path) -> None:
    """300 MB of tensors are left out, and the backtrace is that of the whole core: native and Python frames."""
    code = "import ctypes\nweights = bytearray(b'w' * (300 << 20))\ndef train(): ctypes.string_at(8)\ntrain()"
    record = [sys.executable, str(collector), "record", "--core", "--out", "flight.jsonl", "--"]
    subprocess.run([*record, sys.executable, "-c", code], cwd=tmp_path, capture_output=True, timeout=120)
    cores = [path for path in tmp_path.iterdir() if path.name.startswith("core")]
    if not cores:
        pytest.skip("this machine's core_pattern or limit leaves no core in the working folder")
    part = tmp_path / "n.tar.gz"
    asked = ["--core", str(cores[0]), "--max-core", "48M", "--since", "0s", "--node", "node-b", "--out", str(part)]
    result = subprocess.run([sys.executable, str(collector), "collect", *asked], capture_output=True, timeout=120)
    assert result.returncode == 0, result.stderr
    files = files_of(part)
    assert len(files[f"cores/{cores[0].name}"]) <= (48 << 20) + 200_000 < cores[0].stat().st_size
    assert any(name.startswith("cores/sysroot/") and "/libc" in name for name in files)
    (core,) = analyze(part)["cores"]
    crashed = next(thread for thread in core["threads"] if thread["tid"] == core["crashing_thread"])
    names = [frame["function"] for frame in crashed["frames"]]
    assert core["signal"] == "SIGSEGV" and {"string_at", "train", "<module>"} <= set(names)
    full_core = analyze(cores[0])["cores"][0]
    assert [frame["function"] for frame in full_core["threads"][0]["frames"]] == names


@pytest.mark.parametrize("most", ["256M", "4M"])
def test_the_one_file_takes_no_core_with_the_secrets_of_its_process(collector: Path, tmp_path: Path, most: str) -> None:
    """A core that goes whole and one that is cut: nothing of what the names of variables and options call secret."""
    code = "import ctypes, os, sys\nkept = [os.environ['HF_TOKEN'][6:] + 'x', *sys.argv]\nctypes.string_at(8)"
    words = [sys.executable, "-c", code, "--db-password", "never-out-of-here-2", "--plain", "shown-as-it-is"]
    record = [sys.executable, str(collector), "record", "--core", "--out", "flight.jsonl", "--"]
    environment = {**os.environ, "HF_TOKEN": "never-out-of-here-1", "PLAIN": "shown-too"}
    subprocess.run([*record, *words], cwd=tmp_path, env=environment, capture_output=True, timeout=120)
    cores = [path for path in tmp_path.iterdir() if path.name.startswith("core")]
    if not cores:
        pytest.skip("this machine's core_pattern or limit leaves no core in the working folder")
    assert b"never-out" in cores[0].read_bytes()
    part = tmp_path / "n.tar"
    asked = ["--core", str(cores[0]), "--max-core", most, "--since", "0s", "--out", str(part)]
    result = subprocess.run([sys.executable, str(collector), "collect", *asked], capture_output=True, timeout=120)
    assert result.returncode == 0, result.stderr
    (core,) = (data for name, data in files_of(part).items() if name == f"cores/{cores[0].name}")
    assert b"shown-as-it-is" in core and b"PLAIN=shown-too" in core
    assert not any(part in core for part in (b"never-out", b"out-of-here", b"here-1"))
    assert next(entry for entry in manifest_of(part)["files"] if entry["name"].startswith("cores/core"))["masked"] == 2


@pytest.mark.parametrize("size", [0, 63, 4096])
def test_what_is_no_core_is_not_cut(size: int, tmp_path: Path) -> None:
    (tmp_path / "core").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x04\x00" + b"\xff" * size)
    with (tmp_path / "core").open("rb") as file:
        assert trim_core(file, 1 << 20) is None or size == 4096
