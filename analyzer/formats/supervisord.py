"""supervisord's own log, in local time.

    2026-11-21 05:10:09,123 INFO spawned: 'worker1' with pid 4100
    2026-11-21 05:10:10,123 INFO exited: worker1 (terminated by SIGKILL; not expected)
    2026-11-21 05:10:10,123 CRIT Supervisor is running as root.

Its levels have four letters (CRIT, ERRO, WARN, INFO, DEBG, TRAC, BLAT). Other programs write INFO and WARN, too; those
count only with a message of supervisord.
Source: supervisor `loggers.py`, `process.py`, `supervisord.py`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import DIGITS, Format, Tier
from analyzer.formats.severity import SEVERITY_BY_WORD
from analyzer.formats.stamps import as_stamps, read_iso
from analyzer.model import Kind, Line

_PREFIX = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) "
    r"(?:(ERRO|CRIT|DEBG|TRAC|BLAT)|(INFO|WARN)(?= (?:(?:spawned|exited|success|gave up|stopped|spawnerr): "
    r"|(?:stopped|killing|waiting for) \S.{0,400}?(?: with (?:SIG|exit)|\(\d+\)| to (?:die|stop)\b)"
    r"|reaped unknown|supervisord|received SIG|daemonizing|Set uid|Included|RPC "
    r"|Increased|Server |Creating socket|Closing|Unlinking|Clearing|Supervisor|For )))"
    r" (.*)",
    re.DOTALL,
).match


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    level = match[2] or match[3]
    return Line(
        match[4], as_stamps(read_iso(match[1])), SEVERITY_BY_WORD[level.lower()], Kind.SCHEDULER, logger="supervisord"
    )


FORMAT = Format(
    "supervisord",
    Kind.SCHEDULER,
    parse,
    tier=Tier.SERVICE,
    before=("logfmt", "spark"),
    first_chars=DIGITS,
    date_marks=" ",
)
