"""The boot time of a node, read from small files of collectors: /proc/stat, /proc/uptime, `uptime -s`, `who -b`."""

from __future__ import annotations

import re

from analyzer.formats.stamps import read_iso
from analyzer.model import Stamp

_BOOT_FILE_NAME = re.compile(r"(?:^|[/._-])(?:uptime|stat|boot(?:_?time)?|btime|who)(?:[._-][\w.-]*)?$", re.I)
_BTIME = re.compile(r"^(?:btime[ \t]++)?(1\d{9})[ \t\r]*+$", re.M)
_UPTIME = re.compile(r"^(\d+\.\d\d) \d+\.\d\d\s*$")
_BOOTED_AT = re.compile(r"^(?:[ \t]*+system boot[ \t]++)?(\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?)[ \t\r]*+$", re.M)


def is_boot_file(path: str) -> bool:
    """Whether the file's name is one of those that collectors use for such output."""
    return _BOOT_FILE_NAME.search(path.rpartition("/")[2]) is not None


def read_boot_time(text: str, mtime: float | None) -> Stamp | float | None:
    """Return the boot time as UTC seconds, or as a stamp in local time; None if the text states none.

    `mtime` is the file's modification time in UTC seconds. /proc/uptime states only the time since boot, which is
    subtracted from it.
    """
    if match := _BTIME.search(text):
        return float(match[1])
    if (match := _UPTIME.match(text)) and mtime is not None:
        return mtime - float(match[1])
    if match := _BOOTED_AT.search(text):
        return read_iso(match[1] if match[1].count(":") == 2 else match[1] + ":00")
    return None
