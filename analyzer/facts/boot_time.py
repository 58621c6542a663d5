"""When a node booted, from the small files that collectors take: /proc/stat, /proc/uptime, `uptime -s`, `who -b`."""

from __future__ import annotations

import re

from analyzer.formats.stamps import read_iso
from analyzer.model import Stamp

_BOOT_FILE_NAME = re.compile(r"(?:^|[/._-])(?:uptime|stat|boot(?:_?time)?|btime|who)(?:[._-][\w.-]*)?$", re.I)
_BTIME = re.compile(r"^(?:btime[ \t]++)?(1\d{9})[ \t\r]*+$", re.M)
_UPTIME = re.compile(r"^(\d+\.\d\d) \d+\.\d\d\s*$")
_BOOTED_AT = re.compile(r"^(?:[ \t]*+system boot[ \t]++)?(\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?)[ \t\r]*+$", re.M)


def is_boot_file(path: str) -> bool:
    return _BOOT_FILE_NAME.search(path.rpartition("/")[2]) is not None


def read_boot_time(text: str, mtime: float | None) -> Stamp | float | None:
    """The boot time: UTC seconds, or a local stamp. /proc/uptime counts back from the file's own time."""
    if found := _BTIME.search(text):
        return float(found[1])
    if (found := _UPTIME.match(text)) and mtime is not None:
        return mtime - float(found[1])
    if found := _BOOTED_AT.search(text):
        return read_iso(found[1] if found[1].count(":") == 2 else found[1] + ":00")
    return None
