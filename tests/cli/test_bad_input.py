"""Bad input to the program: one clear line with a hint, the promised exit status, never a traceback."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from analyzer.errors import InputError
from analyzer.pipeline import analyze

ROOT = Path(__file__).parents[2]
KILLED = "[  812.100000] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB, file-rss:0kB\n"
PLAIN = "2026-03-01 10:00:00.000001: I tensorflow/core/a.cc:1] nothing of note\n" * 400


def environment(**changes: str | None) -> dict[str, str]:
    merged: dict[str, str | None] = {**os.environ, "PYTHONPATH": str(ROOT), **changes}
    return {name: value for name, value in merged.items() if value is not None}


def run(
    *arguments: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "analyzer", *map(str, arguments)],
        capture_output=True,
        timeout=60,
        cwd=cwd,
        env=env or environment(),
    )


def refused(result: subprocess.CompletedProcess[bytes], status: int) -> str:
    """What standard error says, once it is known to be a plain refusal."""
    errors = result.stderr.decode()
    assert result.returncode == status, errors
    assert "Traceback" not in errors
    assert errors.startswith("error: ") or "Usage:" in errors, errors
    assert not result.stdout
    return errors


def pack(target: Path, files: Mapping[str, str]) -> Path:
    with tarfile.open(target, "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return target


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return pack(tmp_path / "bundle.tar.gz", {"node-1/dmesg.txt": KILLED, "node-2/worker.log": PLAIN})


def test_a_missing_file(tmp_path: Path) -> None:
    assert "hint: " in refused(run("analyze", tmp_path / "absent.tar.gz"), 3)


def test_an_archive_that_holds_nothing(tmp_path: Path) -> None:
    assert "hint: " in refused(run("analyze", pack(tmp_path / "empty.tar.gz", {})), 3)


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty.log").touch()
    refused(run("analyze", tmp_path / "empty.log"), 3)


def test_a_folder_without_any_log(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.png").write_bytes(
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20
    )  # as even as compressed data
    assert "hint: " in refused(run("analyze", tmp_path / "photos"), 3)
    (tmp_path / "bare").mkdir()
    refused(run("analyze", tmp_path / "bare"), 3)


def test_a_log_that_is_called_an_archive_is_read_as_a_log(tmp_path: Path) -> None:
    (tmp_path / "node-1.tar.gz").write_text(KILLED)
    result = run("analyze", tmp_path / "node-1.tar.gz", "--json", "-")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["root_causes"][0]["captures"]["pid"] == "4242"


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_truncated_archive_is_analyzed_as_far_as_it_goes(tmp_path: Path, share: float) -> None:
    noise = "".join(
        f"2026-03-01 10:00:00.{n * n % 1_000_000:06d}: I a.cc:1] {n * 7919 % 104729:x} {n**3:x}\n"
        for n in range(20_000)
    )
    archive = pack(tmp_path / "whole.tar.gz", {"node-1/dmesg.txt": KILLED, "node-2/worker.log": noise}).read_bytes()
    (tmp_path / "cut.tar.gz").write_bytes(archive[: int(len(archive) * share)])
    result = run("analyze", tmp_path / "cut.tar.gz", "--json", "-")
    assert result.returncode == 0, result.stderr
    incident = json.loads(result.stdout)
    assert incident["root_causes"][0]["captures"]["pid"] == "4242"
    [cut] = [source for source in incident["sources"] if source["file"].endswith("worker.log")]
    assert cut["status"] == "partly-read"
    assert cut["problem"]
    assert 0 < cut["lines"] < 20_000


@pytest.mark.parametrize("length", [1, 5, 12, 20, 40, 80, 150, 200])
def test_an_archive_cut_near_its_start_is_refused_or_read(bundle: Path, tmp_path: Path, length: int) -> None:
    (tmp_path / "cut.tar.gz").write_bytes(bundle.read_bytes()[:length])
    try:
        incident = analyze([tmp_path / "cut.tar.gz"])
    except InputError as error:
        assert "cut.tar.gz" in error.message
        assert error.hint
    else:
        assert any(source.problem for source in incident.sources)


def test_a_truncated_log_file(tmp_path: Path) -> None:
    packed = gzip.compress((KILLED + PLAIN * 5).encode())
    (tmp_path / "worker.log.gz").write_bytes(packed[:-30])
    (tmp_path / "exit_code.gz").write_bytes(gzip.compress(b"137\n")[:-4])
    result = run("analyze", tmp_path / "worker.log.gz", tmp_path / "exit_code.gz", "--json", "-")
    assert result.returncode == 0, result.stderr
    assert {source["status"] for source in json.loads(result.stdout)["sources"]} == {"partly-read"}


def test_wrong_usage(bundle: Path) -> None:
    refused(run("analyze", bundle, "--no-such-option"), 2)
    refused(run("no-such-command"), 2)
    refused(run("analyze"), 2)
    refused(run("analyze", bundle, "--fail-on", "monday"), 2)
    refused(run("analyze", bundle, "--json", "-", "--markdown", "-"), 2)


def test_a_broken_pack_names_every_problem_and_the_rest_of_it_goes_on(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text(
        "pack: broken\nversion: 1.0.0\nrules:\n  - id: one\n    role: cause\n    match: '(unclosed'\n    title: x\n"
        "  - id: two\n    when: {signal: nobody}\n    title: y\n    confidense: 3\n"
        "  - id: three\n    match: 'oom_reaper|Out of memory'\n    title: z\n"
    )
    result = run("analyze", bundle, "--rules", tmp_path / "broken.yaml", "--json", "-")
    assert result.returncode == 4
    written = json.loads(result.stdout)
    assert "three" in {finding["rule"] for finding in written["findings"]}
    assert any("broken.yaml:6:12: one: the pattern" in note for note in written["notes"])
    errors = result.stderr.decode()
    assert "\nerror: " in errors
    assert "Traceback" not in errors
    assert "unclosed" in errors
    assert "nobody" in errors
    assert "confidence" in errors
    assert f"{tmp_path / 'broken.yaml'}:6" in errors
    assert "hint: " in errors
    refused(run("analyze", bundle, "--rules", tmp_path / "absent.yaml"), 4)


@pytest.mark.parametrize("option", ["-o", "--json", "--markdown"])
def test_an_output_that_cannot_be_written(bundle: Path, tmp_path: Path, option: str) -> None:
    errors = refused(run("analyze", bundle, "-q", option, tmp_path / "absent" / "report"), 1)
    assert "absent/report" in errors
    assert "hint: " in errors
    refused(run("analyze", bundle, "-q", option, tmp_path), 1)


def test_json_alone_goes_to_standard_output(bundle: Path, tmp_path: Path) -> None:
    result = run("analyze", bundle, "--json", "-", "-o", tmp_path / "report.html")
    assert json.loads(result.stdout)["verdict"] == "diagnosed"
    assert b"report.html" in result.stderr


def test_fail_on(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "fine.log").write_text(PLAIN)
    assert run("analyze", bundle, "-q", "--fail-on", "cause").returncode == 10
    assert run("analyze", bundle, "-q", "--fail-on", "symptom").returncode == 10
    assert run("analyze", bundle, "-q", "--fail-on", "never").returncode == 0
    assert run("analyze", tmp_path / "fine.log", "-q", "--fail-on", "symptom").returncode == 0


def test_a_pipe_in_the_folder_is_not_waited_for(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "dmesg.txt").write_text(KILLED)
    os.mkfifo(tmp_path / "logs" / "pipe")
    result = run("analyze", tmp_path / "logs", "--json", "-")
    sources = {source["file"].rpartition("/")[2]: source["status"] for source in json.loads(result.stdout)["sources"]}
    assert sources == {"dmesg.txt": "read", "pipe": "skipped"}


@pytest.mark.parametrize(
    "changes",
    [
        {"HOME": None, "XDG_CACHE_HOME": None},
        {"HOME": "", "XDG_CACHE_HOME": ""},
        {"HOME": "/nonexistent", "XDG_CACHE_HOME": None},
        {"LANG": "C", "LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
    ],
)
def test_poor_surroundings(tmp_path: Path, changes: dict[str, str | None]) -> None:
    (tmp_path / "logs").mkdir()
    odd = os.fsdecode(b"n\xc3\xb6de \xff.log")
    (tmp_path / "logs" / odd).write_text(KILLED + "E größe \u2192 ok\n", encoding="utf-8")
    here = tmp_path / "here"
    here.mkdir()
    result = run("analyze", tmp_path / "logs", "--json", "-", cwd=here, env=environment(**changes))
    assert result.returncode == 0, result.stderr.decode()
    assert b"Traceback" not in result.stderr
    assert json.loads(result.stdout)["verdict"] == "diagnosed"
    result = run("timeline", tmp_path / "logs", cwd=here, env=environment(**changes))
    assert result.returncode == 0, result.stderr.decode()
    assert not list(here.iterdir())


def test_a_reader_that_goes_away(bundle: Path) -> None:
    for command in ("analyze {} --json -", "rules list", "timeline {}", "inspect {}"):
        words = [sys.executable, "-m", "analyzer", *command.format(bundle).split()]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
            assert process.stdout is not None and process.stderr is not None
            process.stdout.close()
            errors = process.stderr.read().decode()
        assert "Traceback" not in errors, errors
        assert "Exception ignored" not in errors, errors


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["-o", "r.md"], "give --markdown r.md"),
        (["-o", "r.JSON"], "give --json r.JSON"),
        (["-o", "r.html", "--json", "./r.html"], "r.html is the file of two outputs"),
        (["--json", "-", "--markdown", "-"], "both write to standard output"),
    ],
)
def test_outputs_that_cannot_be_meant(tmp_path: Path, options: list[str], complaint: str) -> None:
    (tmp_path / "worker-0.log").write_text(PLAIN)
    assert complaint in refused(run("analyze", "worker-0.log", *options, cwd=tmp_path), 2)
    assert [path.name for path in tmp_path.iterdir()] == ["worker-0.log"]
