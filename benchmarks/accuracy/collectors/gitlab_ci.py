"""The raw trace of a GitLab CI job whose script runs the user's launcher with the shell executor.

Sources: sections in https://docs.gitlab.com/ci/jobs/job_logs/; texts and colours in common/build.go,
executors/shell and shells/abstract.go of https://gitlab.com/gitlab-org/gitlab-runner. The runner's trace buffer turns
what is no UTF-8 into U+FFFD (helpers/trace/buffer.go).
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
    replace_each,
    visible_lines,
)
from accuracy.identities import Identities
from accuracy.runs import Run

_CLEAR, _RESET, _GREEN, _RED = "\x1b[0K", "\x1b[0;m", "\x1b[32;1m", "\x1b[31;1m"
_SCRIPT = "$ python3 launch.py --config configs/train.yaml"
_TITLES = {
    "prepare_executor": 'Preparing the "shell" executor',
    "prepare_script": "Preparing environment",
    "get_sources": "Getting source from Git repository",
    "step_script": 'Executing "step_script" stage of the job script',
    "cleanup_file_variables": "Cleaning up project directory and file based variables",
}


def _start(section: str, seconds: int) -> str:
    title = f"{_CLEAR}\x1b[36;1m{_TITLES[section]}{_RESET}{_RESET}"
    return f"section_start:{seconds}:{section}\r{_CLEAR}{title}\n"


def _end(section: str, seconds: int) -> str:
    return f"section_end:{seconds}:{section}\r{_CLEAR}"


def _head(run: Run, identities: Identities) -> str:
    start, host, user = began_ns(run) // SECOND, front_host(run), "gitlab-runner"
    token, commit = identities.digest("token", length=9), identities.digest("commit", length=8)
    system = identities.digest("system", length=12)
    builds = f"/home/{user}/builds/{token}/0/{identities.namespace}/train/.git/"
    return (
        f"{_CLEAR}Running with gitlab-runner 16.11.1 (535ced5f){_RESET}\n"
        f"{_CLEAR}  on {host} {token}, system ID: s_{system}{_RESET}\n"
        + _start("prepare_executor", start - 3)
        + f"{_CLEAR}Using Shell (bash) executor...{_RESET}\n"
        + _end("prepare_executor", start - 3)
        + _start("prepare_script", start - 3)
        + f"Running on {host}...\n"
        + _end("prepare_script", start - 2)
        + _start("get_sources", start - 2)
        + f"{_GREEN}Fetching changes with git depth set to 20...{_RESET}\n"
        + f"Reinitialized existing Git repository in {builds}\n"
        + f"{_GREEN}Checking out {commit} as detached HEAD (ref is main)...{_RESET}\n\n"
        + f"{_GREEN}Skipping Git submodules setup{_RESET}\n"
        + _end("get_sources", start)
        + _start("step_script", start)
        + f"{_GREEN}{_SCRIPT}{_RESET}\n"
    )


def _tail(run: Run) -> str:
    end, status = ended_ns(run), job_status(run)
    if end is None:
        return ""
    seconds = end // SECOND
    result = f"{_RED}ERROR: Job failed: exit status {status}\n" if status else f"{_GREEN}Job succeeded\n"
    return (
        _end("step_script", seconds)
        + _start("cleanup_file_variables", seconds)
        + _end("cleanup_file_variables", seconds + 1)
        + result
        + _RESET
    )


def _render(run: Run, identities: Identities, chance: random.Random) -> Files:
    output = b"".join(replace_each(line.text) + b"\n" for line in visible_lines(run))
    name = f"train-{identities.job_number}.log"
    return {name: _head(run, identities).encode() + output + _tail(run).encode()}


def _read(files: Files) -> Iterator[GroupLine]:
    for content in files.values():
        behind = content.partition(_SCRIPT.encode())[2].partition(b"\n")[2]
        script = re.split(rb"section_end:\d+:step_script\r", behind)[0]
        yield from (("all", text) for text in script.split(b"\n")[:-1])


COLLECTORS = (
    Collector(
        "gitlab-ci",
        _render,
        _read,
        frozenset({"lines", "launcher"}),
        keeps=is_visible,
        group=all_together,
        escape=replace_each,
        stamps=False,
    ),
)
