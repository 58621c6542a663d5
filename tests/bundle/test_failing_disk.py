"""Disks that fail in the middle of a file: what came before is read, the rest is named, and all else goes on."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from analyzer.bundle import DamageError
from analyzer.bundle.disk import MAX_GROWTH_BYTES, open_disk_file

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).parent / "programs" / "failing_disk.c"
KILLED = "[  812.100000] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB, file-rss:0kB\n"
PACK = "pack: mine\nversion: 1.0.0\nsignals: {}\nrules: []\n"
AT = 100_000


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("no C compiler")
    target = tmp_path_factory.mktemp("shim") / "failing_disk.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(target), str(PROGRAM), "-ldl"], check=True)
    return target


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Beside a log that says what happened, one file of each kind on the disk that fails."""
    folder = tmp_path_factory.mktemp("bundle")
    (folder / "n0").mkdir()
    (folder / "n0" / "dmesg.txt").write_text(KILLED)
    log = b"".join(
        b"2026-01-01 00:00:00.%06d: I a.cc:1] %s\n" % (n, os.urandom(40).hex().encode()) for n in range(3000)
    )
    for number, suffix in enumerate(("tar", "tar.gz", "tar.xz", "tar.bz2"), 1):
        (folder / f"n{number}").mkdir()
        mode = "w" if suffix == "tar" else f"w:{suffix[4:]}"
        with tarfile.open(folder / f"n{number}" / f"failing.{suffix}", mode) as archive:  # type: ignore[call-overload]
            for name in "ab":
                info = tarfile.TarInfo(f"{name}.log")
                info.size = len(log)
                archive.addfile(info, io.BytesIO(log))
    for name, method in (("deflated", zipfile.ZIP_DEFLATED), ("stored", zipfile.ZIP_STORED)):
        with zipfile.ZipFile(folder / "n1" / f"failing-{name}.zip", "w", method) as packed:
            for member in "ab":
                packed.writestr(f"{member}.log", log)
    (folder / "n5").mkdir()
    (folder / "n5" / "failing.log").write_bytes(log)
    return folder


def analyze(bundle: Path, shim: Path, at: int, number: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "analyzer", "analyze", str(bundle), "-q", "--json", "-"],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        env={**os.environ, "LD_PRELOAD": str(shim), "FAIL_AT": str(at), "FAIL_WITH": str(number)},
    )


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EAGAIN], ids=errno.errorcode.get)
def test_a_disk_that_fails_in_the_middle_costs_what_lies_behind(bundle: Path, shim: Path, number: int) -> None:
    result = analyze(bundle, shim, AT, number)
    assert result.returncode == 0 and not result.stderr, result.stderr
    report = json.loads(result.stdout)
    sources = {source["file"]: source for source in report["sources"]}
    assert report["verdict"] == "diagnosed" and sources["n0/dmesg.txt"]["status"] == "read"
    for path in bundle.rglob("failing*"):
        own = [source for name, source in sources.items() if name.startswith(str(path.relative_to(bundle)))]
        assert any(os.strerror(number) in (source["problem"] or "") for source in own), own
        assert sum(source["unread"] for source in own) >= path.stat().st_size - AT - 1024, own
        if path.suffix not in (".xz", ".bz2"):  # whose first block is larger than that
            assert any(source["status"] == "partly-read" and source["lines"] for source in own), own


def test_a_disk_that_fails_at_once_costs_each_file_whole(bundle: Path, shim: Path) -> None:
    report = json.loads(analyze(bundle, shim, 0, errno.EIO).stdout)
    lost = {source["file"]: source for source in report["sources"] if "failing" in source["file"]}
    assert set(lost) == {str(path.relative_to(bundle)) for path in bundle.rglob("failing*")}
    for name, source in lost.items():
        size = (bundle / name).stat().st_size
        assert (source["status"], source["bytes"], source["unread"]) == ("failed", size, size)


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("analyze logs -q --json out --rules failing.yaml", 4),
        ("rules lint failing.yaml", 4),
        ("analyze --from failing.json -q --json out", 3),
        ("compare failing.json failing.json", 3),
        ("replay failing.json --write-only", 3),
        ("core failing.json", 3),
    ],
)
def test_what_else_is_read_from_such_a_disk_is_named(tmp_path: Path, shim: Path, command: str, status: int) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "dmesg.txt").write_text(KILLED)
    (tmp_path / "failing.yaml").write_text(PACK)
    (tmp_path / "failing.json").write_text('{"schema_version": "1", "tool": {}, "findings": []}')
    result = subprocess.run(
        [sys.executable, "-m", "analyzer", *command.split()],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "LD_PRELOAD": str(shim), "FAIL_AT": "0", "FAIL_WITH": "5"},
    )
    output = result.stdout + result.stderr
    assert result.returncode == status and "Traceback" not in output, output
    assert "failing" in output and "Input/output error" in output


def test_a_log_that_grows_while_it_is_read_is_read_to_its_new_end(tmp_path: Path) -> None:
    """A training that still runs writes on: more lines than a recursion would be deep."""
    log = tmp_path / "a.log"
    log.write_bytes(b"x" * 1000)
    with log.open("rb", buffering=0) as file, log.open("ab", buffering=0) as writer:
        stream = open_disk_file(file, 1000, lambda got: None)
        writer.write(b"y" * 50_000)
        assert stream.read(40_000) == b"x" * 1000 + b"y" * 39_000
        assert stream.read() == b"y" * 11_000


def test_a_file_that_never_ends_is_given_up() -> None:
    """/dev/zero stands for a file that is written faster than it is read."""
    with open("/dev/zero", "rb", buffering=0) as file:  # noqa: PTH123  a Path opens the same
        bytes_read = 0

        def watch(got: int) -> None:
            nonlocal bytes_read
            bytes_read += got

        class Endless:
            def read(self, count: int) -> bytes:
                return file.read(count)

            def tell(self) -> int:
                return bytes_read

        stream = open_disk_file(Endless(), 1000, watch)  # type: ignore[arg-type]
        with pytest.raises(DamageError, match="grows faster than it is read: 1,000 bytes"):
            while stream.read(1 << 20):
                pass
        assert MAX_GROWTH_BYTES <= stream.position <= MAX_GROWTH_BYTES + (2 << 20) and stream.bytes_left() == 0
