"""Finds the modules of the fixtures' maker and of the replays' job, which know how to put tasks into namespaces."""

from __future__ import annotations

import sys

from accuracy.run_files import ROOT

MAKER = ROOT / "fixtures" / "make"
for folder in (ROOT / "templates" / "replay", MAKER):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))

# ruff: noqa: E402
from job.configs import IN_ALL_CONFIGS, IN_CONFIG
from job.place import Switch, enter_network
from kernel import kernel_log_since
from nodes import listen_beside
from place import Interpreter, ask_interpreter, enter_place

__all__ = [
    "IN_ALL_CONFIGS",
    "IN_CONFIG",
    "Interpreter",
    "Switch",
    "ask_interpreter",
    "enter_network",
    "enter_place",
    "kernel_log_since",
    "listen_beside",
]
