"""Convert times that no line format reads to ISO 8601. Their form is learned from the file.

    24.11.2026 10:33:12 Epoche 3          becomes   2026-11-24T10:33:12 Epoche 3
    [11/24/2026 10:33:12 PM] epoch 3      becomes   [2026-11-24 22:33:12] epoch 3
    gpu07 24-Nov-2026 10:33:12 epoch 3    becomes   gpu07 2026-11-24T10:33:12 epoch 3
    10:33:12 epoch 3                      becomes   [10:33:12] epoch 3
    1795516392 epoch 3                    becomes   [1795516392.000] epoch 3
    [24/11 10:33:12] epoch 3              becomes   [Nov 24 10:33:12] epoch 3
    04/05/2026 10:33:12 epoch 3           becomes   [10:33:12] epoch 3
    INFO 10:33:12 epoch 3                 becomes   [10:33:12] INFO epoch 3
    fit[811] 24/11 10:33:12 epoch 3       becomes   Nov 24 10:33:12 fit[811] epoch 3

Private scripts and shells write these. A bare clock or number of seconds proves little, so it counts only if it hardly
ever decreases from line to line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice, pairwise

from analyzer.formats import read_line
from analyzer.formats.dates import find_style
from analyzer.formats.records.head_lines import head_segments
from analyzer.formats.records.line_by_line import LineByLine
from analyzer.formats.severity import SEVERITY_BY_WORD
from analyzer.formats.stamps import MONTH, read_clock, read_epoch
from analyzer.model import Basis

MAX_PROBED_LINES = 200
MAX_PROBED_CHARS = 120  # of a line, in which its time must be
MIN_DATED_LINES = 3
MIN_DATED_SHARE = 0.2  # of the lines that no format reads, because tracebacks and banners have no times
MIN_SERIES = 5  # lines with a bare clock or bare seconds
MAX_FALLING_SHARE = 0.05
HALF_DAY_S = 43_200.0  # a clock that decreases by more has passed midnight
_OPENING = re.compile(r"""[\[("'<|#*>\s]{0,4}""")
# An opening with the name of the writer before the time.
_WRITER = (
    r"(?:[\[(]?[A-Za-z][\w.@/-]{0,60}(?:[ -]\d{1,5}\]|\[\d{1,7}\])?[\])]?(?:[:,;|]|(?>\s{1,24}\|))?"
    r"|\[\d{1,5},\d{1,6}\]<[a-z]{3,8}>:|(?> {0,4})\d{1,5}:)"  # Open MPI; srun --label
)
_OPENING_WITH_NAME = re.compile(rf"{_WRITER}\s{{0,8}}[\[(]?")
_CLOCK = re.compile(
    r"[\[(<]?(\d\d?:\d\d:\d\d(?:[.,]\d{1,6})?)(?: ?([AaPp])\.?[Mm]\b\.?)?[\])>]?(?: ?[-:;,|](?= )|(?=[ \t]))"
)
_EPOCH = re.compile(r"[\[(]?(\d{10}\.\d{1,9}|\d{13}|\d{10})[\])]?(?:[:;,|](?= )|(?=[ \t]))")

_OPEN_MARKS, _END_MARKS = "[(<|: ", "[(<|:,; "
_CLOSING = ("]", ")", ">")
_NOTHING = re.compile("")
_NAME = re.compile(rf"{_WRITER}\s{{1,8}}")
# Matches everywhere a time of a learned form may begin, and sometimes elsewhere.
_WORD = r"[^\W\d_]{2,10}\.?,? {1,2}"
may_be_dated = re.compile(
    rf"(?:(?>{_OPENING.pattern})|(?>{_OPENING_WITH_NAME.pattern})|(?>{_NAME.pattern})|)"
    rf"(?:[\[(]?(?:{_WORD})?(?:\d{{1,4}}(?:[-/.] ?\d\d?[-/.]|[年년])|\d{{8}}|\d{{4}}(?:\d\d)?[-_T ]\d\d"
    r"|\d\d?(?:[月월]|(?:[-/]|\.? )[^\W\d_]{3}|[-.:h/]\d\d?))"
    rf"|(?:{_WORD}){{1,2}}\d\d?(?:,? \d{{4}}| \d\d?[-.:h]\d\d)|[^\W\d_]{{3,10}}-\d\d? \d)"
).match
# A time that line formats read, whatever follows it.
_READ_CLOCK = r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d"
is_surely_read = re.compile(
    rf"(?:199\d|2[01]\d\d)-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])[ T]{_READ_CLOCK}(?:[.,]\d{{1,9}})?"
    r"(?:(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)(?=[\s,;|])|(?=[\s:,;|]))(?! ?Z| ?[+-]\d| UTC)"
    rf"|{MONTH} (?:[ 0][1-9]|1\d|2[0-8]) {_READ_CLOCK}(?:\.\d{{1,9}})? "
).match

Stamp = tuple[int, int, str]  # where the time of a line begins and ends, and what replaces it
StampReader = Callable[[str], Stamp | None]


class DateConverter(LineByLine):
    """A `LineConverter` that rewrites the time of each line that has one in the learned form."""

    name = "dates"

    def __init__(self, read_stamp: StampReader) -> None:
        self._read_stamp = read_stamp

    def convert_line(self, line: bytes) -> bytes:
        return b"\r".join(map(self._rewrite, line.split(b"\r")))

    def _rewrite(self, segment: bytes) -> bytes:
        text = segment[:MAX_PROBED_CHARS].decode("utf-8", "surrogateescape")
        stamp = self._read_stamp(text)
        if stamp is None:
            return segment
        begin, end, replacement = stamp
        written = f"{text[:begin]}{replacement}{text[end:]}".encode("utf-8", "surrogateescape")
        return written + segment[MAX_PROBED_CHARS:]


def find_stamp_reader(head: bytes) -> StampReader | None:
    """Return a reader of the times in a file's lines; None if line formats read them already, or if there are none."""
    lines = _probed_lines(head)
    dated = (line for line in lines if may_be_dated(line) and not (is_surely_read(line) or read_line(line).stamps))
    if len(list(islice(dated, MIN_DATED_LINES))) < MIN_DATED_LINES:
        return None  # nearly all files
    unread = [line for line in lines if not read_line(line).stamps]
    if len(unread) < MIN_DATED_LINES:
        return None
    for opening in (_OPENING, _OPENING_WITH_NAME):
        if read := _find_dates(unread, opening, lines):
            return _put_first(unread, read)
    series = (_behind(opening, read) for read in (_read_clock, _read_epoch) for opening in (_NOTHING, _NAME))
    series_reader = next((read for read in series if _is_series(unread, read)), None)
    return series_reader and _put_first(unread, series_reader)


def _put_first(lines: Sequence[str], read: StampReader) -> StampReader:
    """Return a reader that moves the time to the beginning, if no format would read it at its place.

    Names of several writers stay at their place, because later stages learn them.
    """
    stamps = [(line, stamp) for line in lines if (stamp := read(line))]
    words = {_bare_words(line[: stamp[0]]) for line, stamp in stamps}
    are_writers = len(words) > 1 and not all(word.lower() in SEVERITY_BY_WORD for word in words)
    line, (begin, end, replacement) = stamps[0]
    if are_writers or read_line(f"{line[:begin]}{replacement}{line[end:]}").stamps:
        return read

    def read_first(line: str) -> Stamp | None:
        stamp = read(line)
        if stamp is None:
            return None
        begin, end, replacement = stamp
        end += line.startswith(_CLOSING, end)
        time = f"[{replacement}]" if replacement[2] == ":" else replacement
        return 0, end, f"{time} {_bare_words(line[:begin])}"

    return read_first


def _bare_words(before: str) -> str:
    """Return the text before a time, without marks that belong to the time and without surrounding brackets."""
    words = before.rstrip(_END_MARKS)
    return words.lstrip(_OPEN_MARKS).rstrip("])") if words[:1] in _OPEN_MARKS else words


def _probed_lines(head: bytes) -> list[str]:
    """Return lines from all parts of the head, except the last line, which may be truncated."""
    lines = list(filter(bytes.strip, head_segments(head)[:-1]))
    step = -(-len(lines) // MAX_PROBED_LINES) or 1
    return [line[:MAX_PROBED_CHARS].decode("utf-8", "replace") for line in lines[::step]]


def _find_dates(lines: Sequence[str], opening: re.Pattern[str], all_lines: Sequence[str]) -> StampReader | None:
    """Return the reader of a date after an opening, if enough of the lines have one in the same form.

    `all_lines` also has lines that a format reads: they help to distinguish month and day.
    """
    style = find_style(_texts_behind(opening, lines), _texts_behind(opening, all_lines), _years_of(all_lines))
    if style is None:
        return None

    def read(line: str) -> Stamp | None:
        match = opening.match(line)
        if match is None:
            return None
        if date := style.match_iso(line, match.end()):
            end, time = date
            # In brackets, a time with a T would look like that of a Slurm daemon.
            return match.end(), end, time.replace("T", " ") if line.startswith("[", match.end() - 1) else time
        if date := style.match_clock(line, match.end()):  # a clock that counts only in brackets
            end, clock = date
            return match.end(), end, clock if line.startswith("[", match.end() - 1) else f"[{clock}]"
        return None

    count = sum(read(line) is not None for line in lines)
    return read if count >= max(MIN_DATED_LINES, MIN_DATED_SHARE * len(lines)) else None


def _years_of(lines: Sequence[str]) -> frozenset[int]:
    """Return the two-digit years in the lines whose times a format reads."""
    stamps = (stamp for line in lines for stamp in read_line(line).stamps if stamp.basis in (Basis.UTC, Basis.LOCAL))
    return frozenset(datetime.fromtimestamp(stamp.value, UTC).year % 100 for stamp in stamps)


def _texts_behind(opening: re.Pattern[str], lines: Sequence[str]) -> Iterator[str]:
    return (line[match.end() :] for line in lines if (match := opening.match(line)))


def _behind(opening: re.Pattern[str], read: Callable[[str, int], Stamp | None]) -> StampReader:
    def read_behind(line: str) -> Stamp | None:
        match = opening.match(line)
        return read(line, match.end()) if match else None

    return read_behind


def _read_clock(line: str, begin: int) -> Stamp | None:
    match = _CLOCK.match(line, begin)
    if match is None:
        return None
    clock = match[1].rjust(len(match[1]) + (match[1][1] == ":"), "0")
    if match[2]:
        hour = int(clock[:2])
        clock = f"{hour % 12 + 12 * (match[2] in 'Pp'):02d}{clock[2:]}" if 1 <= hour <= 12 else ""
    return None if not clock or read_clock(clock) is None else (begin, match.end(), f"[{clock}]")


def _read_epoch(line: str, begin: int) -> Stamp | None:
    match = _EPOCH.match(line, begin)
    stamp = match and read_epoch(match[1])
    return (begin, match.end(), f"[{stamp.value:.6f}]") if match and stamp else None


def _is_series(lines: Sequence[str], read: StampReader) -> bool:
    """Return whether enough lines have a time that increases from line to line."""
    times = list(_seconds_of(lines, read))
    if len(times) < max(MIN_SERIES, MIN_DATED_SHARE * len(lines)) or times[0] == times[-1]:
        return False
    falls = sum(-HALF_DAY_S < later - earlier < 0 for earlier, later in pairwise(times))
    return falls <= MAX_FALLING_SHARE * len(times)


def _seconds_of(lines: Sequence[str], read: StampReader) -> Iterator[float]:
    for line in lines:
        if stamp := read(line):
            text = stamp[2].strip("[]")
            seconds = read_clock(text) if ":" in text else float(text)
            if seconds is not None:
                yield seconds
