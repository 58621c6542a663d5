"""What stands before a kernel line without a time: pstore's and printk's `<4>`, the words of `dmesg -x`, `kernel:`.

    <4>[   12.345678] BUG: unable to handle page fault
    <6>ACPI: Interpreter enabled
    kern  :warn  : [   12.345678] mce: CPU0: Core temperature above threshold
    kernel: [   12.345678] EXT4-fs error (device sda1)
    node-3 kernel: EXT4-fs error (device sda1)
    kern  :err   : 2026-11-21T05:10:06,497000+00:00 EDAC MC0: 1 UE

The number is facility * 8 + level; facility 0 is the kernel.
"""

from __future__ import annotations

import re

from analyzer.formats.grammar import WORD, Format
from analyzer.formats.severity import NUMBERS, WORDS
from analyzer.model import Kind, Line

_NUMBER = re.compile(r"<(\d{1,3})>(?!1 )(.*)", re.DOTALL).match
_WORDS = re.compile(
    r"(kern|user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local[0-7]) *:"
    r"(emerg|alert|crit|err|warn|notice|info|debug) *: ?(.*)",
    re.DOTALL,
).match
_NAMED = re.compile(r"(?:([A-Za-z0-9][\w.-]{0,120}) )?kernel: ?(.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if found := _NUMBER(text):
        number = int(found[1])
        return Line(found[2], (), NUMBERS[number & 7], Kind.KERNEL if number < 8 else None)
    if found := _WORDS(text):
        return Line(found[3], (), WORDS[found[2]], Kind.KERNEL)
    if found := _NAMED(text):
        return Line(found[2], (), None, Kind.KERNEL, host=found[1], logger="kernel")
    return None


FORMAT = Format("kernel_level", Kind.KERNEL, parse, wrapper=True, starts="<" + WORD, dated="", priority=16)
