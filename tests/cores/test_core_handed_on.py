"""A crash in an archive: with its binaries, slimmed, as Ubuntu reports it, compressed as systemd does."""

from __future__ import annotations

import base64
import gzip
import json
import shutil
import subprocess
import sys
import tarfile
import zlib
from pathlib import Path
from typing import Any

import lz4.frame
import pytest
import zstandard
from core_rows import read_core_row
from crashing import compile_program, crash
from hypothesis import given
from hypothesis import strategies as st

from analyzer.core_dump import core_to_json
from analyzer.cores import open_apport
from analyzer.pipeline import analyze

PYTHON = "import ctypes, threading\nclass Box:\n    def open(self):\n        ctypes.string_at(8)\n"
PYTHON += "t = threading.Thread(target=Box().open)\nt.start()\nt.join()\n"


def run_core(*arguments: object) -> Any:
    command = [sys.executable, "-m", "analyzer", "core", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def stacks(core: Any) -> Any:
    return [
        [(f["address"], f["function"], f["file"], f["line"], f["how"]) for f in t["frames"]] for t in core["threads"]
    ]


@pytest.mark.parametrize("how", ["null", "assert", "handler", "threads", "overflow", "throw", "python"])
@pytest.mark.parametrize("suffix", [".tar.gz", ".tar.zst"])
def test_a_slim_crash_gives_the_same_answer_where_no_binary_is(
    make_core: Any, tmp_path: Path, how: str, suffix: str
) -> None:
    """The program is taken away, so that only the archive can serve."""
    if how == "python":
        (tmp_path / "job.py").write_text(PYTHON)
        path = crash(tmp_path / "run", [sys.executable, str(tmp_path / "job.py")])
    else:
        source = "throw.cc" if how == "throw" else "crash.c"
        program = compile_program(source, tmp_path / "crash", "-O1", "-g")
        path = crash(tmp_path / "run", [str(program), how, str(tmp_path / "mapped")])
    full_core: Any = read_core_row(path)
    archive = tmp_path / f"slim{suffix}"
    result = run_core(path, "--slim", archive)
    assert result.returncode == 0, result.stderr
    assert archive.stat().st_size < 3 << 20
    if how != "python":
        program.unlink()
    slim = json.loads(run_core(archive, "--json", "-").stdout)
    assert stacks(slim) == stacks(full_core)
    for key in ("signal", "signal_code", "fault_address", "abort_message", "signature", "command_line", "executable"):
        assert slim[key] == full_core[key]
    assert slim["facts"]["explanation"] == full_core["facts"]["explanation"]
    assert slim["facts"].get("python") == full_core["facts"].get("python")
    assert any("slimmed" in problem for problem in slim["problems"])


def test_a_slim_crash_holds_no_code_and_no_secret(tmp_path: Path) -> None:
    program = compile_program("crash.c", tmp_path / "crash", "-O1", "-g")
    environment = {"AWS_SECRET_ACCESS_KEY": "hush-hush-hush", "TF_CONFIG": "{}", "PROXY": "http://me:whisper@proxy/"}
    path = crash(tmp_path / "run", [str(program), "null", "--token=mumble-mumble"], env=environment)
    archive = tmp_path / "slim.tar"
    assert run_core(path, "--slim", archive, "--mask").returncode == 0
    raw = archive.read_bytes()
    assert not any(secret in raw for secret in (b"hush-hush", b"whisper", b"mumble"))
    core = json.loads(run_core(archive, "--json", "-").stdout)
    assert core["facts"]["environment"]["TF_CONFIG"] == "{}"
    assert core["threads"][0]["frames"][0]["function"] == "read_node"
    assert run_core(path, "--slim", tmp_path / "open.tar").returncode == 0
    assert b"hush-hush" in (tmp_path / "open.tar").read_bytes()
    code = subprocess.run(["objcopy", "-O", "binary", "-j", ".text", program, tmp_path / "text"], check=False)
    assert code.returncode or (tmp_path / "text").read_bytes()[:200] not in raw


def test_gnu_tar_and_eu_stack_understand_a_slim_crash(make_core: Any, tmp_path: Path) -> None:
    path = make_core("threads", "-O1", "-g")
    archive = tmp_path / "slim.tar.gz"
    assert run_core(path, "--slim", archive).returncode == 0
    if shutil.which("tar") is None:
        pytest.skip("no tar")
    (tmp_path / "out").mkdir()
    subprocess.run(["tar", "-C", tmp_path / "out", "-xf", archive], check=True, capture_output=True)
    for file in (tmp_path / "out").rglob("*"):
        original = Path("/", file.relative_to(tmp_path / "out")).as_posix().removeprefix("/sysroot")
        if file.is_file() and Path(original).is_file():
            assert file.stat().st_size == Path(original).stat().st_size
    assert stacks(read_core_row(tmp_path / "out" / path.name)) == stacks(read_core_row(path))


@pytest.mark.parametrize("order", [1, -1])
def test_binaries_in_an_archive_serve_its_cores(tmp_path: Path, order: int) -> None:
    """By build id wherever they lie, before or behind the core."""
    program = compile_program("crash.c", tmp_path / "crash", "-O1", "-g")
    path = crash(tmp_path / "run", [str(program), "null"])
    bundle = tmp_path / "bundle.tar.gz"
    with tarfile.open(bundle, "w:gz") as archive:
        for file, name in [(path, "node-1/core.9"), (program, "node-1/bin/renamed")][::order]:
            archive.add(file, name)
    program.unlink()
    core: Any = core_to_json(analyze([bundle]).cores[0])
    assert [f["function"] for f in core["threads"][0]["frames"][:2]] == ["read_node", "walk_nodes"]


def test_a_binary_without_build_id_serves_by_its_path_under_a_sysroot(tmp_path: Path) -> None:
    program = compile_program("crash.c", tmp_path / "crash", "-O1", "-g", "-Wl,--build-id=none")
    path = crash(tmp_path / "run", [str(program), "null"])
    bundle = tmp_path / "bundle.tar"
    with tarfile.open(bundle, "w") as archive:
        archive.add(path, "node-1/core.9")
        archive.add(program, f"node-1/sysroot{program}")
    program.unlink()
    core: Any = core_to_json(analyze([bundle]).cores[0])
    main = next(m for m in core["modules"] if m["path"] == str(program))
    assert (main["status"], core["threads"][0]["frames"][0]["function"]) == ("header-match", "read_node")


def make_report(core: bytes, chunk: int = 1 << 20) -> bytes:
    """As apport's problem_report.py writes it: the gzip header, then blocks of deflate, each a line of base64."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    blocks = [b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"]
    for start in range(0, len(core), chunk):
        blocks.append(deflate.compress(core[start : start + chunk]))
    tail = deflate.flush() + zlib.crc32(core).to_bytes(4, "little") + (len(core) & 0xFFFFFFFF).to_bytes(4, "little")
    lines = b"".join(b" " + base64.b64encode(block) + b"\n" for block in [*blocks, tail] if block)
    head = b"ProblemType: Crash\nDate: Sun Mar  1 10:00:00 2026\nProcStatus:\n Name:\tpython3\n Umask:\t0022\n"
    return head + b"CoreDump: base64\n" + lines + b"Signal: 11\n"


@pytest.mark.parametrize("kind", ["apport", "zst", "lz4", "gz"])
def test_packed_cores_read_as_plain_ones(make_core: Any, tmp_path: Path, kind: str) -> None:
    path = make_core("assert", "-O1", "-g")
    raw, full_core = path.read_bytes(), read_core_row(path)
    packed = {
        "apport": lambda: make_report(raw),
        "zst": lambda: zstandard.compress(raw),
        "lz4": lambda: lz4.frame.compress(raw),
        "gz": lambda: gzip.compress(raw),
    }[kind]()
    name = {"apport": "_usr_bin_python3.1000.crash"}.get(kind, f"core.python3.1000.4711.{kind}")
    (tmp_path / "node-1").mkdir()
    (tmp_path / "node-1" / name).write_bytes(packed)
    core: Any = core_to_json(analyze([tmp_path / "node-1"]).cores[0])
    assert core["threads"] == full_core["threads"]
    assert (core["signature"], core["abort_message"]) == (full_core["signature"], full_core["abort_message"])


@given(st.binary(max_size=300))
def test_a_damaged_report_is_survived(tail: bytes) -> None:
    from analyzer.reading import Peekable

    class Once:
        def __init__(self) -> None:
            self.data = b"ProblemType: Crash\nCoreDump: base64\n H4sIAAAAAAAC/w==\n" + tail

        def read(self, size: int = -1) -> bytes:
            given, self.data = self.data[:size], self.data[size:]
            return given

    stream = open_apport(Peekable(Once()))
    assert stream is not None
    try:
        while stream.read(100):
            pass
    except ValueError as error:
        assert "crash report" in str(error)


def test_registers_are_shown_on_request(make_core: Any) -> None:
    text = run_core(make_core("null", "-O1", "-g"), "--raw-registers").stdout
    assert "rip" in text or "pc" in text
    assert "code at the program counter" in text
    assert run_core(make_core("null", "-O1", "-g"), "--mask").returncode == 2
