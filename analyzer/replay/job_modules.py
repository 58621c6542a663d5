"""Load the modules of the job that the analyzer uses too: the vocabulary of plans, and the syntax of host files.

They come from the package's own templates, never from a repro folder: a stranger may have written its files.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from analyzer.errors import UsageError
from analyzer.resources import templates_dir


def vocabulary() -> Any:
    """Return the module templates/replay/job/vocabulary.py."""
    return _load_job_module("vocabulary")


def read_plan(folder: Path) -> dict[str, Any]:
    """Return the plan of a repro folder, which a user may have edited. Raises UsageError if it is not a valid plan."""
    hint = "create the folder with `tf-postmortem replay`"
    file = folder / "plan.yaml"
    try:
        return cast(dict[str, Any], vocabulary().read_plan(file))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error}", hint) from error
    except vocabulary().PlanError as error:
        raise UsageError(f"{file} is not a replay plan: {error}", hint) from error


def check_hosts(file: Path, command: str | None) -> None:
    """Raise UsageError if the file has anything but hosts, or if `command`, which connects to them, is empty."""
    hosts = _load_job_module("hosts")
    try:
        hosts.read_hosts(file)
        if command is not None:
            hosts.split_command(command)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error}", "--nodes takes `local` or a file of hosts") from error
    except hosts.HostsError as error:
        hint = "a line of the file is `[user@]host [slots=N]`; --rsh is a command such as `ssh -o BatchMode=yes`"
        raise UsageError(str(error), hint) from error


@cache
def _load_job_module(name: str) -> ModuleType:
    path = templates_dir() / "replay" / "job" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"tf_postmortem_job_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
