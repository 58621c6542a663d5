"""Dates as people and programs write them, in the usual orders and languages, made into ISO 8601.

    24.11.2026 10:33:12,345         24/11/2026 10:33:12            11/24/2026 10:33:12 PM
    24-Nov-2026 10:33:12.345        24/Nov/2026:10:33:12 +0100     Tue, 24 Nov 2026 10:33:12 CET
    Nov 24, 2026 @ 10:33:12.345     Di 24. Nov 10:33:12 CET 2026   mar. 24 nov. 2026 10:33:12
    2026-11-24 10:33:12 PM          2026.11.24 10:33:12            20261124-103312
    2026年11月24日 10:33:12           10:33:12 24.11.2026            24 Nov 10:33:12, 24.11. 10:33:12
    2026年11月24日 10時33分12秒
    nov. 24 10:33:12                11月 24 10:33:12, 11月24日 10:33:12    Nov-24 10:33:12
    24/11 10:33:12                  11-24 10:33:12.345             1124 10:33:12
    24.11.26 10:33:12               26/11/24 10:33:12              261124-103312

A date without a year is returned as syslog writes it (`Nov 24 10:33:12`). A number that no month has, one of the two
that rises at midnight, AM or PM (month first), dots (day first), or hyphens without a year (month first, as in ISO
8601) tell `24/11` from `11/24`. Of two numbers that may be a year, the one is that other lines of the file state. Of
what stays open only the time of day is read. Names that mean several zones (CST, IST, BST) are dropped, so that the
time is a local one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from analyzer.formats.stamps import MONTHS

_ZONES = {
    name: f"{hours:+03d}:00"
    for hours, names in {
        -8: "PST",
        -7: "PDT MST",
        -6: "MDT",
        -5: "EST CDT",
        -4: "EDT",
        0: "UTC GMT WET Z",
        1: "CET MEZ WEST",
        2: "CEST MESZ EET",
        3: "EEST MSK",
        8: "SGT HKT",
        9: "JST KST",
        10: "AEST",
        11: "AEDT",
        12: "NZST",
        13: "NZDT",
    }.items()
    for name in names.split()
}
_AMBIGUOUS_ZONES = ("CST", "IST", "BST", "AST", "SST")
_CLOCK = (
    r"(?P<hour>\d\d?)(?P<mark>[:.h-])(?P<minute>\d\d)"
    r"(?:(?P=mark)(?P<second>\d\d)(?:[.,:](?P<fraction>\d{1,9}))?)?(?!:?\d)"
)
_HALF = r"(?:[ \u202f]?(?P<half>[AaPp]\.?[Mm]\b\.?|午前|午後|上午|下午|오전|오후))?"
_ZONE = rf"(?: ?(?P<zone>[+-]\d\d:?\d\d\b|(?:{'|'.join((*_ZONES, *_AMBIGUOUS_ZONES))})\b(?![-_./:])))?"
_TIME = _CLOCK + _HALF + _ZONE
_BEFORE_TIME = r"(?:[T_:-]|,? {1,2}(?:@ |- |um |at |à )?)"
_WEEKDAY = r"(?:[^\W\d_]{2,10}\.?,? {1,2})?"
_CJK_WEEKDAY = r"(?: ?[(（]\w{1,3}[)）]| ?[^\W\d_](?:曜日|요일)| ?(?:周|週|星期|礼拜)[^\W\d_])?"
_NAME = r"(?P<name>[^\W\d_]{3,10})\.?"
_SECONDS = r"(?P<hour>\d\d?):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?(?![:\d])"
_TWO_DIGIT_MONTH, _TWO_DIGIT_DAY = r"(?P<month>0[1-9]|1[0-2])", r"(?P<day>0[1-9]|[12]\d|3[01])"
_YEAR, _MONTH, _DAY = r"(?P<year>\d{4})", r"(?P<month>\d\d?)", r"(?P<day>\d\d?)"
_FORMS = (
    rf"{_YEAR}(?P<sep>[-/.]){_MONTH}(?P=sep){_DAY}{_BEFORE_TIME}{_TIME}",
    rf"{_YEAR}[年년.] ?{_MONTH}[月월.] ?{_DAY}[日일.]{_CJK_WEEKDAY} ?(?P<half>午前|午後|上午|下午|오전|오후)? ?"
    rf"{_CLOCK}{_ZONE}",
    rf"{_YEAR}[年년] ?{_MONTH}[月월] ?{_DAY}[日일]{_CJK_WEEKDAY} ?(?P<half>午前|午後|上午|下午|오전|오후)? ?"
    rf"(?P<hour>\d\d?)[時时點点시] ?(?P<minute>\d\d?)[分분]"
    rf"(?: ?(?P<second>\d\d?)(?:\.(?P<fraction>\d{{1,9}}))?[秒초])?{_ZONE}",
    rf"{_WEEKDAY}(?P<first>\d\d?)(?P<sep>[-/.]){{1}}(?P<other>\d\d?)(?P=sep)(?P<year>\d{{4}}){_BEFORE_TIME}{_TIME}",
    rf"{_WEEKDAY}{_DAY}(?:[-/]|\.? ){_NAME}[-/ ](?P<year>\d{{4}}){_BEFORE_TIME}{_TIME}",
    rf"{_WEEKDAY}{_NAME} {{1,2}}{_DAY},? (?P<year>\d{{4}}){_BEFORE_TIME}{_TIME}",
    rf"{_WEEKDAY}(?:{_NAME} {{1,2}}{_DAY}|(?P<day2>\d\d?)\.? (?P<name2>[^\W\d_]{{3,10}})\.?) {_TIME} (?P<year>\d{{4}})",
    r"(?P<year>(?:19|20)\d\d)(?P<month>[01]\d)(?P<day>[0-3]\d)[-_T ]"
    r"(?P<hour>[0-2]\d):?(?P<minute>[0-5]\d):?(?P<second>[0-6]\d)(?:[.,](?P<fraction>\d{1,9}))?(?P<zone>Z)?(?!\d)",
    rf"{_CLOCK}{_HALF},? {_YEAR}(?P<sep>[-/.]){_MONTH}(?P=sep){_DAY}(?!\d)",
    rf"{_CLOCK}{_HALF},? (?P<first>\d\d?)(?P<sep>[-/.])(?P<other>\d\d?)(?P=sep)(?P<year>\d{{4}})(?!\d)",
    rf"{_WEEKDAY}{_DAY}(?:-|\.? ){_NAME} {_TIME}",
    rf"{_WEEKDAY}{_NAME}(?: {{1,2}}|-){_DAY} {_TIME}",
    rf"{_MONTH}[月월] {{0,2}}{_DAY}[日일]? {_TIME}",
    rf"{_DAY}\.{_MONTH}\.,? {_TIME}",
    rf"{_WEEKDAY}(?P<first>\d\d?)(?P<sep>[-/.])(?P<other>\d\d?)(?P=sep)(?P<short>\d\d),? {{1,2}}"
    rf"{_SECONDS}{_HALF}{_ZONE}",
    rf"(?P<first>\d\d?)(?P<sep>[-/.])(?P<other>\d\d?)(?:[T_]|,? {{1,2}}){_SECONDS}{_HALF}{_ZONE}",
    rf"(?P<short>\d\d){_TWO_DIGIT_MONTH}{_TWO_DIGIT_DAY}[-_T ]"
    r"(?P<hour>[0-2]\d):?(?P<minute>[0-5]\d):?(?P<second>[0-6]\d)(?:[.,](?P<fraction>\d{1,9}))?(?!\d)",
    rf"{_TWO_DIGIT_MONTH}{_TWO_DIGIT_DAY}[-_T ]{_SECONDS}",
)
MIN_SHORT_YEAR = 15  # TensorFlow appeared in 2015
MAX_DAY = 31
_ENGLISH_MONTHS = tuple(MONTHS)
# By their first three or four letters: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian,
# Czech, Turkish, Swedish, Norwegian, Finnish, Hungarian, Romanian, Ukrainian.
_MONTH_NAMES = {
    name: number
    for number, names in enumerate(
        (
            "jan janv ene gen sty янв led oca tam ian січ",
            "feb févr fevr fev lut фев úno şub hel лют",
            "mar mär mrz mrt märz mars мар bře maa már бер",
            "apr avr abr kwi апр dub nis huh ápr кві",
            "may mai mag maj mei мая май kvě tou máj тра",
            "jun juin giu cze июн čen čvn haz kes jún iun чер",
            "jul juil lug lip июл čec čvc tem hei júl iul лип",
            "aug août aout ago sie авг srp ağu elo сер",
            "sep set wrz сен zář eyl syy sze вер",
            "oct okt ott out paź окт říj eki lok жов",
            "nov lis ноя kas marr noi лис",
            "dec dez déc dic gru дек pro ara jou des гру",
        ),
        1,
    )
    for name in names.split()
}
_AFTERNOON = frozenset({"p", "午後", "下午", "오후"})
_PATTERNS = tuple(re.compile(form) for form in _FORMS)


@dataclass(frozen=True, slots=True)
class DateStyle:
    """One form of date, with the order of its two numbers where they could be exchanged (None: does not matter).

    `years`: those of which other lines of the file are, without the century.
    """

    pattern: re.Pattern[str]
    day_first: bool | None = None
    years: frozenset[int] = frozenset()

    def match_iso(self, text: str, start: int = 0) -> tuple[int, str] | None:
        """Return where a date that begins at `start` ends, and the date as ISO 8601; None if there is none."""
        match = self.pattern.match(text, start)
        iso = match and _iso_of(match.groupdict(), self.day_first, self.years)
        return (match.end(), iso) if match and iso else None

    def match_clock(self, text: str, start: int = 0) -> tuple[int, str] | None:
        """Return the same with the time of day alone (`10:33:12`), if the meaning of its numbers is ambiguous."""
        match = self.pattern.match(text, start)
        clock = match and _is_open(match.groupdict(), self.day_first, self.years) and _time_of(match.groupdict())
        return (match.end(), clock) if match and clock else None


def to_iso(text: str) -> str:
    """Return a date that is the whole text as ISO 8601, or "" if it is no date or may be read in two ways."""
    text = text.strip()
    for pattern in _PATTERNS:
        match = pattern.fullmatch(text)
        if match and (iso := _iso_of(match.groupdict(), _day_first([match], frozenset()), frozenset())):
            return iso
    return ""


def find_style(
    dates: Iterable[str], others: Iterable[str] = (), years: frozenset[int] = frozenset()
) -> DateStyle | None:
    """Return the style that most of the texts have at their beginning; None if none has one.

    All of them, and `others` of the same style, tell together which of two numbers is the month. `years`: of other
    lines of the file, without the century.
    """
    texts = list(dates)
    matches = max(([match for text in texts if (match := pattern.match(text))] for pattern in _PATTERNS), key=len)
    if not matches:
        return None
    proofs = [match for text in others if (match := matches[0].re.match(text))]
    style = DateStyle(matches[0].re, _day_first([*matches, *proofs], years), years)
    is_style = any(style.match_iso(match.string) or style.match_clock(match.string) for match in matches)
    return style if is_style else None


def _day_first(matches: list[re.Match[str]], years: Set[int]) -> bool | None:
    """Return the order that the lines prove, or that their layout suggests; None if nothing does."""
    orders = [
        fields
        for match in matches
        if (fields := match.groupdict()).get("first") and _is_year_first(fields, years) is False
    ]
    numbers = [(int(fields["first"]), int(fields["other"])) for fields in orders]
    if any(first > 12 for first, _ in numbers):
        return True
    if any(other > 12 for _, other in numbers):
        return False
    for earlier, later in pairwise(numbers):  # a day goes by in a month
        if (later[0] - earlier[0], later[1] - earlier[1]) in ((1, 0), (0, 1)):
            return later[0] > earlier[0]
    if any(fields["sep"] == "." for fields in orders):
        return True
    is_month_first = any(fields.get("half") or (fields["sep"] == "-" and not _has_year(fields)) for fields in orders)
    return False if is_month_first else None


def _has_year(fields: dict[str, str | None]) -> bool:
    return bool(fields.get("year") or fields.get("short"))


def _is_year_first(fields: dict[str, str | None], years: Set[int]) -> bool | None:
    """Return whether the first of three numbers of two digits is the year, as Spark writes it; None if it may be."""
    if not fields.get("first") or not fields.get("short") or fields["sep"] == ".":
        return False
    first, last = int(fields["first"] or 0), int(fields["short"] or 0)
    may_be_years = tuple(number >= MIN_SHORT_YEAR and (not years or number in years) for number in (first, last))
    if may_be_years == (True, True) and max(first, last) > MAX_DAY:
        return first > MAX_DAY
    return may_be_years[0] if may_be_years[0] != may_be_years[1] else None


def _is_open(fields: dict[str, str | None], day_first: bool | None, years: Set[int]) -> bool:
    """Return whether two of the numbers may mean the same, a month or a year."""
    if (is_year_first := _is_year_first(fields, years)) is not False:
        return is_year_first is None
    first, other = int(fields.get("first") or 0), int(fields.get("other") or 0)
    return day_first is None and 1 <= first <= 12 and 1 <= other <= 12 and first != other


def _time_of(fields: dict[str, str | None]) -> str:
    """Return the time of day alone; "" if no clock shows it."""
    hour, minute, second = _hour(fields), int(fields["minute"] or 0), int(fields.get("second") or 0)
    if hour is None or hour > 23 or minute > 59 or second > 59:
        return ""
    return f"{hour:02d}:{minute:02d}:{second:02d}{_fraction_of(fields)}"


def _fraction_of(fields: dict[str, str | None]) -> str:
    return f".{fields['fraction']}" if fields.get("fraction") else ""


def _iso_of(fields: dict[str, str | None], day_first: bool | None, years: Set[int]) -> str:
    """Return ISO 8601, or syslog's form for a date without a year; "" for what no calendar has."""
    date, hour = _date_of(fields, day_first, years), _hour(fields)
    if date is None or hour is None:
        return ""
    year, month, day = date
    minute, second = int(fields["minute"] or 0), int(fields.get("second") or 0)
    try:  # 1972 was a leap year
        moment = datetime(year or 1972, month, day, hour, minute, second)
    except ValueError:
        return ""
    fraction = _fraction_of(fields)
    if year is None:
        return f"{_ENGLISH_MONTHS[moment.month - 1]} {moment.day:2d} {moment:%H:%M:%S}{fraction}"
    zone = fields.get("zone") or ""
    return f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}{_ZONES.get(zone, zone if zone[:1] in ('+', '-') else '')}"


def _date_of(
    fields: dict[str, str | None], day_first: bool | None, years: Set[int]
) -> tuple[int | None, int, int] | None:
    """Return year, month and day; the year is None if the date has none. None if it is ambiguous which is which."""
    short = fields.get("short")
    year = int(fields.get("year") or 0) or (2000 + int(short) if short else None)
    if (is_year_first := _is_year_first(fields, years)) is None:
        return None
    if is_year_first:
        return 2000 + int(fields["first"] or 0), int(fields["other"] or 0), int(short or 0)
    if fields.get("first"):
        first, other = int(fields["first"] or 0), int(fields["other"] or 0)
        if day_first is None and first != other:
            return None
        return (year, other, first) if day_first else (year, first, other)
    name, day = fields.get("name") or fields.get("name2"), fields.get("day") or fields.get("day2")
    month = _month_of_name(name) if name else int(fields["month"] or 0)
    return (year, month, int(day)) if month and day else None


def _month_of_name(name: str) -> int | None:
    lowered = name.lower()
    return _MONTH_NAMES.get(lowered[:4]) or _MONTH_NAMES.get(lowered[:3])


def _hour(fields: dict[str, str | None]) -> int | None:
    """Return the hour of the day; None for an hour that no clock of twelve hours has."""
    hour, half = int(fields["hour"] or 0), fields.get("half")
    if not half:
        return hour
    is_afternoon = half in _AFTERNOON or half[0].lower() in _AFTERNOON
    return hour % 12 + 12 * is_afternoon if 1 <= hour <= 12 else None
