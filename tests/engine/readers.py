"""The reading processes of a program that runs."""

from __future__ import annotations

import subprocess

import psutil


def readers_of(process: subprocess.Popen[bytes], least: int) -> list[psutil.Process]:
    """Waits until so many of its readers are at work; none where it ended before."""
    parent = psutil.Process(process.pid)
    while process.poll() is None:
        found = [child for child in parent.children() if is_busy(child, parent)]
        if len(found) >= least:
            return found
    return []


def is_busy(child: psutil.Process, parent: psutil.Process) -> bool:
    """A reader is a fork of its program: what that starts by another command (the compiler of patterns) is none."""
    try:
        return child.cmdline() == parent.cmdline() and child.cpu_times().user > 0.2
    except psutil.Error:
        return False
