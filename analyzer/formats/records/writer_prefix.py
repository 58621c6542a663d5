"""Lines of several machines in one file behind a prefix of a launcher's own, in which the name of the writer stands.

    [r1@gx-7] step 3         node=gx-7 step 3         #1@gx-7 step 3         gx-7,1,stdout,step 3
    gx-7[4101]: step 3       train.1@gx-7: step 3     {gx-7} step 3          +  12.345s gx-7 step 3

The prefix is learned from the file: nearly all lines begin with the same signs between the same number of words. One of
these words is a name that comes back in turn; the others are numbers, are the same in all lines, or the same in all
lines of one writer. `writer_column.py` knows the forms of columns and comes first.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from analyzer.formats import read_line
from analyzer.formats.records.line_by_line import LineByLine
from analyzer.formats.records.sections import pod_prefix
from analyzer.formats.records.writer_column import NAMED_PREFIX, end_of_time, find_writers
from analyzer.formats.records.writer_names import family_of, find_stated_hosts
from analyzer.formats.severity import SEVERITY_BY_WORD

MAX_PROBED_LINES = 400
MAX_PREFIX_CHARS = 160
MAX_WORDS = 7  # of a prefix
MAX_WORDS_TO_NAME = 4
MIN_LINES = 12
MIN_SHARE = 0.9  # of the lines, whose prefixes are alike
MAX_READ_SHARE = 0.2  # of the lines, whose writer a line format names already
STREAM_WORDS = frozenset(("stdout", "stderr", "out", "err", "o", "e"))
KEY_WORDS = frozenset(
    ("rank", "source", "file", "sourcetype", "pid", "task", "id", "worker", "local_rank", "stream", "fd")
)
_find_words = re.compile(r"([^\w]*)(\w(?:[\w.-]*\w)?)").finditer
_is_number = re.compile(r"\d{1,9}(?:\.\d{1,9})?s?").fullmatch
_is_address = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}").fullmatch
_squeeze = re.compile(r"\s+").sub


@dataclass(frozen=True, slots=True)
class WriterPrefix:
    """The signs before the words of the prefix, blanks as one; the number of the name among the words; the names; what
    stands between the prefix and the message. Without names, the word is a rank.
    """

    signs: tuple[str, ...]
    name_index: int
    names: frozenset[str]
    end: str

    def split(self, line: str) -> tuple[str, int] | None:
        """Return the writer of a line and where its message begins; None if the line has no such prefix."""
        words = list(islice(_find_words(line[:MAX_PREFIX_CHARS], end_of_time(line)), len(self.signs)))
        if len(words) < len(self.signs) or any(
            _squeeze(" ", word[1]) != sign for word, sign in zip(words, self.signs, strict=True)
        ):
            return None
        name, at = words[self.name_index][2], words[-1].end()
        is_writer = name in self.names or family_of(name) in {family_of(known) for known in self.names or {"0"}}
        if not is_writer or not (line.startswith(self.end, at) or line[at:].strip() == self.end.strip()):
            return None
        return name, min(at + len(self.end), len(line))


class WriterPrefixConverter(LineByLine):
    """A `LineConverter` that puts the prefix of `kubectl logs` in the place of a launcher's.

    A line without a prefix continues the one above it.
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
    unnamed = (line for line in head.split(b"\n")[:-1] if line.strip() and not line.startswith(NAMED_PREFIX))
    lines = [line.decode("utf-8", "replace") for line in islice(unnamed, MAX_PROBED_LINES)]
    if len(lines) < MIN_LINES or _are_writers_read(lines):
        return None
    rows = [list(islice(_find_words(line[:MAX_PREFIX_CHARS], end_of_time(line)), MAX_WORDS)) for line in lines]
    stated = frozenset(find_stated_hosts(lines))
    least = MIN_SHARE * len(lines)
    found: dict[int, frozenset[str]] = {}
    for index in range(MAX_WORDS_TO_NAME):
        alike = _rows_alike(rows, index)
        names = find_writers([row[index][2] for row in alike], least, stated) if len(alike) >= least else frozenset()
        if index and any(map(_is_address, names)):
            continue  # a table of connections
        if names and all(_is_of_prefix(alike, index, other) for other in range(index)):
            found[index] = names
    if not found:
        return _find_rank_prefix(rows, least)
    # A host that the lines state counts more than a rank: the prefix may have both.
    index = max(found, key=lambda index: (found[index] <= stated, -index))
    return _measure_prefix(
        [row for row in _rows_alike(rows, index) if row[index][2] in found[index]], index, found[index]
    )


def _find_rank_prefix(rows: Sequence[Sequence[re.Match[str]]], least: float) -> WriterPrefix | None:
    """Return the prefix if it is a small number behind or before a sign, as in `#1 step 3`."""
    alike = _rows_alike(rows, 0)
    ranks = [row[0][2] for row in alike if re.fullmatch(r"\d{1,4}", row[0][2])]
    end = _end_of_prefix(alike, 0)
    runs = Counter(rank for rank, _ in groupby(ranks))
    if len(ranks) < least or not (alike[0][0][1] + end).strip() or sum(count > 1 for count in runs.values()) < 2:
        return None
    is_numbered = {int(rank) for rank in runs} == set(range(len(runs)))
    return WriterPrefix(_signs_of(alike[0], 0), 0, frozenset(), end) if is_numbered else None


def _rows_alike(rows: Sequence[Sequence[re.Match[str]]], index: int) -> list[Sequence[re.Match[str]]]:
    """Return the rows with the most frequent signs before their words up to `index`."""
    signs = Counter(_signs_of(row, index) for row in rows if len(row) > index)
    common = signs.most_common(1)[0][0] if signs else ()
    return [row for row in rows if len(row) > index and _signs_of(row, index) == common]


def _signs_of(row: Sequence[re.Match[str]], index: int) -> tuple[str, ...]:
    return tuple(_squeeze(" ", word[1]) for word in row[: index + 1])


def _is_of_prefix(rows: Sequence[Sequence[re.Match[str]]], name_index: int, index: int) -> bool:
    """Return whether a word is a number, the same in all lines, or the same in all lines of one writer."""
    values = [row[index][2] for row in rows]
    if any(word.lower() in SEVERITY_BY_WORD for word in values):
        return False
    if all(map(_is_number, values)) and index < name_index:
        return True
    by_name: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        by_name[row[name_index][2]].add(row[index][2])
    return all(len(words) == 1 for words in by_name.values())


def _measure_prefix(rows: Sequence[Sequence[re.Match[str]]], name_index: int, names: frozenset[str]) -> WriterPrefix:
    """Return the prefix with what follows the name in it: numbers of the writer's own, streams, and their keys."""
    last = name_index
    for index in range(name_index + 1, MAX_WORDS):
        alike = _rows_alike([row for row in rows if len(row) > index], index)
        if len(alike) < MIN_SHARE * len(rows):
            break
        words = {row[index][2].lower() for row in alike}
        is_pair = all("=" in row[index][1] or "/" in row[index][1] for row in alike)  # the value of a key, a path
        is_own = _is_of_prefix(alike, name_index, index) and (all(map(_is_number, words)) or is_pair)
        if is_own or words <= STREAM_WORDS:
            last = index
        elif not words <= KEY_WORDS:
            break
    signs = _signs_of(max(_rows_alike(rows, last), key=len), last)
    return WriterPrefix(signs, name_index, names, _end_of_prefix(rows, last))


def _end_of_prefix(rows: Sequence[Sequence[re.Match[str]]], last: int) -> str:
    """Return the shortest signs behind the prefix that nearly all lines share: messages may be indented."""
    signs = [row[last].string[row[last].end() : row[last].end() + 8] for row in rows if len(row) > last]
    ends = Counter(match[0] for text in signs if (match := re.match(r"[^\w\s]*\s?(?:[|│▶>-]+ )?", text)))
    return max(ends, key=lambda end: (sum(text.startswith(end) for text in signs), len(end)), default="")


def _are_writers_read(lines: Sequence[str]) -> bool:
    """Return whether line formats name the writers. Open MPI's name those of single messages, which have no time."""
    read = sum(bool(line.stream or (line.host and line.stamps)) for line in map(read_line, lines))
    return read > MAX_READ_SHARE * len(lines)
