"""The reading processes of a program that runs."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

import psutil


def readers_of(
    process: subprocess.Popen[bytes], least: int, besides: Sequence[psutil.Process] = ()
) -> list[psutil.Process]:
    """Waits until so many of its readers, `besides` those known, are at work; none where it ended before."""
    parent = psutil.Process(process.pid)
    while process.poll() is None:
        readers = [child for child in parent.children() if child not in besides and is_busy(child, parent)]
        if len(readers) >= least:
            return readers
    return []


def is_busy(child: psutil.Process, parent: psutil.Process) -> bool:
    """A reader is a fork of its program, or where a thread of that has yet to go, one that `multiprocessing` starts;
    what is started by another command (the compiler of patterns) is none.
    """
    try:
        command = child.cmdline()
        spent = child.cpu_times().user
    except psutil.Error:
        return False
    return (command == parent.cmdline() and spent > 0.05) or ("--multiprocessing-fork" in command and spent > 0.5)
