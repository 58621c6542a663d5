"""Go's key=value lines (logrus, slog): dockerd, containerd, tf-operator.

    time="2026-11-21T05:10:06.123456789Z" level=error msg="Handler for POST failed" container=abc
    level=info ts=2026-11-21T05:10:06.1Z caller=main.go:33 msg="Starting"

Source: logrus `text_formatter.go`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.formats.severity import read_severity
from analyzer.formats.stamps import ISO, as_stamps, read_iso
from analyzer.model import Kind, Line

_BEGIN = re.compile(r"(?:time|ts|t|level|lvl)=").match
_TIME = re.compile(rf'\b(?:time|ts|t)="?({ISO})').search
_LEVEL = re.compile(r'\b(?:level|lvl)="?(\w{1,12})').search
_MESSAGE = re.compile(r'\bmsg=(?:"((?:[^"\\]|\\.)*)"|(\S*))(.*)', re.DOTALL).search


def parse(text: str) -> Line | None:
    if not _BEGIN(text):
        return None
    clock, level, message = _TIME(text[:200]), _LEVEL(text[:200]), _MESSAGE(text)
    if not message or not (clock or level):
        return None
    message_text = message[1].replace('\\"', '"') if message[1] is not None else message[2]
    severity = read_severity(level[1]) if level else None
    return Line(message_text + message[3], as_stamps(read_iso(clock[1])) if clock else (), severity, Kind.SCHEDULER)


FORMAT = Format("logfmt", Kind.SCHEDULER, parse, tier=Tier.SERVICE, first_chars="tl")
