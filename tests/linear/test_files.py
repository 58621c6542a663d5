"""Files that repeat a few characters take no longer than ordinary ones, whatever the file is named and so taken for."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from analyzer.errors import AnalyzerError
from analyzer.pipeline import Options, analyze
from tests.fuzz import forms

NAMES = [
    *("worker.log", "dmesg.txt", "syslog", "journal.json", "slurm-7.out", "events.csv", "stern.txt", "x.iso"),
    *("pod.yaml", "pods.json", "describe-pod.txt", "docker-inspect.json", "tf_config.json", "cluster_spec.txt"),
    *("exit_code", "exit_codes.csv", "rc.txt", "env.txt", "pip-freeze.txt", "conda-list.txt", "ulimit.txt", "hosts"),
    *("page.html", "ticket.md", "mail.eml", "mails.mbox", "chat.json", "ansible.json", "notes.txt", "notebook.ipynb"),
    *("uptime", "proc-stat", "nvidia-smi.txt", "ifconfig.txt", "ibstat.txt", "manifest.json", "flight.jsonl"),
]  # fmt: skip
SIZE = 16 << 10  # bytes of a file
FACTOR = 2.0  # of the time that ordinary files of the same names and sizes take
UNITS = [
    *("\n", " ", "\t", "\r", "\0", "a", "0", "\ufffd", "a.", "a-", "a ", "a: ", "- ", "1:", "a=", "/a", '"', "'", "`"),
    *("{", "[", "(", "{}", '"a":', "<a>", "|", "@", "%5B", "\x1b[", "\\", "#", " \n", "a\n", "a,", "0x", "1.1."),
    *("```\n", "==> a <==\n", "gx1:\n", "a$ b\n", "> ", "| a ", "<pre>", "&lt;", "&#9", ";", "; a=b", "--b\n", "\\n"),
    *('\\"', "h1 p1 a\n", "gx[1-99999] ", "{0 -> a, 99999 -> b} ", "=?a?q?a?= ", "n1 slots=9999\n"),
    "From a\nFrom: a\n\n",
    *("---\n", "k:v\t", 'k="v" ', "[r1@h1] ", "ok: [h1] => {}\n", "h1$ cat a\n", "a/b.log:1:"),
    *("</p>", "&amp;", "grpc://h1:1 "),
    *("!!int ", "step 1 ", "worker:0 ", "[0]: ", "GPU 0: ", "exit code ", "Max a ", 'File "a", line 1', "key: value\n"),
]  # fmt: skip
HEADS = [
    *("", "apiVersion: v1\nkind: Pod\nx: ", "{", '{"cluster": ', "2026-11-21 05:10:09 INFO ", "[    1.0] ", "-n: "),
    *("<html><body><pre>\n", '{"gx1": {"stdout": "', '{"cells": [{"outputs": [{"text": ["', "# gx1\n```\n"),
    "From: a\nContent-Transfer-Encoding: base64\nContent-Type: text/plain",
    "From: a\nContent-Type: multipart/mixed; boundary=b\n\n",
    *(seed.partition(b"\n")[2].decode() for seed in forms.text_seeds()),  # so that their converters get what follows
]  # fmt: skip


def write(folder: Path, text_of: Callable[[str], str]) -> Path:
    for name in NAMES:
        (folder / name).write_text(text_of(name)[:SIZE], encoding="utf-8", newline="")
    return folder


def ordinary(name: str) -> str:
    chance = random.Random(name)
    return "".join(
        f"2026-11-21 05:10:{step % 60:02}.{chance.randrange(1000):03} INFO step {step} loss {chance.random():.4f}\n"
        for step in range(SIZE // 50)
    )


def cost(folder: Path) -> float:
    """CPU seconds of an analysis in one process."""
    began = time.process_time()
    with suppress(AnalyzerError):  # nothing of it is a log
        analyze([folder], Options(jobs=1))
    return time.process_time() - began


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> float:
    """CPU seconds that ordinary files take.

    The first analysis of a process loads the rules, and the first hit of a signal compiles its patterns, which every
    later file finds compiled: so all heads are read once before.
    """
    heads = tmp_path_factory.mktemp("heads")
    for number, head in enumerate(HEADS):
        (heads / f"head-{number}.txt").write_text(head, encoding="utf-8", newline="")
    cost(heads)
    folder = write(tmp_path_factory.mktemp("ordinary"), ordinary)
    cost(folder)
    return min(cost(folder) for _ in range(3))


@pytest.mark.parametrize("seed", range(30))
def test_repetitions_take_no_longer_than_ordinary_lines(seed: int, usual: float, tmp_path: Path) -> None:
    chance = random.Random(seed)
    units = {name: "".join(chance.choices(UNITS, k=chance.choice((1, 1, 2, 3)))) for name in NAMES}
    heads = {name: chance.choice(HEADS) for name in NAMES}
    write(tmp_path, lambda name: heads[name] + units[name] * SIZE)
    spent = cost(tmp_path)
    if spent > FACTOR * usual:
        slow = {name: _alone(tmp_path, name) for name in NAMES}
        worst = sorted(slow, key=lambda name: slow[name], reverse=True)[:4]
        shown = [f"{name}: {heads[name]!r} + {units[name]!r} * n: {slow[name]:.2f} s" for name in worst]
        pytest.fail(f"{spent:.2f} s where ordinary files take {usual:.2f} s: " + "; ".join(shown))


def _alone(folder: Path, name: str) -> float:
    alone = folder.parent / f"{folder.name}-alone"
    alone.mkdir(exist_ok=True)
    for old in alone.iterdir():
        old.unlink()
    (alone / name).write_bytes((folder / name).read_bytes())
    return cost(alone)
