"""The kernel's audit log, as auditd writes it and as `ausearch -i` prints it.

    type=SYSCALL msg=audit(1767327314.287:901): arch=c000003e syscall=62 success=yes exit=0
    type=SYSCALL msg=audit(01/02/2026 04:15:14.287:901) : arch=x86_64 syscall=kill success=yes exit=0
    node=gx-4 type=OBJ_PID msg=audit(1767327314.287:901): opid=6699 oauid=-1 ouid=1001

Source: kernel/audit.c (audit_log_start) of Linux, auparse/interpret.c of audit-userspace. The message keeps the type.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.stamps import read_epoch
from analyzer.model import Kind, Line

_match = re.compile(
    r"(?:node=(?P<node>[\w.-]{1,120}) )?"
    r"(?=type=[A-Z_\d]{1,40} msg=audit\((?P<seconds>\d{9,11}\.\d{3})?)(?P<message>.*)",
    re.DOTALL,
).match


def parse(text: str) -> Line | None:
    if not (match := _match(text)):
        return None
    stamp = read_epoch(match["seconds"]) if match["seconds"] else None
    return Line(match["message"], (stamp,) if stamp else (), host=match["node"])


FORMAT = Format("audit", Kind.SYSTEM, parse, tier=Tier.SERVICE, first_chars="tn")
