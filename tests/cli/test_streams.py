"""Standard input as an input, output that is no terminal, and what a program may rely on: the exit statuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import call

from analyzer.report.forms import output_forms

ROOT = Path(__file__).parents[2]

BUNDLE = Path(__file__).parents[2] / "fixtures" / "memory-cgroup-oom" / "bundle.tar.gz"
LOG = "2026-03-01 10:00:07,123 ERROR training failed\nOSError: [Errno 28] No space left on device: '/ckpt/model'\n"


def run(*words: object, given: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    return call(*words, given=given, environment={**os.environ, **environment})


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every output that a report may have, and the summary that was printed to a pipe."""
    folder = tmp_path_factory.mktemp("reports")
    words = [
        word for form in output_forms() for word in ("-o" if form == "html" else f"--{form}", folder / f"out.{form}")
    ]
    result = run("analyze", "-", *words, "--meta", "ticket=OPS-41", given=BUNDLE.read_bytes(), COLUMNS="60")
    assert result.returncode == 0, result.stderr
    (folder / "summary").write_bytes(result.stdout)
    return folder


def test_an_archive_from_standard_input_is_analyzed(reports: Path) -> None:
    incident = json.loads((reports / "out.json").read_text())
    assert incident["root_causes"][0]["cause"] == "resource.host-oom-killed"
    assert incident["meta"] == {"ticket": "OPS-41"}


def test_what_is_redirected_is_whole(reports: Path) -> None:
    text = (reports / "summary").read_text()
    assert "task_memcg" in text and "\N{HORIZONTAL ELLIPSIS}" not in text
    assert not any(line != line.rstrip() for line in text.splitlines())
    assert max(map(len, text.splitlines())) > 150


def test_own_outputs_are_no_logs(reports: Path) -> None:
    (reports / "worker.log").write_text(LOG)
    result = run("analyze", reports, "-q", "--json", "-")
    assert result.returncode == 0, result.stderr
    by_file = {source["file"]: source for source in json.loads(result.stdout)["sources"]}
    for name in output_forms():
        assert "report of this program" in (by_file[f"out.{name}"]["problem"] or ""), name
    assert "report of this program" in (by_file["summary"]["problem"] or "")
    assert by_file["worker.log"]["status"] == "read"


def test_a_report_alone_is_wrong_usage(reports: Path) -> None:
    for command in ("analyze", "inspect"):
        result = run(command, reports / "out.html")
        assert result.returncode == 2 and f"`tf-postmortem show {reports / 'out.html'}`" in result.stderr.decode()


def test_the_hint_names_show_only_where_it_reads_the_report(reports: Path) -> None:
    result = run("analyze", reports / "out.markdown")
    assert result.returncode == 2 and b"out.markdown` to print" not in result.stderr
    assert b"prints a report that -o or --json wrote" in result.stderr


def test_a_report_gives_its_own_timeline(reports: Path) -> None:
    result = run("timeline", reports / "out.html", "--severity", "error", "--json", "-")
    assert result.returncode == 0, result.stderr
    rows = json.loads(result.stdout)
    assert rows and {row["severity"] for row in rows} <= {"error", "fatal"}


def test_statuses(reports: Path, tmp_path: Path) -> None:
    (tmp_path / "no.txt").write_text("hello\nworld\n")
    (tmp_path / "yes.log").write_text(LOG)
    (tmp_path / "worker.py.log").write_text(f"import tensorflow\n{LOG}")
    (tmp_path / "ticket.md").write_text(f"# OPS-41\nSee [the runbook](https://wiki/x).\n```\n{LOG}```\n")
    (tmp_path / "script").write_text("#!/bin/sh\nfor x in *; do\n  echo $x\ndone\n")
    (tmp_path / "packages.txt").write_text("numpy==1.26.4\nabsl-py==2.1.0\ntensorflow==2.16.1\n")
    (tmp_path / "untimed.log").write_text("step 1 loss 0.3\nstep 2 loss 0.2\ndone\n")
    report = reports / "out.json"
    for words, status in (
        (("analyze", tmp_path / "no.txt", "-q"), 3),
        (("analyze", tmp_path / "script", "-q"), 3),
        (("analyze", tmp_path / "packages.txt", "-q"), 3),
        (("analyze", ROOT / "README.md", "-q"), 3),
        (("analyze", ROOT / "CHANGELOG.md", "-q"), 3),
        (("analyze", ROOT / "docs/rules.md", "-q"), 3),
        (("analyze", ROOT / "rules/exit-codes.yaml", "-q"), 3),
        (("analyze", ROOT / "rules/causes.yaml", "-q"), 3),
        (("analyze", ROOT / "analyzer/diagnosis/exit_status.py", "-q"), 3),
        (("analyze", ROOT / "analyzer/diagnosis/continuation.py", "-q"), 3),
        (("analyze", ROOT / "rules", "-q", "--config", "/dev/null"), 3),
        (("analyze", ROOT / "templates", "-q", "--config", "/dev/null"), 3),
        (("analyze", tmp_path / "worker.py.log", "-q"), 0),
        (("analyze", tmp_path / "ticket.md", "-q"), 0),
        (("analyze", tmp_path / "untimed.log", "-q"), 0),
        (("analyze", tmp_path / "absent"), 3),
        (("analyze", tmp_path / "yes.log", "-q", "--rules", tmp_path / "yes.log"), 4),
        (("analyze", "--from", report, "-q", "--fail-on", "cause"), 10),
        (("analyze", "--from", report, "-q", "--fail-on", "cause", "--min-confidence", "1"), 0),
        (("analyze", "--from", report, "-q", "--fail-on", "undiagnosed"), 0),
        (("analyze", "--from", report, "-q", "--fail-on", "undiagnosed", "--min-confidence", "1"), 10),
        (("analyze", "--from", report, "-q", "--fail-on", "what"), 2),
        (("analyze", "--from", report, "-q", "--meta", "nothing"), 2),
        *(
            (("analyze", "--from", report, "-q", "--min-confidence", word), 2)
            for word in ("nan", "-0.1", "1.1", "inf", "x")
        ),
        (("analyze", tmp_path / "yes.log", "-o", "/proc/x/r.html"), 1),
    ):
        result = run(*words)
        assert result.returncode == status, (words, result.stderr)


def test_a_file_in_the_place_of_a_command_gets_the_command_to_type() -> None:
    result = run(BUNDLE)
    assert result.returncode == 2 and f"hint: to analyze it: tf-postmortem analyze {BUNDLE}" in result.stderr.decode()


def test_a_reader_that_leaves_ends_the_program_quietly(reports: Path) -> None:
    line = f"{sys.executable} -m analyzer timeline {BUNDLE} --noise --format otel | head -c 1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", line], capture_output=True, timeout=120, check=False)
    assert result.stdout.endswith(b"141\n") and result.stderr == b""


def test_help_in_a_file_has_lines_to_paste() -> None:
    lines = [line.strip() for line in run("analyze", "--help", COLUMNS="60").stdout.decode().splitlines()]
    assert "tf-postmortem analyze logs/ --sarif out.sarif --fail-on cause --min-confidence 0.7" in lines
    assert not any(set("│╭╰") & set(line) for line in lines)
    assert any(line.startswith("--fail-on WHAT") and line.endswith("[default: never]") for line in lines)


def test_shells_complete_commands_options_and_files() -> None:
    for words, answer in (
        ("an", b"plain,analyze"),
        ("analyze --redact-w", b"plain,--redact-word"),
        ("analyze x", b"file,"),
    ):
        asked = run(
            _TF_POSTMORTEM_COMPLETE="bash_complete",
            COMP_WORDS=f"tf-postmortem {words}",
            COMP_CWORD=str(words.count(" ") + 1),
        )
        assert answer in asked.stdout, asked
    for shell in ("bash", "zsh", "fish"):
        assert b"tf-postmortem" in run("completion", shell).stdout
