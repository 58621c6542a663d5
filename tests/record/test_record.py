"""A program under watch sees no difference, and its flight file says what happened."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import resource
import shlex
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
import pytest

from analyzer.pipeline import analyze
from analyzer.record.writable_folders import list_writable_folders, one_folder_per_file_system

ROOT = Path(__file__).parents[2]
RECORD = [sys.executable, "-m", "analyzer", "record"]


def python(code: str, *words: str) -> list[str]:
    return [sys.executable, "-u", "-c", code, *words]


def record(out: Path, command: list[str], *options: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": ROOT, "timeout": 60, **more}
    return subprocess.run([*RECORD, "--out", str(out), *options, "--", *command], **more)


@contextlib.contextmanager
def recording(out: Path, command: list[str], **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    words = [*RECORD, "--interval", "0.1", "--out", str(out), "--", *command]
    with subprocess.Popen(words, cwd=ROOT, **more) as process:
        try:
            yield process
        finally:
            process.kill()


def lines_of(out: Path, kind: str) -> list[dict[str, Any]]:
    records = [json.loads(line) for line in out.read_text().splitlines()]
    return [record for record in records if record["type"] == kind]


def wait_for(happened: Callable[[], object]) -> None:
    until = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < until, "it never happened"
        time.sleep(0.02)


def has_output(out: Path, text: str) -> bool:
    output = out.with_name(out.stem + ".output.jsonl")
    return output.exists() and text in output.read_text()


@pytest.mark.parametrize(
    ("code", "status", "by_signal"),
    [
        ("pass", 0, None),
        ("raise SystemExit(7)", 7, None),
        ("import os; os.kill(os.getpid(), 9)", 137, 9),
        ("import os; os.abort()", 134, 6),
    ],
)
def test_the_exit_status_is_the_programs(tmp_path: Path, code: str, status: int, by_signal: int | None) -> None:
    out = tmp_path / "f.jsonl"
    assert record(out, python(code)).returncode == status
    (end,) = lines_of(out, "end")
    assert end["code"] == status and end.get("signal") == by_signal


def test_the_records_of_the_runs_before_are_kept(tmp_path: Path) -> None:
    out = tmp_path / "flight.jsonl"
    for code in range(11):
        record(out, python(f"print({code}); raise SystemExit({code})"))
    names = [out, *(tmp_path / f"flight.{number}.jsonl" for number in range(1, 10))]
    assert [lines_of(name, "end")[0]["code"] for name in names] == list(range(10, 0, -1))
    assert has_output(tmp_path / "flight.9.jsonl", "1") and len(list(tmp_path.iterdir())) == 20


def test_what_cannot_be_started_says_so_as_a_shell_does(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("no program")
    assert record(tmp_path / "f.jsonl", ["no-such-program-anywhere"]).returncode == 127
    assert record(tmp_path / "f.jsonl", [str(tmp_path / "plain")]).returncode == 126
    assert record(tmp_path / "no" / "f.jsonl", ["true"]).returncode == 1
    assert record(tmp_path / "f.jsonl", []).returncode == 2


def test_output_passes_byte_for_byte_and_is_kept_with_its_times(tmp_path: Path) -> None:
    out = tmp_path / "f.jsonl"
    code = "import os; os.write(1, b'a\\xff\\n' + b'x' * 200000 + b'\\nno end'); os.write(2, b'oops\\r50%\\r')"
    result = record(out, python(code))
    assert result.stdout == b"a\xff\n" + b"x" * 200000 + b"\nno end" and result.stderr == b"oops\r50%\r"
    kept = [json.loads(line) for line in (tmp_path / "f.output.jsonl").read_text().splitlines()]
    joined = {
        name: "".join(record["log"] for record in kept if record["stream"] == name) for name in ("stdout", "stderr")
    }
    assert joined["stdout"].endswith("\nno end") and joined["stderr"] == "oops\r50%\r"
    assert len(joined["stdout"]) == len(result.stdout) and all(record["time"].endswith("Z") for record in kept)


def test_two_streams_into_one_place_keep_their_order(tmp_path: Path) -> None:
    code = "import sys\nfor n in range(300): print(n, file=(sys.stdout, sys.stderr)[n % 2])"
    result = record(tmp_path / "f.jsonl", python(code), stderr=subprocess.STDOUT)
    assert result.stdout.decode().split() == [str(n) for n in range(300)]


def test_input_and_environment_reach_the_program(tmp_path: Path) -> None:
    code = "import os, sys; print(sys.stdin.read(), os.environ['MARK'], sys.argv[1:])"
    result = record(tmp_path / "f.jsonl", python(code, "--out", "-v"), input=b"hello", env={**os.environ, "MARK": "m"})
    assert result.stdout.decode().split(maxsplit=2) == ["hello", "m", "['--out', '-v']\n"]


def test_a_reader_that_goes_away_is_met_as_without_us(tmp_path: Path) -> None:
    """`program | head -1`: the program gets its broken pipe and ends by SIGPIPE."""
    command = ["sh", "-c", "trap - PIPE; while :; do echo x; done"]
    with recording(tmp_path / "f.jsonl", command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(30) == 128 + signal.SIGPIPE


def test_signals_are_passed_on_and_their_sender_is_named(tmp_path: Path) -> None:
    out = tmp_path / "f.jsonl"
    code = "import signal, time\nsignal.signal(10, lambda *_: print('got'))\nprint('ready')\ntime.sleep(60)"
    with recording(out, python(code), stdout=subprocess.DEVNULL) as process:
        wait_for(lambda: has_output(out, "ready"))
        process.send_signal(signal.SIGUSR1)
        wait_for(lambda: has_output(out, "got"))
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 143
    assert [record["signal"] for record in lines_of(out, "signal")] == [10, 15]
    (end,) = lines_of(out, "end")
    assert end["sender_pid"] == os.getpid() and end["signal"] == 15


def test_ctrl_c_of_a_terminal_reaches_the_program_once(tmp_path: Path) -> None:
    out = tmp_path / "f.jsonl"
    code = (
        "import signal, sys, time\ncount = 0\n"
        "def note(*_):\n    global count; count += 1\n"
        "signal.signal(2, note)\nprint('ready')\n"
        "while not count: time.sleep(0.05)\ntime.sleep(0.5); sys.exit(10 + count)"
    )
    master, slave = pty.openpty()
    ours = {"stdin": slave, "stdout": slave, "stderr": slave, "start_new_session": True}
    with recording(out, python(code), **ours, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) as process:
        wait_for(lambda: has_output(out, "ready"))
        os.write(master, b"\x03")
        assert process.wait(30) == 11
    os.close(master)
    os.close(slave)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_nothing_remains_of_one_that_is_stopped(tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "f.jsonl"
    with recording(out, python("import time; print('ready'); time.sleep(600)"), stdout=subprocess.DEVNULL) as process:
        wait_for(lambda: has_output(out, "ready"))
        family = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(number)
        process.wait(30)
        gone, alive = psutil.wait_procs(family, timeout=30)
    assert len(gone) == 1 and not alive
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.jsonl", "f.output.jsonl"]


def test_ignored_signals_stay_ignored_under_nohup(tmp_path: Path) -> None:
    code = "import signal; print(signal.getsignal(1) == signal.SIG_IGN, signal.pthread_sigmask(0, []))"
    result = record(tmp_path / "f.jsonl", python(code), preexec_fn=lambda: signal.signal(1, signal.SIG_IGN))
    assert result.stdout == b"True set()\n"


def test_a_full_disk_stops_the_recording_and_not_the_program() -> None:
    result = record(Path("/dev/full"), python("print('fine')"), "--no-output")
    assert result.returncode == 0 and result.stdout == b"fine\n" and b"recording stopped" in result.stderr


def test_the_core_limit_is_raised_when_asked(tmp_path: Path) -> None:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    if hard == 0:
        pytest.skip("the hard limit forbids cores here")
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_CORE)[0])"
    lower = lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, hard))  # noqa: E731
    assert record(tmp_path / "f.jsonl", python(code), preexec_fn=lower).stdout == b"0\n"
    assert record(tmp_path / "f.jsonl", python(code), "--core", preexec_fn=lower).stdout != b"0\n"


def test_samples_hold_the_whole_tree(tmp_path: Path) -> None:
    out = tmp_path / "f.jsonl"
    code = (  # it lives until a sample has been written that holds its child
        "import subprocess, sys, time\nhold = bytearray(64 << 20)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"while child.poll() is None and f'\"pid\":{{child.pid}},' not in open({str(out)!r}).read(): time.sleep(0.05)\n"
        "child.kill(); child.wait()"
    )
    secret = {**os.environ, "TF_CONFIG": '{"task": {"type": "worker", "index": 1}}'}
    assert record(out, python(code, "--token", "never-out"), "--interval", "0.1", env=secret).returncode == 0
    (start,), samples = lines_of(out, "start"), lines_of(out, "sample")
    assert "never-out" not in out.read_text() and "worker" in start["tf_config"]
    assert max(len(sample["processes"]) for sample in samples) == 2
    largest = max(row["rss"] for sample in samples for row in sample["processes"])
    assert 64 << 20 < largest < 512 << 20
    assert {"memory_used", "memory_total", "disk"} <= samples[-1]["node"].keys()
    assert all(b["monotonic"] > a["monotonic"] for a, b in pairwise(samples))


def test_free_space_is_watched_where_options_and_variables_lead(tmp_path: Path) -> None:
    """Each file system once, by its first folder; what is no file system with data is none."""
    away, program = Path("/dev/shm"), ["train", f"--model_dir={tmp_path}", "/proc/1"]
    places = list(list_writable_folders(program, {"CKPT": str(away), "PATH": "/bin:/usr/bin"}, tmp_path / "f.jsonl"))
    assert {tmp_path, away, Path("/proc/1")} <= set(places) and not [place for place in places if "bin" in str(place)]
    folders = one_folder_per_file_system([tmp_path, tmp_path / "not-there", away, Path("/proc")])
    devices = {place.stat().st_dev for place in (tmp_path, away)}
    assert str(tmp_path) in folders and "/proc" not in folders and len(folders) == len(devices)


def test_a_working_folder_that_is_gone_costs_its_samples_alone(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    words = [sys.executable, "-m", "analyzer", "record", "--interval", "0.1", "--out", str(tmp_path / "f.jsonl"), "--"]
    script = (
        f"cd {tmp_path}/gone && rmdir {tmp_path}/gone && exec {shlex.join([*words, 'sh', '-c', 'sleep 0.5; exit 3'])}"
    )
    result = subprocess.run(["sh", "-c", script], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True)
    assert result.returncode == 3, result.stderr
    assert '"type":"sample"' in (tmp_path / "f.jsonl").read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to have files of another user")
def test_root_writes_through_no_link_of_another_user(tmp_path: Path) -> None:
    """Neither over a file of its own nor to a place where there was none, nor into a folder."""
    victim, theirs = tmp_path / "victim", tmp_path / "theirs"
    victim.write_text("as it was\n")
    theirs.mkdir()
    os.chown(theirs, 65534, 65534)
    for name, target in (("f.jsonl", victim), ("new.jsonl", tmp_path / "made"), ("folder", tmp_path)):
        (theirs / name).symlink_to(target)
        os.lchown(theirs / name, 65534, 65534)
    os.mkfifo(theirs / "pipe.jsonl")
    os.chown(theirs / "pipe.jsonl", 65534, 65534)
    assert record(theirs / "f.jsonl", ["true"]).returncode == 0
    assert lines_of(theirs / "f.jsonl", "end") and not (theirs / "f.jsonl").is_symlink()
    for out in (theirs / "new.jsonl", theirs / "folder" / "f.jsonl", theirs / "pipe.jsonl"):
        result = record(out, ["true"])
        assert result.returncode == 1 and b"error: " in result.stderr and b"Traceback" not in result.stderr
    assert victim.read_text() == "as it was\n"
    assert {path.name for path in tmp_path.iterdir()} == {"victim", "theirs"}


def test_a_link_of_ones_own_leads_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    assert record(tmp_path / "link" / "f.jsonl", ["true"]).returncode == 0
    assert record(Path("/dev/stdout"), ["true"], "--no-output").stdout.count(b'"type":"end"') == 1
    assert lines_of(tmp_path / "folder" / "f.jsonl", "end")


def test_a_crash_that_the_recorder_saw_is_established(tmp_path: Path) -> None:
    """Also without the recorded output, and for a task of a cluster whose other members are not there."""
    cluster = {"cluster": {"worker": ["h0:1", "h1:1"]}, "task": {"type": "worker", "index": 1}}
    for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE):
        out = tmp_path / f"{number.name}.jsonl"
        crash = python(f"import os; os.kill(os.getpid(), {int(number)})")
        record(out, crash, env={**os.environ, "TF_CONFIG": json.dumps(cluster)})
        root = analyze([out]).root_causes[0]
        assert root.status == "established", number
