"""The kernel's log, as dmesg(1), /dev/kmsg, pstore and netconsole write it.

    [  812.123456] Out of memory: Killed process 4242 (python3)
    [  812.123456][ T1234] python3 invoked oom-killer
    [  812.123456] [ C1] watchdog: BUG: soft lockup
    [  812.123456 <    0.000012>] usb 1-1: new high-speed device
    [Sat Nov 21 05:10:09 2026] NVRM: Xid (PCI:0000:3b:00): 79, pid=4100
    [sam. nov. 21 05:10:09 2026] NVRM: Xid (PCI:0000:3b:00): 79, pid=4100
    [토 11월 21 05:10:09 2026] NVRM: Xid (PCI:0000:3b:00): 79, pid=4100
    2026-11-21T05:10:06,497000+00:00 mce: [Hardware Error]: Machine check events logged
    6,1200,812123456,-;nvme0n1: I/O Cmd(0x2) error
    [Nov21 03:24] EXT4-fs error (device sda1)
    [  +0.000012] Call Trace:

The time is in seconds since boot; CONFIG_PRINTK_CALLER adds the thread `T` or the processor `C`. `dmesg -T` converts it
to local time. `--time-format iso` (util-linux 2.24) always has a comma, microseconds and a zone. kmsg has microseconds.
Source: `kernel/printk/printk.c`, util-linux `sys-utils/dmesg.c`.
"""

from __future__ import annotations

import re

from analyzer.formats.dates import to_iso
from analyzer.formats.line_format import DIGITS, Format, Tier
from analyzer.formats.severity import SEVERITY_BY_NUMBER
from analyzer.formats.stamps import CTIME, MONTH, MONTHS, as_stamps, read_ctime, read_iso, read_uptime, read_yearless
from analyzer.model import Kind, Line, Stamp

# Six decimals, or fewer if the padding shows that it is a time: "[0.5] " alone may be a list.
_UPTIME = re.compile(
    r"\[( *\d{1,9}\.\d{6}| +\d{1,9}\.\d{1,9}|\d{2,9}\.\d{1,9})(?: < *\d+\.\d+>)?\]"
    r"(?: ?\[ *([TC])(\d{1,18})\])?(?: (.*)|$)",
    re.DOTALL,
).match
_CTIME = re.compile(rf"\[({CTIME})\](?:\[ *[TC]\d+\])? ?(.*)", re.DOTALL).match
# The same in the language of the user's locale.
_LOCALE = re.compile(
    r"\[([^\W\d_]{2,8}\.? [^\W\d_]{3,8}\.? {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4})\](?:\[ *[TC]\d+\])? ?(.*)", re.DOTALL
).match
_CJK = re.compile(
    r"\[(?:\w{1,8} )?(\d{1,2}) ?[月월] {1,2}(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4})\](?:\[ *[TC]\d+\])? ?(.*)", re.DOTALL
).match
_ISO = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]\d\d:?\d\d):?(?:\[ *[TC]\d+\])? ?(.*)", re.DOTALL).match
_KMSG = re.compile(r"(\d{1,4}),(\d{1,20}),(\d{1,20}),[-c](?:,[^;]{0,60})?;(.*)", re.DOTALL).match
_RELATIVE = re.compile(rf"\[({MONTH})([ 0-3]\d) (\d\d:\d\d)\] (.*)|\[ *\+\d+\.\d{{6}}\] (.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    if text.startswith("["):
        return _parse_bracket(text)
    if match := _ISO(text):
        return _line(match[2], read_iso(match[1]))
    if match := _KMSG(text):
        return Line(
            match[4], as_stamps(read_uptime(match[3], 1e-6)), SEVERITY_BY_NUMBER[int(match[1]) & 7], Kind.KERNEL
        )
    return None


def _parse_bracket(text: str) -> Line | None:
    if match := _UPTIME(text):
        thread = int(match[3]) if match[2] == "T" and len(match[3]) < 10 else None
        return Line(match[4] or "", as_stamps(read_uptime(match[1])), None, Kind.KERNEL, tid=thread)
    if match := _CTIME(text):
        return _line(match[2], read_ctime(match[1]))
    if (match := _LOCALE(text)) and (iso := to_iso(match[1])):
        return _line(match[2], read_iso(iso))
    if match := _CJK(text):
        return _line(match[5], read_iso(f"{match[4]}-{int(match[1]):02}-{int(match[2]):02}T{match[3]}"))
    if match := _RELATIVE(text):
        if match[1]:
            return _line(match[4], read_yearless(MONTHS[match[1]], int(match[2]), match[3] + ":00"))
        return _line(match[5], None)
    return None


def _line(message: str, stamp: Stamp | None) -> Line:
    return Line(message, as_stamps(stamp), None, Kind.KERNEL)


FORMAT = Format("dmesg", Kind.KERNEL, parse, tier=Tier.KERNEL, first_chars="[" + DIGITS, date_marks="T")
