"""Lines of syslog daemons and journalctl: time, host, identifier.

    Nov 21 05:10:07 node-3 slurmd[812]: error: Node configuration differs
    Nov 21 05:10:09 node-3 kernel: [  812.123456] sd 0:0:1:0: [sdb] tag#12 CDB: Write(10)
    Nov 21 05:10:09 node-3 last message repeated 2 times
    Nov 21 05:10:07.123456 node-3 systemd[1]: Started Session 3 of user root.
    2026-11-21T05:10:07+0000 node-3 kernel: EXT4-fs error (device sda1)
    2026-11-21T05:10:07.123456+00:00 node-3 dockerd[99]: container died
    2026-11-21 05:10:07,123 node-3 trainer[99]: epoch 3
    Sat 2026-11-21 05:10:07 UTC node-3 sshd[77]: Accepted publickey
    [   12.345678] node-3 kernel: NVRM: loading NVIDIA UNIX x86_64 Kernel Module
    1795237809.123456 node-3 kernel: nfs: server not responding
    2026-11-21T05:10:07.123456+00:00 10.0.0.13 [  812.123456] Kernel panic - not syncing: Fatal exception
    Sat Nov 21 05:10:09 2026 kern.info kernel: [  812.123456] eth1: NIC Link is Down
    <34>1 2003-10-11T22:14:15.003Z node-3 su 4242 ID47 - 'su root' failed

The line with an address is what a collector (rsyslog) writes for a packet of netconsole.
RFC 3164, RFC 5424, `journalctl -o short`, `short-precise`, `short-iso`, `short-full`, `short-monotonic`, `short-unix`.
Zone names other than UTC are ambiguous (IST, CST, BST), so that such a time is LOCAL.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from analyzer.formats.line_format import DATE_SEPARATORS, DIGITS, Format, Tier
from analyzer.formats.severity import SEVERITY_BY_NUMBER, read_severity
from analyzer.formats.stamps import (
    CTIME,
    MONTHS,
    SYSLOG,
    as_stamps,
    read_ctime,
    read_epoch,
    read_iso,
    read_parts,
    read_syslog,
    read_uptime,
)
from analyzer.formats.syslog_identifiers import is_known_identifier, kind_of_identifier
from analyzer.model import Kind, Line, Stamp

# A name, or an address of IPv6. `PM` ends a time, a number is the rest of one (OpenSM's microseconds).
_HOST = (
    r"((?!(?:AM|PM|\d{1,9}) )(?:[A-Za-z0-9](?:[\w.%-]{0,253}[\w.%-])?"
    r"|[0-9a-fA-F:]{2,40}(?:[0-9a-fA-F.]{1,40})?(?:%\w{1,16})?)(?= ))"
)
_PCI = (
    r"(?!(?:[0-9a-f]{4,8}:)[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])"  # `mlx5_core 0000:5e:00.0:` names a driver and its device
)
_IDENT = _PCI + r"((?!\d+:)[^\s\[\]:]{1,64}|\([^\s)]{1,64}\))(?:\[(\d{1,10}|-)\])?: ?(.*)"
_BODY = re.compile(rf"{_HOST} {_IDENT}", re.DOTALL).match
_CLASSIC = re.compile(rf"({SYSLOG})(?: (\d{{4}}))? (.*)", re.DOTALL).match
# Without an identifier the host must look like one, or the daemon speak: `ts` writes the same time before any text.
_HOST_ONLY = re.compile(
    r"((?=[A-Za-z-]{0,120}[\d.])(?!\d{1,9} )[a-z0-9][\w.-]{0,253}"
    r"|[A-Za-z0-9][\w.-]{0,253}(?= (?:last )?message repeated | -- MARK --))"
    r"(?: (.*)|$)",
    re.DOTALL,
).match
_ISO = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(Z|[+-]\d\d:?\d\d)?) (.*)", re.DOTALL).match
_FULL = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?) ([A-Za-z0-9+-]{1,6}) (.*)",
    re.DOTALL,
).match
_NETCONSOLE = re.compile(rf"{_HOST} (\[ *\d{{1,9}}\.\d{{6}}\].*)", re.DOTALL).match
_LOGREAD = re.compile(rf"({CTIME}) ([a-z]\w{{2,8}})\.([a-z]{{3,7}}) {_IDENT}", re.DOTALL).match
_SECOND_STAMP = re.compile(r"\d{4}-\d\d-\d\d |[IWEF]\d{4} \d\d:|\d\d:\d\d").match
_UPTIME = re.compile(r"\[ *(\d{1,9}\.\d{6})\] (.*)", re.DOTALL).match
_EPOCH = re.compile(r"(\d{10}\.\d{6}) (.*)", re.DOTALL).match
_RFC5424 = re.compile(
    r"<(\d{1,3})>1 (\S+) (\S+) (\S+) (\S+) (\S+) (-|(?:\[(?:[^\]\\]|\\.)*\])+)(?: \ufeff?(.*)|$)", re.DOTALL
).match


def parse(text: str) -> Line | None:
    first = text[:1]
    if first == "<":
        return _parse_rfc5424(text)
    if first == "[":
        return _parse_if_certain(match[2], read_uptime, match[1]) if (match := _UPTIME(text)) else None
    if first.isdecimal():
        if match := _ISO(text):
            if match[2] and "," in match[1]:  # only dmesg writes a comma and a zone
                return None
            # Without a zone it may be any program's time: only a process id or a known name makes it a daemon's line.
            return _parse_if_certain(
                match[3], read_iso, match[1], allow_host_with_digit=bool(match[2])
            ) or _parse_netconsole(match[3], match[1])
        return (
            _parse_if_certain(match[2], read_epoch, match[1], allow_host_with_digit=True)
            if (match := _EPOCH(text))
            else None
        )
    if match := _CLASSIC(text):
        return _parse_classic(match[1], match[2], match[3])
    if match := _LOGREAD(text):  # OpenWrt's logread and busybox write no host
        clock, facility, level, ident, pid, message = match.groups()
        kind = Kind.KERNEL if facility == "kern" else kind_of_identifier(ident)
        number = int(pid) if pid and pid != "-" else None
        return Line(message, as_stamps(read_ctime(clock)), read_severity(level), kind, pid=number, logger=ident)
    if match := _FULL(text):
        zone = "Z" if match[2] in ("UTC", "GMT") else ""
        return _parse_body(match[3], read_iso(match[1] + zone))
    return None


def _parse_classic(clock: str, year: str | None, after_stamp: str) -> Line | None:
    stamp = read_syslog(clock)
    if year:  # some daemons (LSF, fabric managers) add the year
        month, day, time = clock.split()
        stamp = read_parts(int(year), MONTHS[month], int(day), time)
    if _SECOND_STAMP(after_stamp):
        return None
    if line := _parse_body(after_stamp, stamp):
        return line
    if match := _HOST_ONLY(after_stamp):
        return Line(match[2] or "", as_stamps(stamp), None, Kind.SYSTEM, host=match[1])
    return None


def _parse_if_certain(
    after_stamp: str, read_stamp: Callable[[str], Stamp | None], clock: str, allow_host_with_digit: bool = False
) -> Line | None:
    """Return the line if the text behind its time is certainly host and identifier, else None.

    It is with a process id, with a known daemon, or (`allow_host_with_digit`) with a host such as node-3.
    """
    if _SECOND_STAMP(
        after_stamp
    ):  # the program's own time behind a collector's: neither its date nor absl's letter is a host
        return None
    if not (match := _BODY(after_stamp)):
        return None
    host, ident, pid, _ = match.groups()
    certain = pid is not None or is_known_identifier(ident) or (allow_host_with_digit and not host.isalpha())
    return _line_of_body(match, read_stamp(clock)) if certain else None


def _parse_netconsole(after_stamp: str, clock: str) -> Line | None:
    """Return a kernel line that came over the network: it has no identifier, but its time since boot."""
    if _SECOND_STAMP(after_stamp) or not (match := _NETCONSOLE(after_stamp)):
        return None
    return Line(match[2], as_stamps(read_iso(clock)), None, Kind.KERNEL, host=match[1])


def _parse_body(after_stamp: str, stamp: Stamp | None) -> Line | None:
    return _line_of_body(match, stamp) if (match := _BODY(after_stamp)) else None


def _line_of_body(match: re.Match[str], stamp: Stamp | None) -> Line:
    host, ident, pid, message = match.groups()
    return Line(
        message,
        as_stamps(stamp),
        None,
        kind_of_identifier(ident),
        pid=int(pid) if pid and pid != "-" else None,
        host=host,
        logger=ident,
    )


def _parse_rfc5424(text: str) -> Line | None:
    if not (match := _RFC5424(text)):
        return None
    number, clock, host, ident, pid = int(match[1]), match[2], match[3], match[4], match[5]
    kind = Kind.KERNEL if number < 8 else kind_of_identifier(ident)
    return Line(
        match[8] or "",
        as_stamps(read_iso(clock)),
        SEVERITY_BY_NUMBER[number & 7],
        kind,
        pid=int(pid) if pid.isdecimal() and len(pid) < 11 else None,
        host=None if host == "-" else host,
        logger=None if ident == "-" else ident,
    )


# An earlier tier than dmesg: "[   12.345678] host kernel: " is a line of the journal.
FORMAT = Format(
    "syslog",
    Kind.SYSTEM,
    parse,
    tier=Tier.TRANSPORT,
    wrapper=True,
    first_chars=DIGITS + "<[JFMASONDTW",
    date_marks=DATE_SEPARATORS,
    repeats_prefix=True,
)
