"""Values at which programs break: numbers, times, words, and pieces of text."""

from __future__ import annotations

from random import Random

INTEGERS = [0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 40, 1 << 47, (1 << 63) - 1]
INTEGERS += [(1 << 64) - 1, -1, -(1 << 31), -(1 << 63), 10**15, 10**30]
# The ends of what the program takes for a time (1990, 2200), of 32 and 33 bits, and each in finer units.
EPOCHS = [0, 631151999, 631152000, 1709164800, 1767225599, 2147483647, 2147483648, 4294967296, 7258118399, 7258118400]
YEARS = ["0000", "0001", "1970", "1989", "1990", "1999", "2000", "2023", "2024", "2026", "2038", "2100", "2199", "9999"]
DATES = [("01", "01"), ("02", "28"), ("02", "29"), ("02", "30"), ("03", "01"), ("04", "31"), ("06", "30"), ("12", "31")]
DATES += [("00", "00"), ("13", "01"), ("01", "32"), ("99", "99")]
CLOCKS = ["00:00:00", "23:59:59", "23:59:60", "24:00:00", "12:60:00", "02:30:00", "12:00:00", "99:99:99", "00:00:61"]
FRACTIONS = ["", ".0", ".9", ".999999", ".999999999", ",999", ".123456", ".000000001", ".1234567890"]
ZONES = ["", "Z", "+00:00", "-00:00", "+14:00", "+14:15", "-12:00", "-12:01", "+05:45", "+0530", "+23:59", "+24:00"]
ZONES += ["+99:99", "-0800", " UTC", " +0100", "+00:00:30", " CEST", "z"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Smarch"]
DAYS = [" 0", " 1", "01", "28", "29", "30", "31", "32", " 9", "99"]
WORDS = [
    "",
    "0",
    "-",
    "null",
    "NaN",
    "Infinity",
    "1e999",
    "{}",
    "[]",
    "../..",
    "{node}",
    "{0.__class__}",
    "%s",
    "a" * 300,
]
WORDS += [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "'\"`;",
    "=1+1",
    "```",
]
WORDS += [
    "\x1b[31mred\x1b]0;title\x07",
    "\x9b31m",
    "\u202egnp.exe",
    "\u2028",
    "\ufeff",
    "\udcff",
    "\x00",
    "\x7f",
    "e\u0301" * 9,
]
WORDS += [
    "worker:0",
    "/job:worker/task:1",
    "10.0.0.7:2222",
    "[fe80::1%eth0]:22",
    "node-1",
    "n" + "1" * 40,
    "ß",
    "İ",
    "٣",
    "²",
]
WRAPS = [
    "2026-03-01T10:00:00.123456789Z stderr F {}",
    "2026-03-01T10:00:00.123456789Z stdout P {}",
    "[1,3]<stderr>:{}",
    " 3: {}",
    "[pod/worker-1/tensorflow] {}",
    "worker-1  | {}",
    "Mar  1 10:00:00 node-1 trainer[4711]: {}",
    "<34>1 2026-03-01T10:00:00.003Z node-1 su 4242 ID47 - {}",
    "(train pid=77, ip=10.0.0.7) {}",
    "\x1b[36m{}\x1b[0m",
    "    {}",
    "{}\r",
    '"{}"',
]


def number(chance: Random) -> str:
    value = chance.choice(
        (chance.choice(INTEGERS), chance.choice(EPOCHS), chance.randrange(200), chance.getrandbits(64))
    )
    return chance.choice(
        (str(value), str(value), f"{value}.{chance.choice(('0', '5', '999999'))}", f"{value}e{value % 400}")
    )


def epoch(chance: Random) -> str:
    """A moment in seconds, milli-, micro- or nanoseconds."""
    value = (chance.choice(EPOCHS) + chance.choice((0, 0, -1, 1))) * chance.choice((1, 1, 10**3, 10**6, 10**9))
    return str(value) + chance.choice(("", ".0", ".999999", ".5"))


def iso(chance: Random) -> str:
    month, day = chance.choice(DATES)
    date = chance.choice("--/").join((chance.choice(YEARS), month, day))
    return date + chance.choice("T  ") + chance.choice(CLOCKS) + chance.choice(FRACTIONS) + chance.choice(ZONES)


def ctime(chance: Random) -> str:
    zone = chance.choice(("", "", " UTC", " CET", " PM", " AM UTC", " PM IST"))
    clock = chance.choice(CLOCKS) + chance.choice(FRACTIONS[:5])
    return f"Sun {chance.choice(MONTHS)} {chance.choice(DAYS)} {clock}{zone} {chance.choice(YEARS)}"


def syslog(chance: Random) -> str:
    return f"{chance.choice(MONTHS)} {chance.choice(DAYS)} {chance.choice(CLOCKS)}{chance.choice(FRACTIONS[:5])}"


def clock(chance: Random) -> str:
    return chance.choice(CLOCKS) + chance.choice(FRACTIONS)


def word(chance: Random) -> str:
    return chance.choice(WORDS)
