"""The hosts of a replay, and the command that reaches them. The command cannot take a host for an option.

The program that starts a replay loads this file too, to refuse a host before anything is made. Standard library alone,
and no other module of the job.
"""

from __future__ import annotations

import pathlib
import re
import shlex

MAX_SLOTS = 64  # as many tasks as a plan may have
_HOST = re.compile(r"(?:\w[\w.+-]{0,63}@)?\w[\w.-]{0,252}", re.ASCII)
_SLOTS = re.compile(r"slots=(\d{1,3})", re.ASCII)


class HostsError(ValueError):
    """What is wrong with a hosts file or with a command, in one line."""


def read_hosts(path: pathlib.Path) -> list[str]:
    """Return the hosts of a file with one `[user@]host [slots=N]` a line, as for Open MPI; a host occurs once for each
    slot.

    Raises HostsError where a word is no host, OSError as `open` does.
    """
    hosts: list[str] = []
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if not _HOST.fullmatch(words[0]):
            raise HostsError(f"{path}, line {number}: {ascii(words[0])[:80]} is not a host")
        slots = [int(match[1]) for word in words[1:] if (match := _SLOTS.fullmatch(word))]
        if any(each > MAX_SLOTS for each in slots):
            raise HostsError(f"{path}, line {number}: a replay has at most {MAX_SLOTS} tasks")
        hosts += words[:1] * (slots[0] if slots else 1)
    if not hosts:
        raise HostsError(f"{path} names no host")
    return hosts


def split_command(text: str) -> list[str]:
    """Return the words of a command, to which a host is appended. Raises HostsError if it has none: the host would
    become the command.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise HostsError(f"{ascii(text)[:80]} is not a command: {error}") from error
    if not words:
        raise HostsError("the command that reaches a host is empty")
    return words
