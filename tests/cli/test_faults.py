"""Faults of the machine: full disks, closed outputs, read errors, odd surroundings. One line, and no half report."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.bundle import DamageError, Member, open_bundle
from analyzer.bundle.disk import open_disk_file

ROOT = Path(__file__).parents[2]
KILLED = "[  812.100000] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB, file-rss:0kB\n"


def run(command: str, cwd: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    """`{}` is the program."""
    line = command.replace("{}", f"{sys.executable} -m analyzer")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **changes}
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=120, cwd=cwd, env=environment)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "dmesg.txt").write_text(KILLED)
    return tmp_path


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(folder)], capture_output=True).returncode:
        pytest.skip("only root may mount a small file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("buffered", ["", "1"])
@pytest.mark.parametrize(
    "command", ["analyze logs -q --json -", "timeline logs", "rules list", "analyze logs -q -o /dev/full"]
)
def test_an_output_that_is_full_is_an_error(logs: Path, command: str, buffered: str) -> None:
    result = run(f"{{}} {command} > /dev/full", logs, PYTHONUNBUFFERED=buffered)
    assert result.returncode == 1
    assert result.stderr.startswith("error: ") and "No space left" in result.stderr and "hint: " in result.stderr
    assert "Traceback" not in result.stderr and "Exception ignored" not in result.stderr


def test_a_closed_output_is_an_error_only_where_it_is_needed(logs: Path) -> None:
    result = run("{} analyze logs -q --json - >&-", logs)
    assert result.returncode == 1 and result.stderr.startswith("error: "), result.stderr
    result = run("{} analyze logs -q --json out.json >&- 2>&-", logs)
    assert result.returncode == 0 and (logs / "out.json").stat().st_size


def test_on_a_full_disk_the_old_report_stays_and_nothing_is_left_beside_it(logs: Path, small_disk: Path) -> None:
    (small_disk / "r.html").write_text("old")
    for option in ("-o", "--json", "--markdown"):
        name = "r.html" if option == "-o" else f"new{option}"
        result = run(f"{{}} analyze logs -q {option} small/{name}", logs)
        if option != "--markdown":  # a short one fits
            assert result.returncode == 1 and "No space left" in result.stderr, result.stderr
    assert (small_disk / "r.html").read_text() == "old"
    assert {path.name for path in small_disk.iterdir()} <= {"r.html", "new--markdown"}


def test_a_replay_for_which_there_is_no_room_leaves_no_folder(logs: Path, small_disk: Path) -> None:
    assert run("{} analyze logs -q --json out.json", logs).returncode == 0
    result = run("{} replay out.json --write-only --out small/repro", logs)
    assert result.returncode == 1 and result.stderr.count("\n") == 2, result.stderr
    assert "cannot write small/repro: No space left" in result.stderr
    assert not [*small_disk.iterdir()]


def test_part_of_an_output_is_no_success(logs: Path, small_disk: Path) -> None:
    result = run("{} analyze logs -q --json - > small/r.json", logs, PYTHONUNBUFFERED="1")
    assert result.returncode == 1 and "No space left" in result.stderr


def test_private_copies_and_caches_do_without_room(logs: Path, small_disk: Path) -> None:
    core = (b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x04\x00\x3e\x00").ljust(64, b"\0") + os.urandom(90_000)
    with tarfile.open(logs / "logs" / "n1.tar", "w") as archive:
        info = tarfile.TarInfo("n1/core.7")
        info.size = len(core)
        archive.addfile(info, io.BytesIO(core))
    result = run("{} analyze logs -q --json out.json", logs, TMPDIR=str(small_disk), XDG_CACHE_HOME=str(small_disk))
    assert result.returncode == 0 and "Traceback" not in result.stderr, result.stderr
    assert "n1/core.7" in (logs / "out.json").read_text()
    assert not [path for path in small_disk.rglob("*") if path.is_file()]
    result = run("{} analyze logs -q --history small/h", logs)
    assert result.returncode == 0 and "history: " in result.stderr and "Traceback" not in result.stderr


def test_a_zip_for_which_there_is_no_room_is_a_loss_of_its_own(logs: Path, tmp_path: Path) -> None:
    """The scratch disk is a place where nothing can be: the zip is too large for memory."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("w.log", os.urandom(9000))
    with tarfile.open(logs / "logs" / "n1.tar", "w") as outer:
        info = tarfile.TarInfo("big.zip")
        info.size = inner.tell()
        inner.seek(0)
        outer.addfile(info, inner)
    result = run("{} analyze logs -q --json out.json --limit nested_memory=100", logs, **nowhere(tmp_path))
    assert result.returncode == 0, result.stderr
    sources = {source["file"]: source for source in json.loads((logs / "out.json").read_text())["sources"]}
    assert sources["dmesg.txt"]["status"] == "read"
    assert sources["n1.tar/big.zip"]["status"] == "failed" and "scratch disk" in sources["n1.tar/big.zip"]["problem"]


def nowhere(folder: Path) -> dict[str, str]:
    """An environment in which Python finds no folder for temporary files, whoever runs it."""
    (folder / "sitecustomize.py").write_text(
        "import tempfile\ntempfile._candidate_tempdir_list = lambda: ['/dev/null']\n"
    )
    return {"PYTHONPATH": f"{folder}:{ROOT}"}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_without_a_temporary_folder_what_needs_no_copy_is_read(logs: Path, tmp_path: Path, jobs: str) -> None:
    (logs / "logs" / "n2").mkdir()
    (logs / "logs" / "n2" / "big.log").write_bytes(b"nothing of note\n" * 600_000)  # a part of its own
    result = run(f"{{}} analyze logs -q --json out.json --jobs {jobs}", logs, **nowhere(tmp_path))
    assert result.returncode == 0, result.stderr
    assert json.loads((logs / "out.json").read_text())["verdict"] == "diagnosed"


def test_a_binary_of_a_name_that_no_disk_takes_stops_nothing(logs: Path) -> None:
    """A component over 255 bytes, and a file where another binary has a folder."""
    elf = (b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\x3e\x00").ljust(9000, b"\1")
    with tarfile.open(logs / "logs" / "n1.tar", "w") as archive:
        for name in ("n" * 300, "a", "a/b", "c/d", "c"):
            info = tarfile.TarInfo(name)
            info.size = len(elf)
            archive.addfile(info, io.BytesIO(elf))
    result = run("{} analyze logs -q --json out.json", logs)
    assert result.returncode == 0, result.stderr
    problems = {
        source["file"]: source["problem"] or "" for source in json.loads((logs / "out.json").read_text())["sources"]
    }
    kept = {
        name.removeprefix("n1.tar/")
        for name, problem in problems.items()
        if "used to read the stacks of cores" in problem
    }
    assert kept == {"a", "c/d"}
    assert "File name too long" in problems["n1.tar/" + "n" * 300]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_signals_do_not_stop_the_clearing_up(logs: Path, tmp_path: Path, jobs: str) -> None:
    """One comes just as the private folder goes away, and more behind it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, shutil, signal\n"
        "real, first = shutil.rmtree, os.getpid()\n"
        "def rmtree(*arguments, **options):\n"
        "    if os.getpid() == first:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "    real(*arguments, **options)\n"
        "shutil.rmtree = rmtree\n"
    )
    (logs / "logs" / "n2").mkdir()
    (logs / "logs" / "n2" / "big.log").write_bytes(b"nothing of note\n" * 600_000)
    private = tmp_path / "private"
    private.mkdir()
    result = run(
        f"{{}} analyze logs -q --json out.json --jobs {jobs}",
        logs,
        PYTHONPATH=f"{tmp_path}:{ROOT}",
        TMPDIR=str(private),
    )
    assert (result.returncode, result.stderr) == (130, "stopped\n")
    assert not [*private.iterdir()] and not (logs / "out.json").exists()


@pytest.mark.parametrize("zone", [":bad", "Asia/Kathmandu", "UTC-99:99", ":/etc/passwd", "", "XYZ5"])
def test_the_zone_of_the_machine_changes_nothing(logs: Path, zone: str) -> None:
    (logs / "logs" / "syslog").write_text("Mar  1 10:00:00 n1 kernel: [12.5] Out of memory: Killed process 7 (x)\n")
    here = run("{} analyze logs -q --json -", logs, TZ="UTC")
    elsewhere = run("{} analyze logs -q --json -", logs, TZ=zone)
    assert here.returncode == elsewhere.returncode == 0 and not elsewhere.stderr
    assert elsewhere.stdout == here.stdout


def test_a_read_error_in_mid_file_is_a_break() -> None:
    """/proc/self/mem is a regular file whose first page cannot be read: the kernel answers EIO."""
    with open("/proc/self/mem", "rb", buffering=0) as file:  # noqa: PTH123  a Path opens the same
        stream = open_disk_file(file, 1000, lambda count: None)
        with pytest.raises(DamageError, match="reading stopped"):
            stream.read(10)
        assert stream.bytes_left() == 1000


def test_a_file_that_shrinks_or_is_replaced_while_it_is_read(tmp_path: Path) -> None:
    log, other = tmp_path / "in/a.log", tmp_path / "in/b"
    log.parent.mkdir()
    log.write_bytes(b"x" * 3_000_000)
    other.mkdir()
    (other / "c.log").write_text("y\n")
    items = open_bundle([tmp_path / "in"])
    first = next(items)
    assert isinstance(first, Member)
    first.stream.read(1_000_000)
    os.truncate(log, 1_200_000)
    with pytest.raises(DamageError, match="shrank by 1,800,000 bytes"):
        while first.stream.read(100_000):
            pass
    assert first.stream.bytes_left() == 1_800_000 + (1_200_000 - first.stream.position)
    (other / "c.log").unlink()
    other.rmdir()
    other.write_text("a file now\n")
    assert [item.path for item in items] == ["b"]
