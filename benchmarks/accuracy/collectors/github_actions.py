"""The raw log of a GitHub Actions job on a self-hosted runner, whose step runs the user's launcher.

Sources: https://docs.github.com/actions/how-tos/monitor-workflows/use-workflow-run-logs; PagingLogger.cs,
ScriptHandler.cs and JobExtension.cs of https://github.com/actions/runner/tree/main/src. The runner reads the step's
output with StreamReader.ReadLine, which decodes it as UTF-8 and ends a line at CR, too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from accuracy.collectors import Collector, Files, GroupLine
from accuracy.collectors._processes import (
    SECOND,
    all_together,
    began_ns,
    ended_ns,
    front_host,
    is_visible,
    job_status,
    replace_runs,
    utc,
    visible_lines,
)
from accuracy.identities import Identities
from accuracy.runs import Run

_BOM = b"\xef\xbb\xbf"
_COMMAND = "python3 launch.py --config configs/train.yaml"


def _break(text: bytes) -> bytes:
    return re.sub(rb"\r\n?", b"\n", replace_runs(text).removesuffix(b"\r"))


def _stamp(time_ns: int) -> str:
    """Of .NET: ticks of 100 ns."""
    seconds, fraction_ns = divmod(time_ns, SECOND)
    return f"{utc(seconds)}.{fraction_ns // 100:07d}Z"


def _head(run: Run, identities: Identities) -> list[str]:
    host = front_host(run)
    return [
        "Current runner version: '2.319.1'",
        f"Runner name: '{host}'",
        "Runner group name: 'Default'",
        f"Machine name: '{host}'",
        "##[group]GITHUB_TOKEN Permissions",
        "Contents: read",
        "Metadata: read",
        "Packages: read",
        "##[endgroup]",
        "Secret source: Actions",
        "Prepare workflow directory",
        "Prepare all required actions",
        "Complete job name: train",
        f"##[group]Run {_COMMAND}",
        f"\x1b[36;1m{_COMMAND}\x1b[0m",
        "shell: /usr/bin/bash -e {0}",
        "##[endgroup]",
    ]


def _tail(run: Run) -> list[str]:
    failed = [f"##[error]Process completed with exit code {job_status(run)}."] if job_status(run) else []
    return [*failed, "Cleaning up orphan processes"]


def _render(run: Run, identities: Identities, chance: random.Random) -> Files:
    start, end = began_ns(run), ended_ns(run)
    head = _head(run, identities)
    timed = [(start - (len(head) - i) * 31_000_700, line.encode()) for i, line in enumerate(head)]
    timed += [(line.time_ns, piece) for line in visible_lines(run) for piece in _break(line.text).split(b"\n")]
    if end is not None:
        last = max(end, timed[-1][0])
        timed += [(last + i * 210_003_300, line.encode()) for i, line in enumerate(_tail(run), 1)]
    return {"0_train.txt": _BOM + b"".join(b"%s %s\n" % (_stamp(when).encode(), text) for when, text in timed)}


def _read(files: Files) -> Iterator[GroupLine]:
    """Between the end of the group that shows the command and the first word of the runner behind it."""
    texts = [line.partition(b"Z ")[2] for line in files["0_train.txt"].split(b"\n")[:-1]]
    begin = texts.index(b"##[endgroup]", next(i for i, text in enumerate(texts) if text.startswith(b"##[group]Run ")))
    for text in texts[begin + 1 :]:
        if text.startswith(b"##[error]Process completed") or text == b"Cleaning up orphan processes":
            return
        yield "all", text


COLLECTORS = (
    Collector(
        "github-actions",
        _render,
        _read,
        frozenset({"lines", "launcher"}),
        keeps=is_visible,
        group=all_together,
        escape=_break,
    ),
)
