"""Prefixes of kernel lines that have no time: `<4>` of pstore and printk, the words of `dmesg -x`, `kernel:`.

    <4>[   12.345678] BUG: unable to handle page fault
    <6>ACPI: Interpreter enabled
    kern  :warn  : [   12.345678] mce: CPU0: Core temperature above threshold
    kernel: [   12.345678] EXT4-fs error (device sda1)
    node-3 kernel: EXT4-fs error (device sda1)
    kern  :err   : 2026-11-21T05:10:06,497000+00:00 EDAC MC0: 1 UE

The number is facility * 8 + level; facility 0 is the kernel. On the wire it stands before the time and the host of
syslog (RFC 3164, 4.1.1), which then say whose line it is.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import LETTERS_AND_DIGITS, Format, Tier
from analyzer.formats.severity import SEVERITY_BY_NUMBER, SEVERITY_BY_WORD
from analyzer.model import Kind, Line

_NUMBER = re.compile(r"<(\d{1,3})>(?!1 )(.*)", re.DOTALL).match
_SYSLOG_TIME = re.compile(r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d").match
_WORDS = re.compile(
    r"(kern|user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local[0-7]) *:"
    r"(emerg|alert|crit|err|warn|notice|info|debug) *: ?(.*)",
    re.DOTALL,
).match
_NAMED = re.compile(r"(?:([A-Za-z0-9][\w.-]{0,120}) )?kernel: ?(.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if match := _NUMBER(text):
        number = int(match[1])
        is_kernels = number < 8 and not _SYSLOG_TIME(match[2])
        return Line(match[2], (), SEVERITY_BY_NUMBER[number & 7], Kind.KERNEL if is_kernels else None)
    if match := _WORDS(text):
        return Line(match[3], (), SEVERITY_BY_WORD[match[2]], Kind.KERNEL)
    if match := _NAMED(text):
        return Line(match[2], (), None, Kind.KERNEL, host=match[1], logger="kernel")
    return None


FORMAT = Format(
    "kernel_level",
    Kind.KERNEL,
    parse,
    tier=Tier.KERNEL,
    wrapper=True,
    first_chars="<" + LETTERS_AND_DIGITS,
    date_marks="",
)
