"""Times by themselves: every family of stamps, read as a calendar other than the program's reads it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random

from analyzer.formats import read_line
from analyzer.formats.stamps import (
    EARLIEST,
    LATEST,
    read_clock,
    read_ctime,
    read_daytime,
    read_epoch,
    read_iso,
    read_syslog,
    read_uptime,
)
from analyzer.formats.time_resolution import (
    LAST_YEARLESS_DAY,
    TimeContext,
    infer_syslog_zone,
    infer_zone,
    resolve_stamp,
)
from analyzer.model import Basis, Stamp
from tests.fuzz import odd
from tests.fuzz.prose import respell, shuffle_lines
from tests.fuzz.target import Target

DAY = 86400.0
READERS = (read_iso, read_ctime, read_syslog, read_clock, read_daytime, read_epoch, read_uptime)
CONTEXTS = [
    TimeContext(),
    TimeContext(zone=50400.0, year=1, boot_time=-1e18, near_time=0.0),
    TimeContext(zone=-43200.0, year=9999, boot_time=1e18, near_time=253402300799.0, syslog_zone=50400.0),
    TimeContext(near_time=-62135596800.0),
    TimeContext(zone=20700.0, year=2024, boot_time=1.7e9, near_time=1709208000.0, latest_time=1709294400.0),
    TimeContext(zone=-34200.0, boot_time=0.5, near_time=1767225599.5),
    TimeContext(year=2023, near_time=1798761600.0, syslog_zone=-39600.0, latest_time=1798761600.0),
]
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)([T ])(\d\d):(\d\d):(\d\d)(\.\d{1,6})?(Z|[+-]\d\d:\d\d)?", re.ASCII).fullmatch
FORMS = (
    "{iso} node-1 trainer[4711]: step 3",
    "{iso}: I tensorflow/core/a.cc:12] step 3",
    "[{iso}] step 3",
    "{iso} INFO train: step 3",
    "{iso} stderr F {iso} step 3",
    '{{"ts": {epoch}, "level": "error", "msg": "step 3"}}',
    '{{"log": "step 3\\n", "stream": "stderr", "time": "{iso}"}}',
    "{ctime} step 3",
    "[{ctime}] EXT4-fs error",
    "{ctime}: Job <812> was killed",
    "{syslog} node-1 kernel: [{number}] x",
    "{syslog} 2026 node-1 lsf[7]: x",
    "[{number}] Out of memory",
    "[ {number}.123456] NVRM: Xid",
    "[Mar01 10:00] x",
    "6,812,{epoch},-;usb 1-1: new device",
    "E0000 00:00:{epoch}.123456   22 c.cc:1] x",
    "I1121 {clock} 7 c.cc:1] x",
    "[{clock}] src/engine.cc:12: stopped",
    "{clock} - x",
    "{epoch}.123456 starting",
    "11/21/2026 {clock};0008;pbs_mom;Job;123.server;x",
    "21/11/2026 {clock} x",
    "26/11/21 {clock} INFO x",
    "<34>1 {iso} node-1 su 4242 ID47 - x",
    "Sat {iso} node-1 sshd[77]: x",
    "Job started at {ctime}",
)


def _write(form: str, chance: Random) -> str:
    names = {"iso": odd.iso, "ctime": odd.ctime, "syslog": odd.syslog, "epoch": odd.epoch, "clock": odd.clock}
    return form.format(**{name: make(chance) for name, make in names.items()}, number=odd.number(chance))


@cache
def seeds() -> Sequence[bytes]:
    chance = Random(3)
    right = {"iso": "2026-03-01T10:00:00.123456Z", "ctime": "Sun Mar  1 10:00:00 2026", "syslog": "Mar  1 10:00:00"}
    plain = [form.format(**right, epoch="1772359200", clock="10:00:00", number="812.123456") for form in FORMS]
    several = ["\n".join(_write(form, chance) for form in FORMS[at : at + 6]) for at in range(0, len(FORMS), 6)]
    bare = [right["iso"], right["ctime"], right["syslog"], "10:00:00.5", "1772359200123", "812.123456"]
    return [text.encode() for text in (*plain, *several, *bare)]


def rewrite(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """Another line of a family, full of odd times."""
    return _write(chance.choice(FORMS), chance).encode("utf-8", "surrogatepass")


def check(data: bytes) -> None:
    lines = data.decode("utf-8", "replace").split("\n")[:60]
    stamps = [stamp for line in lines for stamp in _stamps_of(line)]
    for stamp in stamps:
        _check_stamp(stamp)
    pairs = [(stamp.value, other.value) for stamp in stamps[:20] for other in stamps[:20]]
    for zone in (infer_zone(pairs), infer_syslog_zone(pairs)):
        assert zone is None or (zone % 900 == 0 and -43200 <= zone <= 50400)


def _stamps_of(text: str) -> Iterator[Stamp]:
    yield from read_line(text).stamps
    for piece in (text, text.strip("[] ")):
        for read in READERS:
            stamp = read(piece)
            if isinstance(stamp, Stamp):
                yield stamp
    _check_calendar(text.strip())


def _check_calendar(text: str) -> None:
    """What Python's own calendar makes of an ISO time, field by field."""
    match = _ISO(text)
    if not match:
        return
    stamp = read_iso(text)
    year, month, day, _, hour, minute, second, fraction, zone = match.groups()
    try:
        moment = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second), tzinfo=UTC)
    except ValueError:
        assert stamp is None, text
        return
    east = 0 if zone in (None, "Z") else (1 if zone[0] == "+" else -1) * (int(zone[1:3]) * 60 + int(zone[4:])) * 60
    value = (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() + float(fraction or 0) - east
    if abs(east) < 86400 and (zone is None or int(zone[-2:] if zone != "Z" else 0) < 60) and EARLIEST <= value < LATEST:
        assert stamp is not None and abs(stamp.value - value) < 1e-5, (text, stamp, value)
        assert stamp.basis is (Basis.UTC if zone else Basis.LOCAL)


def _check_stamp(stamp: Stamp) -> None:
    assert 0 <= stamp.value < math.inf, stamp
    if stamp.basis in (Basis.UTC, Basis.LOCAL):
        assert EARLIEST <= stamp.value < LATEST, stamp
    for context in CONTEXTS:
        moment = resolve_stamp(stamp, context)
        if moment is not None:
            _check_moment(stamp, context, moment)


def _check_moment(stamp: Stamp, context: TimeContext, moment: float) -> None:
    """The moment, seen in its zone again, is what the stamp states."""
    assert math.isfinite(moment)
    zone = context.zone or 0.0
    if stamp.basis is Basis.LOCAL:
        assert abs(moment + zone - stamp.value) < 1e-3
    elif stamp.basis is Basis.DAYTIME and context.near_time is not None:
        assert abs(moment - context.near_time) <= DAY / 2 + 1e-3, (stamp, context)
        assert abs((moment + zone - stamp.value + DAY / 2) % DAY - DAY / 2) < 1e-3
    elif stamp.basis is Basis.YEARLESS:
        local = moment + (zone if context.syslog_zone is None else context.syslog_zone)
        day = min(stamp.value // DAY, LAST_YEARLESS_DAY)
        shown = datetime(1970, 1, 1) + timedelta(seconds=round(local - (stamp.value - day * DAY)))
        stated = datetime(1970, 1, 1) + timedelta(days=day)
        assert shown.replace(year=1972) == stated, (stamp, context)


TARGET = Target("times", seeds, check, (respell, rewrite, rewrite, shuffle_lines))
