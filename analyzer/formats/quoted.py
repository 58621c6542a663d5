"""Marks of a quoted line: indent, `> `, `# `, `* `, HTML, and keys that a terminal shows before the next line. They
count only before another format.

        2026-11-21 05:10:09.123456: I external/local_xla/xla/tsl/cuda/cudart_stub.cc:32] Could not find cuda drivers
    > 2026-11-21 05:10:09.123456: I external/local_xla/xla/tsl/cuda/cudart_stub.cc:32] Could not find cuda drivers
    ^C^CW0000 00:00:1795237809.123456   7 preemption_notifier.cc:90] SIGTERM caught
    <br />[   12.345678] NVRM: Xid (PCI:0000:3b:00): 79, pid=77

Issue trackers, mails and wikis write them.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.model import Line

_MARK = re.compile(r"(?:[ \t\r\0>#*|`-]{1,400}|(?:<br ?/?>|&gt;|\s){1,8}|(?:\^[A-Z\\]){1,20})(.+)", re.DOTALL).match


def parse(text: str) -> Line | None:
    match = _MARK(text)
    return Line(match[1]) if match else None


FORMAT = Format(
    "quoted",
    None,
    parse,
    tier=Tier.GUESS,
    wrapper=True,
    prefixes_every_line=True,
    first_chars=" \t\r\0>#*|`-<&^",
    tentative=True,
)
