"""Find an unusual launcher prefix that names the writer of each line, in a file with lines of several machines.

    [r1@gx-7] step 3         node=gx-7 step 3         #1@gx-7 step 3         gx-7,1,stdout,step 3
    gx-7[4101]: step 3       train.1@gx-7: step 3     {gx-7} step 3          +  12.345s gx-7 step 3
    <TYR|004811ms> step 3    Tyr +   4.8 step 3

The prefix is learned from the file: nearly all lines begin with the same signs between the same number of words. One of
these words is a name, and the names recur in turn. The other words are numbers, or are the same in all lines, or in all
lines of one writer. `writer_column.py` recognizes columns and comes first.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import NamedTuple

from analyzer.formats import has_service_layout, read_line
from analyzer.formats.records.head_lines import NAMED_PREFIX, unnamed_lines
from analyzer.formats.records.line_by_line import LineByLine
from analyzer.formats.records.sections import pod_prefix
from analyzer.formats.records.writer_column import are_names, end_of_time, find_hosts, find_writers, is_number
from analyzer.formats.records.writer_names import family_of, may_be_numbered_writer, stated_hosts
from analyzer.formats.severity import SEVERITY_BY_WORD

MAX_PROBED_LINES = 400
MAX_PREFIX_CHARS = 160
MAX_WORDS = 7  # of a prefix
MAX_WORDS_TO_NAME = 4
MAX_PROBED_WORDS = MAX_WORDS_TO_NAME + 1  # a time may follow the name
MIN_LINES = 12
MIN_FEW_LINES = 4  # lines of the short output of a command
MIN_SHARE = 0.9  # of the lines must have the same prefix
SAMPLE_LINES = 80  # lines that are examined first
FIRST_ROWS = (24, 40)  # of them; if these have too few names, the others are not examined
MIN_SAMPLE_SHARE = 0.8
MIN_RETURNING = 2  # ranks that recur after another rank
MAX_RANK_DIGITS = 4
MAX_END_CHARS = 8  # between prefix and message
MAX_READ_CHARS = 1024
MAX_READ_SHARE = 0.2  # of the lines may have a writer that a line format reads
COLUMN_SIGNS = frozenset(("", ":", "|", ";", ",", "-", "]", ")", ">"))
STREAM_WORDS = frozenset(("stdout", "stderr", "out", "err", "o", "e"))
KEY_WORDS = frozenset(
    ("rank", "source", "file", "sourcetype", "pid", "task", "id", "worker", "local_rank", "stream", "fd")
)
_find_words = re.compile(r"([^\w]{0,40})(\w(?:[\w.-]{0,120}\w)?)").finditer
_match_host_prefix = re.compile(r"([a-z][\w.-]{1,120}): \S").match
_SCRIPT_EXTENSIONS = frozenset(
    ("bash", "bat", "cmd", "csh", "exe", "jar", "js", "ksh", "lua", "pl", "ps1", "py", "rb", "sh")
)
_is_address = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}").fullmatch
_match_end = re.compile(r"[^\w\s]{0,8}\s?(?:[|│▶>-]{1,8} )?").match
_squeeze = re.compile(r"\s+").sub


class Word(NamedTuple):
    """A word of a line, the signs before it (with blanks as one), and the text after it."""

    sign: str
    text: str
    behind: str


Row = Sequence[Word]


@dataclass(frozen=True, slots=True)
class WriterPrefix:
    """A prefix: the signs before its words (with blanks as one), the number of the name among the words, the names, and
    the text between the prefix and the message. Without names, the word is a rank.
    """

    signs: tuple[str, ...]
    name_index: int
    names: frozenset[str]
    end: str

    @property
    def is_column(self) -> bool:
        """Whether it may be a column: only a column's separator follows the name."""
        return self.name_index == len(self.signs) - 1 and self.end.strip() in COLUMN_SIGNS

    def split(self, line: str) -> tuple[str, int] | None:
        """Return the writer of a line and the start of its message; None if the line has no such prefix."""
        words = list(islice(_find_words(line[:MAX_PREFIX_CHARS], end_of_time(line)), len(self.signs)))
        if len(words) < len(self.signs) or any(
            _squeeze(" ", word[1]) != sign for word, sign in zip(words, self.signs, strict=True)
        ):
            return None
        name, at = words[self.name_index][2], words[-1].end()
        is_writer = name in self.names or family_of(name) in {family_of(writer) for writer in self.names or {"0"}}
        if not is_writer or not (line.startswith(self.end, at) or line[at:].strip() == self.end.strip()):
            return None
        return name, min(at + len(self.end), len(line))


class WriterPrefixConverter(LineByLine):
    """A `LineConverter` that replaces a launcher's prefix with that of `kubectl logs`.

    A line without a prefix continues the line above it.
    """

    name = "writer-prefix"

    def __init__(self, prefix: WriterPrefix) -> None:
        self._form = prefix
        self._prefix = b""

    def convert_line(self, line: bytes) -> bytes:
        if not line.strip() or line.startswith(NAMED_PREFIX):
            return line
        head = line[:MAX_PREFIX_CHARS].decode("utf-8", "surrogateescape")
        split = self._form.split(head)
        if split is None:
            return self._prefix + line
        self._prefix = pod_prefix(split[0]) if self._form.names else b"[rank%s]: " % split[0].encode()
        text = head[: end_of_time(head)] + head[split[1] :]
        return self._prefix + text.encode("utf-8", "surrogateescape") + line[MAX_PREFIX_CHARS:]


def find_writer_prefix(head: bytes) -> WriterPrefix | None:
    """Return the prefix that names the writers of a file's lines; None if none does, or a line format reads it."""
    sample = unnamed_lines(head, SAMPLE_LINES, MAX_READ_CHARS)
    if len(sample) < MIN_LINES:
        return _find_prefix_of_few_lines(sample)
    stated = stated_hosts(head)
    rows: list[Row] = []
    for count in (*FIRST_ROWS, SAMPLE_LINES):
        rows += [_split_words(line, MAX_PROBED_WORDS) for line in sample[len(rows) : count]]
        if not _may_have_names(rows, stated, len(sample)):
            return None  # nearly all files
    lines = unnamed_lines(head, MAX_PROBED_LINES, MAX_READ_CHARS)
    rows += [_split_words(line, MAX_PROBED_WORDS) for line in lines[len(rows) :]]
    least = MIN_SHARE * len(lines)
    names_at: dict[int, frozenset[str]] = {}
    alike = rows
    for index in range(MAX_WORDS_TO_NAME):
        alike = _rows_alike(alike, index, index)
        if len(alike) < least:
            break
        values = [row[index].text for row in alike]
        hosts = stated | set(values) if _is_elapsed(alike, index + 1) else stated
        names = find_writers(values, least, hosts)
        if index and any(map(_is_address, names)):
            continue  # a table of connections
        if names and all(_is_of_prefix(alike, index, other) for other in range(index)):
            names_at[index] = names
    # The prefix may have a host and a rank. A host that the lines state is preferred.
    index = max(names_at, key=lambda index: (len(find_hosts(names_at[index], stated)), -index), default=-1)
    if names_at:
        alike = _rows_alike([_split_words(line, MAX_WORDS) for line in lines], index)
        named = [row for row in alike if row[index].text in names_at[index]]
        prefix: WriterPrefix | None = _measure_prefix(named, index, names_at[index])
    else:
        prefix = _find_rank_prefix(rows, least)
    return None if prefix is None or _are_writers_read(lines) else prefix


def _find_prefix_of_few_lines(lines: Sequence[str]) -> WriterPrefix | None:
    """Return the prefix of pdsh and clush for the short output of a command: `gx-a: ` before each line of a machine.

    Lines of one machine are consecutive. A list of keys and values has a different key in each line. The name of a
    program, such as a launcher or a script, does not count.
    """
    names = [match[1] if (match := _match_host_prefix(line)) else "" for line in lines]
    groups = [name for name, _ in groupby(names)]
    is_grouped = len(names) >= MIN_FEW_LINES and 2 * (len(groups) - 1) < len(names)
    if not is_grouped or not all(names) or len(set(groups)) < max(2, len(groups)):
        return None
    if any(name.lower() in SEVERITY_BY_WORD or _is_program(name) for name in groups) or _are_writers_read(lines):
        return None
    return WriterPrefix(("",), 0, frozenset(groups), ": ")


def _is_program(name: str) -> bool:
    """Return whether a name is of a program. A host name has no underscore (RFC 952) and does not end like a script."""
    return "_" in name or name.rpartition(".")[2] in _SCRIPT_EXTENSIONS


def _may_have_names(rows: Sequence[Row], stated: Collection[str], line_count: int) -> bool:
    """Return whether nearly always one of the first words may be a name, or the first word a number.

    `rows` are the first of `line_count` lines.
    """
    left = line_count - len(rows)
    for index in range(MAX_WORDS_TO_NAME):
        values = [row[index].text for row in rows if len(row) > index]
        if left and stated and are_names(values):
            return True  # the other lines decide which are hosts
        hosts = find_hosts(values, stated)
        may_be_writer = {value: value in hosts or may_be_numbered_writer(value) for value in set(values)}
        count = sum(may_be_writer[value] or (index == 0 and value.isdecimal()) for value in values)
        if count + left >= MIN_SAMPLE_SHARE * line_count or _is_elapsed(rows, index + 1, left):
            return True
    return False


def _find_rank_prefix(rows: Sequence[Row], least: float) -> WriterPrefix | None:
    """Return the prefix if it is a small number next to a sign, as in `#1 step 3`."""
    alike = _rows_alike(rows, 0)
    ranks = [row[0].text for row in alike if row[0].text.isdecimal() and len(row[0].text) <= MAX_RANK_DIGITS]
    if len(ranks) < least:
        return None
    end, runs = _end_of_prefix(alike, 0), Counter(rank for rank, _ in groupby(ranks))
    comes_back = sum(count > 1 for count in runs.values()) >= MIN_RETURNING
    is_numbered = {int(rank) for rank in runs} == set(range(len(runs)))
    has_sign = bool((alike[0][0].sign + end).strip())
    return (
        WriterPrefix(_signs_of(alike[0], 0), 0, frozenset(), end) if comes_back and is_numbered and has_sign else None
    )


def _split_words(line: str, count: int) -> Row:
    """Return the first words of a line after its time."""
    words = islice(_find_words(line[:MAX_PREFIX_CHARS], end_of_time(line)), count)
    return [
        Word(
            _squeeze(" ", word[1]) if "  " in word[1] else word[1],
            word[2],
            line[(end := word.end()) : end + MAX_END_CHARS],
        )
        for word in words
    ]


def _rows_alike(rows: Sequence[Row], index: int, first: int = 0) -> list[Row]:
    """Return the rows with the most frequent signs before their words from `first` to `index`."""
    long_rows = [row for row in rows if len(row) > index]
    signs = [_signs_of(row, index, first) for row in long_rows]
    common = Counter(signs).most_common(1)[0][0] if signs else ()
    return [row for row, sign in zip(long_rows, signs, strict=True) if sign == common]


def _signs_of(row: Row, index: int, first: int = 0) -> tuple[str, ...]:
    return tuple([word.sign for word in row[first : index + 1]])


def _is_of_prefix(rows: Sequence[Row], name_index: int, index: int) -> bool:
    """Return whether a word is a number, the same in all lines, or the same in all lines of one writer."""
    values = [row[index].text for row in rows]
    if any(value.lower() in SEVERITY_BY_WORD for value in values):
        return False
    if index < name_index and all(map(is_number, values)):
        return True
    by_name: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        by_name[row[name_index].text].add(row[index].text)
    return all(len(words) == 1 for words in by_name.values())


def _is_elapsed(rows: Sequence[Row], index: int, left: int = 0) -> bool:
    """Return whether a word is nearly always the time since the start: a number with a unit, or after a plus.

    `left`: the number of further rows that may have it.
    """
    words = [row[index] for row in rows if len(row) > index]
    counts = sum(is_number(word.text) is not None and ("+" in word.sign or word.text[-1] == "s") for word in words)
    return counts + left >= MIN_SHARE * (len(rows) + left)


def _measure_prefix(rows: Sequence[Row], name_index: int, names: frozenset[str]) -> WriterPrefix:
    """Return the prefix, extended by the words after the name that belong to it: values of the writer, and streams."""
    last = name_index
    for index in range(name_index + 1, MAX_WORDS):
        alike = _rows_alike(rows, index)
        if len(alike) < MIN_SHARE * len(rows):
            break
        words = {row[index].text.lower() for row in alike}
        is_value = all(map(is_number, words)) or alike[0][index].sign in ("=", "/", " /", "=/")
        is_own = is_value and _is_of_prefix(alike, name_index, index)
        if is_own or words <= STREAM_WORDS or _is_elapsed(alike, index):
            last = index
        elif not words <= KEY_WORDS:
            break
    alike = _rows_alike(rows, last)
    return WriterPrefix(_signs_of(alike[0], last), name_index, names, _end_of_prefix(alike, last))


def _end_of_prefix(rows: Sequence[Row], last: int) -> str:
    """Return the signs after the prefix that nearly all lines share, without the indentation of messages."""
    behind = [row[last].behind for row in rows if len(row) > last]
    ends = {match[0] for text in behind if (match := _match_end(text))}
    return max(ends, key=lambda end: (sum(text.startswith(end) for text in behind), len(end)), default="")


def _are_writers_read(lines: Sequence[str]) -> bool:
    """Return whether line formats read the beginnings of the lines.

    A name without a time does not count: Open MPI names the writers of single messages.
    """
    read = (
        line for line in map(read_line, lines) if line.stream or (line.host and line.stamps) or has_service_layout(line)
    )
    return next(islice(read, int(MAX_READ_SHARE * len(lines)), None), None) is not None
