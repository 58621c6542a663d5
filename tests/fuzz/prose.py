"""Changes of text that know what a text is made of: times become other times, numbers numbers, lines move."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random

from tests.fuzz import odd

_MONTH = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_TOKEN = re.compile(
    r"(?P<iso>\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z| UTC| ?[+-]\d\d:?\d\d)?)"
    rf"|(?P<ctime>(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:{_MONTH}) [ \d]\d \d\d:\d\d:\d\d(?: \w+)? \d{{4}})"
    rf"|(?P<syslog>(?:{_MONTH}) [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?)"
    r"|(?P<clock>\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)"
    r"|(?P<epoch>\b[12]\d{9}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?\b)"
    r"|(?P<number>-?\b\d+(?:\.\d+)?\b)"
    r"|(?P<word>[A-Za-z_][\w.-]+)"
    r"|(?P<mark>[^\w\s])"
)
_OTHERS: Mapping[str, Callable[[Random], str]] = {
    "iso": odd.iso,
    "ctime": odd.ctime,
    "syslog": odd.syslog,
    "clock": odd.clock,
    "epoch": odd.epoch,
    "number": odd.number,
    "word": odd.word,
    "mark": odd.word,
}


def respell(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """One to three pieces become others of their kind; kinds that are rare in a text are as likely as common ones."""
    text = data.decode("utf-8", "surrogateescape")
    for _ in range(chance.choice((1, 1, 2, 3))):
        by_kind: dict[str, list[re.Match[str]]] = {}
        for match in _TOKEN.finditer(text):
            by_kind.setdefault(str(match.lastgroup), []).append(match)
        if not by_kind:
            break
        kind = chance.choice(sorted(by_kind))
        match = chance.choice(by_kind[kind])
        same = chance.choice(by_kind[kind])[0]
        other = chance.choice((_OTHERS[kind](chance), _OTHERS[kind](chance), same, ""))
        text = text[: match.start()] + other + text[match.end() :]
    return text.encode("utf-8", "surrogatepass")


def shuffle_lines(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """Lines repeated, lost, moved, wrapped by another writer, or come from another text."""
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    end = at + chance.choice((1, 1, 2, 5))
    change = chance.randrange(7)
    if change == 0:
        lines[at:end] = lines[at:end] * chance.choice((2, 3, 60))
    elif change == 1:
        del lines[at:end]
    elif change == 2:
        moved = lines[at:end]
        del lines[at:end]
        where = chance.randrange(len(lines) + 1)
        lines[where:where] = moved
    elif change == 3:
        other = chance.choice(seeds).split(b"\n")
        where = chance.randrange(len(other))
        lines[at:at] = other[where : where + chance.choice((1, 2, 9))]
    elif change == 4:
        wrap = chance.choice(odd.WRAPS).encode()
        lines[at:end] = [wrap.replace(b"{}", line) for line in lines[at:end]]
    elif change == 5:
        wrap = chance.choice(odd.WRAPS).encode()
        lines = [wrap.replace(b"{}", line) for line in lines]
    else:
        lines[at:end] = [chance.choice((b"", b" ", b"\r")).join(lines[at:end])]
    return b"\n".join(lines)
