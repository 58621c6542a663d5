"""What a line format is. The formats themselves are the other modules of this folder, one a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from analyzer.model import Kind, Line

DIGITS = "0123456789"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = "abcdefghijklmnopqrstuvwxyz"
LETTERS_AND_DIGITS = UPPER + LOWER + DIGITS
DATE_SEPARATORS = " T"


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of prefix.

    `parse` reads the prefix at the start of a text and gives what it says, with the rest of the text as
    `message`; None if the text does not begin so. It never raises. Formats are tried in the order of
    `priority`, lowest first: the specific before the general.

    A `wrapper` (a container runtime, a launcher, a rank) may stand before any other format. A `tentative`
    one looks so much like ordinary text that it counts only where a format that is certain stands behind.
    A `carrier` puts its prefix before every line of somebody else's output: a line that has no other prefix may
    continue the line before it.

    One that `counts` gives the number of a rank: a number behind it is what the rank itself wrote.

    `starts` are the characters that a line of it can begin with, '' for any: only a short cut. So is `dated`, for lines
    that begin with date and time as of ISO 8601, which most do: what may stand between the two (DATES), or a bracket
    before them.
    """

    name: str
    kind: Kind | None
    parse: Callable[[str], Line | None]
    wrapper: bool = False
    first_chars: str = ""
    date_marks: str = DATE_SEPARATORS + "["
    priority: int = 50
    tentative: bool = False
    prefixes_every_line: bool = False
    excludes_inner_rank: bool = False
