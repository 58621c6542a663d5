"""The console of a Jenkins pipeline whose shell step runs the user's launcher, with times before its lines.

Sources: https://plugins.jenkins.io/timestamper/ (GlobalAnnotator, TimestampNote) and
https://www.jenkins.io/doc/pipeline/steps/workflow-durable-task-step/
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
    utc,
    visible_lines,
)
from accuracy.identities import Identities
from accuracy.runs import Run

_COMMAND = b"python3 launch.py --config configs/train.yaml"
_STAMPED = re.compile(rb"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\] (.*)", re.DOTALL)
_CLOSING = ("}", "// timestamps", "}", "// stage", "}", "// node", "End of Pipeline")


def _stamp(time_ns: int, text: bytes) -> bytes:
    seconds, fraction_ns = divmod(time_ns, SECOND)
    return f"[{utc(seconds)}.{fraction_ns // 10**6:03d}Z] ".encode() + text + b"\n"


def _render(run: Run, identities: Identities, chance: random.Random) -> Files:
    opening = (
        f"Started by user {identities.user}",
        "[Pipeline] Start of Pipeline",
        "[Pipeline] node",
        f"Running on {front_host(run)} in /home/jenkins/workspace/{identities.job}",
        "[Pipeline] {",
        "[Pipeline] stage",
        "[Pipeline] { (Train)",
        "[Pipeline] timestamps",
        "[Pipeline] {",
        "[Pipeline] sh",
    )
    shell = _stamp(began_ns(run) - SECOND // 3, b"+ " + _COMMAND)
    output = b"".join(_stamp(line.time_ns, line.text) for line in visible_lines(run))
    return {"consoleText.txt": "".join(f"{line}\n" for line in opening).encode() + shell + output + _tail(run)}


def _tail(run: Run) -> bytes:
    if ended_ns(run) is None:
        return b""
    status = job_status(run)
    result = f"ERROR: script returned exit code {status}\nFinished: FAILURE\n" if status else "Finished: SUCCESS\n"
    return ("".join(f"[Pipeline] {word}\n" for word in _CLOSING) + result).encode()


def _read(files: Files) -> Iterator[GroupLine]:
    stamped = (_STAMPED.fullmatch(line) for line in files["consoleText.txt"].split(b"\n"))
    texts = [match[1] for match in stamped if match]
    yield from (("all", text) for text in texts[1:])


COLLECTORS = (
    Collector("jenkins", _render, _read, frozenset({"lines", "launcher"}), keeps=is_visible, group=all_together),
)
