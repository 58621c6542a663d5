"""A Ctrl-C before the program, or one of its processes, is ready: a word, and nothing that goes on without it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).parents[2]
CORE = """\
import os, sys
from analyzer.crash_isolation import map_in_child
def work(fifo):
    os.write(1, b"%d\\n" % os.getpid())
    open(fifo).read()
list(map_in_child([sys.argv[1]], work))
"""


def around(folder: Path, code: str) -> Mapping[str, str]:
    """An environment in which every Python runs `code` first."""
    (folder / "sitecustomize.py").write_text(code)
    return {**os.environ, "PYTHONPATH": f"{folder}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}


def interrupted_at(*modules: str) -> str:
    return f"""\
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name in {modules!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
"""


@pytest.mark.parametrize("module", ["analyzer.cli", "typer", "analyzer.cli.analyze", "analyzer.pipeline", "numpy"])
@pytest.mark.parametrize("command", [["-m", "analyzer"], [str(Path(sys.executable).with_name("tf-postmortem"))]])
def test_a_ctrl_c_while_the_program_is_loaded_prints_no_traceback(
    command: list[str], module: str, tmp_path: Path
) -> None:
    (tmp_path / "a.log").write_text("2026-03-01 10:00:00 INFO nothing of note\n")
    line = [sys.executable, *command, "analyze", str(tmp_path / "a.log")]
    result = subprocess.run(line, env=around(tmp_path, interrupted_at(module)), capture_output=True, timeout=60)
    assert (result.returncode, result.stderr, result.stdout) == (130, b"stopped\n", b"")


FORKED = """\
import os
os.register_at_fork(after_in_child=lambda: open({fifo!r}).read())
"""
SPAWNED = """\
import sys, threading
if 'spawn_main' in ' '.join(sys.orig_argv):
    open({fifo!r}).read()
threading.Thread(target=threading.Event().wait, daemon=True).start()
"""


@pytest.mark.parametrize("partial", [(), ("--partial",)])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("start", [FORKED, SPAWNED])
def test_a_signal_does_not_wait_for_a_reader_that_starts(
    start: str, number: signal.Signals, partial: tuple[str, ...], tmp_path: Path
) -> None:
    """The readers hang before they have taken anything of what they are told: they wait for a pipe's end."""
    fifo, private, logs = tmp_path / "fifo", tmp_path / "private", tmp_path / "logs"
    os.mkfifo(fifo)
    private.mkdir()
    for node in ("n1", "n2"):
        (logs / node).mkdir(parents=True)
        (logs / node / "big.log").write_bytes(b"nothing of note\n" * 600_000)
    command = [sys.executable, "-m", "analyzer", "analyze", str(logs), "-q", "--jobs", "2", *partial]
    environment = {**around(tmp_path, start.format(fifo=str(fifo))), "TMPDIR": str(private)}
    with (
        subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, start_new_session=True) as process,
        fifo.open("wb"),  # as soon as a reader is there
    ):
        readers = psutil.Process(process.pid).children(recursive=True)
        os.killpg(process.pid, number)  # as a terminal does
        _, errors = process.communicate(timeout=60)
        assert not psutil.wait_procs(readers, timeout=20)[1]
    assert process.returncode == (3 if partial else 128 + number)
    assert b"before any file was read" in errors if partial else errors == b"stopped\n"
    assert not [*private.iterdir()]


def test_a_core_s_process_ends_with_the_program_that_is_killed(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    command = [sys.executable, "-c", CORE, str(fifo)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process, fifo.open("wb"):
        assert process.stdout is not None
        child = psutil.Process(int(process.stdout.readline()))
        process.kill()
        assert not psutil.wait_procs([child], timeout=20)[1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_private_folder_goes_away_where_a_signal_ends_the_reading(number: signal.Signals, tmp_path: Path) -> None:
    """It comes as the first file is opened, when the folder is there."""
    private, logs = tmp_path / "private", tmp_path / "logs"
    private.mkdir()
    logs.mkdir()
    (logs / "a.log").write_text("2026-03-01 10:00:00 INFO nothing of note\n")
    code = f"""\
import os, sys
def look(event, arguments):
    if event == "open" and str(arguments[0]).endswith("a.log"):
        assert os.listdir({str(private)!r})
        os.kill(os.getpid(), {int(number)})
sys.addaudithook(look)
"""
    environment = {**around(tmp_path, code), "TMPDIR": str(private)}
    command = [sys.executable, "-m", "analyzer", "analyze", str(logs)]
    result = subprocess.run(command, env=environment, capture_output=True, timeout=60)
    assert (result.returncode, result.stderr) == (128 + number, b"stopped\n")
    assert not [*private.iterdir()]


# The program loads the first before it reads, the second before it writes the report, and the last on the way.
BEFORE, WRITING, LATER = "analyzer.pipeline", "analyzer.report.html", "jinja2"


@pytest.mark.parametrize(
    ("moments", "status", "complaint"),
    [
        (
            [BEFORE],
            3,
            "stopped: the report of what was read so far is being written; press Ctrl-C again to stop without it\n",
        ),
        ([WRITING], 0, "all files are read: the report is being written; press Ctrl-C again to stop without it\n"),
        (
            [WRITING, LATER],
            130,
            "all files are read: the report is being written; press Ctrl-C again to stop without it\nstopped\n",
        ),
    ],
)
def test_with_partial_the_first_ctrl_c_costs_no_report_and_the_second_ends_at_once(
    moments: list[str], status: int, complaint: str, tmp_path: Path
) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text("2026-03-01 10:00:00 INFO nothing of note\n")
    command = [sys.executable, "-m", "analyzer", "analyze", "logs", "-q", "--partial", "-o", "r.html"]
    environment = around(tmp_path, interrupted_at(*moments))
    result = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert result.returncode == status, result.stderr
    assert result.stderr.startswith(complaint)
    assert (tmp_path / "r.html").exists() == (status == 0)
    assert {path.name for path in tmp_path.iterdir()} <= {"logs", "r.html", "sitecustomize.py"}
