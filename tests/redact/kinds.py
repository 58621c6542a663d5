"""The kinds of names and secrets in kinds.yaml, and a bundle in which all of them stand beside evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

FILE = Path(__file__).with_name("kinds.yaml")
HOSTS = ("gpu-alpha17", "gpu-alpha18")
ADDRESSES = ("10.42.7.25", "10.42.7.28")
USER = "mirelle"
_NEEDLE = re.compile("⟦(.*?)⟧")
MAX_CASES_PER_LOG = 60  # lines of a log: of each signal and stream the first hundred are kept


@dataclass(frozen=True, slots=True)
class Case:
    """`needles` must not survive: never where `always`, else with --redact."""

    kind: str
    mark: str
    line: str
    needles: tuple[str, ...]
    always: bool
    is_known: bool = False


@cache
def load_cases() -> tuple[Case, ...]:
    groups: Mapping[str, Mapping[str, str]] = yaml.safe_load(FILE.read_text("utf-8"))
    rows = [(group, kind, line) for group in ("secrets", "names", "known") for kind, line in groups[group].items()]
    return tuple(_case(number, *row) for number, row in enumerate(rows))


def _case(number: int, group: str, kind: str, line: str) -> Case:
    line = line.replace("#", chr(ord("a") + number // 26) + chr(ord("a") + number % 26)) if group != "known" else line
    needles = tuple(_NEEDLE.findall(line))
    return Case(kind, f"k{number:03d}", _NEEDLE.sub(r"\1", line), needles, group == "secrets", group == "known")


def plant(folder: Path) -> None:
    """Two machines, one of which runs out of memory; their logs hold the cases as error lines and between them."""
    cases = load_cases()
    cluster = {"worker": [f"{address}:2222" for address in ADDRESSES]}
    for number, host in enumerate(HOSTS):
        (folder / host).mkdir(parents=True)
        config = json.dumps({"cluster": cluster, "task": {"type": "worker", "index": number}})
        (folder / host / "env.txt").write_text(f"TF_CONFIG={config}\nHOSTNAME={host}\nUSER={USER}\n")
        (folder / host / f"worker-{number}.log").write_text("\n".join(_log(number)) + "\n")
    for number in range(0, len(cases), MAX_CASES_PER_LOG):
        lines = [
            _error(case.mark, case.line, 10 + at) for at, case in enumerate(cases[number : number + MAX_CASES_PER_LOG])
        ]
        (folder / HOSTS[0] / f"extra-{number}.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
        beside = [
            line for at, case in enumerate(cases[number : number + MAX_CASES_PER_LOG]) for line in _beside(case, at)
        ]
        (folder / HOSTS[1] / f"beside-{number}.log").write_text("\n".join(beside) + "\n", encoding="utf-8")
    killed = "Out of memory: Killed process 4242 (python3) total-vm:99123456kB, anon-rss:88123456kB, file-rss:0kB"
    (folder / HOSTS[1] / "dmesg.txt").write_text(
        f"[Sat Nov 21 07:40:30 2026] {killed}, shmem-rss:0kB, UID:1003 pgtables:1kB\n"
    )


def _log(number: int) -> Iterator[str]:
    yield f"2026-11-21 07:38:01.000000: I tensorflow/core/x.cc:1] /job:worker/task:{number} started by user={USER}"
    for step in range(1, 40):
        yield f"2026-11-21 07:39:{step:02d}.000000: I train.cc:1] step {step} loss 0.5"
    if number == 0:
        lost = "UNAVAILABLE: failed to connect to all addresses; last error: ipv4:10.42.7.28:2222: Connection refused"
        yield f"2026-11-21 07:41:01.000000: E tensorflow/core/distributed_runtime/x.cc:1] {lost}"


def _error(mark: str, line: str, second: int) -> str:
    return f"2026-11-21 07:42:{second % 60:02d}.000000: E zeta/io.cc:12] {mark} {line}"


def _beside(case: Case, second: int) -> Iterator[str]:
    """The case as a line without a prefix, below one that a report shows with its neighbours."""
    yield f"2026-11-21 07:43:{second % 60:02d}.000000: E zeta/other_{case.mark}.cc:12] Failed to do {case.mark}"
    yield f"{case.mark} {case.line}"
