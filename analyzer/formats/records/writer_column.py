"""Find a column with the writer of each line, in a file with lines of several machines.

    2026-11-24 10:33:12 | gpu07 | epoch 3        2026-11-24T10:33:12;node-3;INFO;epoch 3
    2026-11-24 10:33:12 INFO [gpu07] epoch 3     Nov 24 10:33:12 10.0.3.7 epoch 3
    gpu07 2026-11-24 10:33:12 epoch 3            gpu07 - epoch 3
    2026-11-24 10:33:12 train/gpu07/0f3a epoch 3      gpu07/4711 epoch 3

No line format reads such a column, so it is learned from the file: it has few names, which recur in turn and differ in
a number, or are addresses. If the column has paths, a part of them is the name. Each line gets the prefix of `kubectl
logs` in place of the name, so that it belongs to that writer. A line without a name continues the line above it.

    2026-11-24 10:33:12 gx-31 bert-worker-0 epoch 3

A second column may name the same writer, as machine and pod do. Then each name in one column occurs with only one name
in the other, and the prefix has both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import filterfalse, groupby, islice

from analyzer.formats import has_service_layout, read_line
from analyzer.formats.records.head_lines import NAMED_PREFIX, unnamed_lines
from analyzer.formats.records.line_by_line import LineByLine
from analyzer.formats.records.origin import format_origin
from analyzer.formats.records.writer_names import (
    family_of,
    find_started_writers,
    has_starts,
    may_be_numbered_writer,
    stated_hosts,
)
from analyzer.formats.severity import SEVERITY_BY_WORD
from analyzer.formats.stamps import CTIME, ISO, SYSLOG

MAX_PROBED_LINES = 400
MAX_PROBED_CHARS = 200  # of a line, in which its columns must be
MAX_COLUMNS = 4
MAX_UNTIMED_COLUMNS = 2
MAX_PARTS = 4  # parts of a path in a column
MIN_LINES = 12
FIRST_ROWS = 1.25  # times the number of lines that may lack a name: enough to reject most files
MIN_NAMED_SHARE = 0.6  # of the lines
MIN_NAMED_SHARE_UNTIMED = 0.9  # of lines without a time, because they may be a table of metrics
MAX_READ_SHARE = 0.2  # of the lines may have a writer that a line format reads
MIN_READ_SHARE_OF_NAMED = 0.9  # of the lines with a name: if a line format reads fewer, it does not read the column
MIN_PAIRED_SHARE = 0.9  # of the lines with a name must also have the second name
MIN_RETURNING = 2  # names that recur after another name; names of epochs and layers do not
MIN_LINES_PER_NAME = 3
MIN_LISTED_MACHINES = 4
MIN_HOSTS = 2  # names that lines state as hosts, if other names are not stated
_TIME = re.compile(
    rf"""\s{{0,8}}[\[("<]?(?:{ISO}|{CTIME}|{SYSLOG}|\d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?|\d{{10}}\.\d{{1,9}})[\])">]?"""
    r"(?:(?<=\])[A-Za-z ]:\s{0,4}(?:\[Step \d{1,3}/\d{1,3}\])?)?"  # TeamCity's level and step
)
_SEPARATOR = re.compile(r"\s{0,8}[|;,\t-]?\s{0,8}")
_CELL = re.compile(
    r"""(?:\[(?P<rank>rank[ :=]\d{1,5})\]|[\[("<]?(?P<name>/?[A-Za-z0-9][\w.@/-]{0,120})[\])">]?|\[[^\[\]\n]{1,60}\])"""
    r"(?:\s{0,8}[|;,:](?!\d)\s?|\s(?:- )?|$)"
)
is_number = re.compile(r"\d{1,9}(?:\.\d{1,9})?m?s?").fullmatch
_RANK = re.compile(r"rank[ :=](\d{1,5})").fullmatch
# The second line of TensorFlow's first message, and those of an error that came over gRPC.
_continues_message = re.compile(
    r"To enable the following instructions|Additional GRPC error information|\[\[\{\{node |  File \""
    r"|The error could be from"
).search
_LISTED = re.compile(r"([A-Za-z][\w.-]{0,80}): ")
_POD = re.compile(r"[a-z][a-z0-9]{0,60}(?:-[a-z0-9]{1,60}){1,12}")
_TASK = re.compile(r"(?:^|[-_.])(?:chief|master|worker|ps|evaluator|trainer|rank|launcher)[-_.:]?\d", re.I)


@dataclass(frozen=True, slots=True)
class WriterColumn:
    """Where a file's lines name their writer: the number of the column after the time, and the names.

    `part` is the number of the name among the parts of a path; None if the column is not a path. `machine_index` is the
    number of the column with the machine, if there is one too. `container` is the name of the container after every
    name, "" if there is none. `drops_before`: the columns before it have no other information. `level`: the level that
    is before the names in all lines, as launchers write it when they pass on output. `names_every_line`: lines that
    continue a message have the name, too, so that a line with a time and without a name is the collector's own.
    """

    index: int
    names: frozenset[str]
    machine_index: int | None = None
    container: str = ""
    part: int | None = None
    drops_before: bool = False
    level: str = ""
    names_every_line: bool = False


class WriterColumnConverter(LineByLine):
    """A `LineConverter` that puts each line's writer before it."""

    name = "writers"

    def __init__(self, column: WriterColumn) -> None:
        self._column = column
        self._cell_count = max(column.index, column.machine_index or 0) + 1
        self._families = {family_of(name) for name in column.names}
        self._prefix = b""

    def convert_line(self, line: bytes) -> bytes:
        if not line.strip():
            return line
        if line.startswith(NAMED_PREFIX):
            self._prefix = b""
            return line
        head = line[:MAX_PROBED_CHARS].decode("utf-8", "surrogateescape")
        cells = list(islice(_cells(head), self._cell_count + bool(self._column.container)))
        wanted = [at for at in (self._column.index, self._column.machine_index) if at is not None]
        texts = list(map(_text_of, cells))
        if len(cells) < self._cell_count or not self._is_writer(_part_of(texts[wanted[0]], self._column.part)):
            if self._column.names_every_line and _TIME.match(head):
                self._prefix = b""
            return self._prefix + line
        name, *machine = (_part_of(texts[at], self._column.part) for at in wanted)
        if self._column.container:
            wanted += [at for at in (wanted[0] + 1,) if at < len(cells) and texts[at] == self._column.container]
        if self._column.drops_before:
            wanted = [*range(self._column.index), *wanted]
        elif self._column.level in texts[: self._column.index]:
            wanted.append(texts.index(self._column.level))
        self._prefix = _format_writer(name, self._column.container, *machine)
        for cell in (cells[at] for at in sorted(set(wanted), reverse=True)):
            head = head[: cell.start()] + head[cell.end() :]
        return self._prefix + head.encode("utf-8", "surrogateescape") + line[MAX_PROBED_CHARS:]

    def _is_writer(self, name: str) -> bool:
        """Return whether the name is a learned one, or of the same form: a machine may write its first line late."""
        return name in self._column.names or family_of(name) in self._families


def find_writer_column(head: bytes) -> WriterColumn | None:
    """Return the column that names the writers of a file's lines; None if none does, or a line format reads it."""
    lines = unnamed_lines(head, MAX_PROBED_LINES, MAX_PROBED_CHARS)
    if len(lines) < MIN_LINES:
        return None
    stated = stated_hosts(head)
    are_timed = next(islice(filter(_TIME.match, lines), len(lines) // 2, None), None) is not None  # most of them
    least = (MIN_NAMED_SHARE if are_timed else MIN_NAMED_SHARE_UNTIMED) * len(lines)
    columns = range(MAX_COLUMNS if are_timed else MAX_UNTIMED_COLUMNS)
    rows = list(map(_split_columns, lines[: int(FIRST_ROWS * (len(lines) - least)) + 1]))
    if any(_may_name_writers(rows, index, len(lines), least, stated) for index in columns):
        rows += map(_split_columns, lines[len(rows) :])
    else:
        columns = range(0)  # nearly all files
    for index in columns:
        names = find_writers([row[index] for row in rows if len(row) > index], least, stated)
        named_count = sum(row[index] in names for row in rows if len(row) > index) if are_timed else 0
        column = None if names else _find_path_column(rows, index, stated)
        if names and not _are_writers_read(lines, named_count, names):
            column = _add_second_column(rows, index, names, stated)
            column = replace(column, container=_find_container(rows, lines, column))
        elif column is None or _are_writers_read(lines, 0, column.names):
            continue
        return replace(
            column,
            drops_before=_is_known_by_name(rows, column),
            level=_find_common_level(rows, lines, column),
            names_every_line=_are_continuations_named(rows, lines, column),
        )
    machines = _find_listed_machines(lines)
    return WriterColumn(0, machines) if machines else None


def _are_continuations_named(rows: Sequence[Sequence[str]], lines: Sequence[str], column: WriterColumn) -> bool:
    """Return whether lines that continue a message of TensorFlow have the name before them."""
    return any(
        _continues_message(line) is not None
        for row, line in zip(rows, lines, strict=False)
        if len(row) > column.index and _part_of(row[column.index], column.part) in column.names
    )


def find_column_of_starts(head: bytes) -> WriterColumn | None:
    """Return the column with the names under which programs start, if no line format reads any writer."""
    lines = unnamed_lines(head, MAX_PROBED_LINES, MAX_PROBED_CHARS) if has_starts(head) else []
    if len(lines) < MIN_LINES or any(line.stream or line.host for line in map(read_line, lines)):
        return None
    rows = list(map(_split_columns, lines))
    for index in range(MAX_UNTIMED_COLUMNS):
        named_lines = [(row[index], line) for row, line in zip(rows, lines, strict=True) if len(row) > index]
        if names := find_started_writers(named_lines, MIN_NAMED_SHARE_UNTIMED * len(lines)):
            return WriterColumn(index, names)
    return None


def _split_columns(line: str) -> list[str]:
    return list(map(_text_of, _cells(line)))


def _may_name_writers(
    rows: Sequence[Sequence[str]], index: int, line_count: int, least: float, stated: Collection[str]
) -> bool:
    """Return whether a column, or a part of its paths, may name the writers, by the first rows.

    False only if the other lines are too few to change the result.
    """
    values = Counter(row[index] for row in rows if len(row) > index)
    left = line_count - len(rows)
    if stated and are_names(values):
        return True  # the other rows decide
    if sum(count for value, count in values.items() if "/" in value) + left >= MIN_NAMED_SHARE_UNTIMED * line_count:
        return True
    hosts = find_hosts(values, stated)
    named = (count for value, count in values.items() if value in hosts or may_be_numbered_writer(value))
    return sum(named) + left >= least


def _find_path_column(rows: Sequence[Sequence[str]], index: int, stated: Collection[str]) -> WriterColumn | None:
    """Return the column if nearly all of its values are paths, and one part of them names the writers."""
    paths = [row[index].strip("/").split("/") for row in rows if len(row) > index and "/" in row[index]]
    if len(paths) < MIN_NAMED_SHARE_UNTIMED * len(rows):
        return None
    for part in range(MAX_PARTS):
        values = [path[part] for path in paths if len(path) > part]
        if names := find_writers(values, MIN_NAMED_SHARE_UNTIMED * len(rows), stated):
            return WriterColumn(index, names, part=part)
    return None


def _is_known_by_name(rows: Sequence[Sequence[str]], column: WriterColumn) -> bool:
    """Return whether the columns before the name are the same in all lines of one writer, such as an index or a group.

    Numbers may differ, since they may be the seconds of the run. A level does not count: others may follow.
    """
    seen: dict[str, tuple[str, ...]] = {}
    for row in rows:
        name = _part_of(row[column.index], column.part) if len(row) > column.index else ""
        before = tuple("" if is_number(word) else word for word in row[: column.index])
        if name in column.names and seen.setdefault(name, before) != before:
            return False
    return not any(word.lower() in SEVERITY_BY_WORD for before in seen.values() for word in before)


def _find_common_level(rows: Sequence[Sequence[str]], lines: Sequence[str], column: WriterColumn) -> str:
    """Return the level before the names if all lines have it, including tracebacks and lines of other programs."""
    levels = {word for row in rows for word in row[: column.index] if word.lower() in SEVERITY_BY_WORD}
    is_passed_on = any("Traceback (most recent call last)" in line for line in lines)
    return levels.pop() if len(levels) == 1 and is_passed_on else ""


def _part_of(cell: str, part: int | None) -> str:
    if part is None:
        return cell
    parts = cell.strip("/").split("/")
    return parts[part] if len(parts) > part else ""


def _find_listed_machines(lines: Sequence[str]) -> frozenset[str]:
    """Return the names before the colons of a listing with a few lines of each machine, as `pdsh` prints it."""
    others = filterfalse(_LISTED.match, lines)
    if next(islice(others, int((1 - MIN_NAMED_SHARE_UNTIMED) * len(lines)) + 1, None), None) is not None:
        return frozenset()  # before all lines are read
    names = [match[1] for line in lines if (match := _LISTED.match(line))]
    machines = frozenset(filter(may_be_numbered_writer, names))
    is_listing = len(names) >= MIN_NAMED_SHARE_UNTIMED * len(lines) and len(machines) >= MIN_LISTED_MACHINES
    are_equal = len({family_of(name) for name in machines}) == 1 and machines.issuperset(names)
    return machines if is_listing and are_equal and not _are_writers_read(lines) else frozenset()


def _add_second_column(
    rows: Sequence[Sequence[str]], index: int, names: frozenset[str], stated: Collection[str]
) -> WriterColumn:
    """Return the column of `names`, with a later one that names the same writers, if there is one.

    The column with more names is that of the pods; if both have equally many, the column with names of tasks is.
    """
    named = [row for row in rows if len(row) > index and row[index] in names]
    for other in range(index + 1, MAX_COLUMNS):
        counts = Counter((row[index], row[other]) for row in named if len(row) > other)
        pairs = {pair: count for pair, count in counts.items() if count >= MIN_LINES_PER_NAME}
        others = frozenset(name for _, name in pairs)
        is_paired = sum(pairs.values()) >= MIN_PAIRED_SHARE * len(named) and len(pairs) == max(len(names), len(others))
        if not is_paired or not (_are_numbered(others) or others <= set(stated)):
            continue
        if (len(names), sum(map(_is_task_name, names))) > (len(others), sum(map(_is_task_name, others))):
            return WriterColumn(index, names, machine_index=other)
        return WriterColumn(other, others, machine_index=index)
    return WriterColumn(index, names)


def _find_container(rows: Sequence[Sequence[str]], lines: Sequence[str], column: WriterColumn) -> str:
    """Return the constant word between the writer and its text, as `stern` writes it; "" if there is none.

    A program's own first word (`step`) may be constant too, but no time and no prefix of a logger follows it.
    """
    at = column.index + 1
    named = [(row, line) for row, line in zip(rows, lines, strict=True) if len(row) > at]
    words = {row[at] for row, _ in named}
    word = next(iter(words)) if len(words) == 1 and at != column.machine_index else ""
    rests = [line[line.find(word) + len(word) :] for _, line in named] if word else []
    is_before_log = (
        all(map(_TIME.match, rests))
        or sum(bool(read_line(row_end.strip()).formats) for row_end in rests) >= MIN_LINES_PER_NAME
    )
    return word if word and is_before_log and word.lower() not in SEVERITY_BY_WORD else ""


def _are_numbered(values: Collection[str]) -> bool:
    return len(values) > 1 and all(may_be_numbered_writer(name) or _POD.fullmatch(name) for name in values)


def _is_task_name(name: str) -> bool:
    return _TASK.search(name) is not None


def _text_of(cell: re.Match[str]) -> str:
    return cell["name"] or cell["rank"] or ""


def _format_writer(name: str, container: str, machine: str = "") -> bytes:
    """Return the prefix for a writer; for a rank, the one of torchrun."""
    if rank := _RANK(name):
        return f"[rank{rank[1]}]: ".encode()
    return format_origin(name, container, machine).encode()


def end_of_time(line: str) -> int:
    """Return the number of characters of the time at the start of a line, including the blanks after it."""
    time = _TIME.match(line)
    return len(line) - len(line[time.end() :].lstrip()) if time else 0


def _cells(line: str) -> Iterator[re.Match[str]]:
    """Yield the matches of the first columns of a line after its time."""
    at = 0
    for _ in range(MAX_COLUMNS):
        if time := _TIME.match(line, at):
            at = time.end()
        at = separator.end() if (separator := _SEPARATOR.match(line, at)) else at
        cell = _CELL.match(line, at)
        if cell is None:
            return
        yield cell
        at = cell.end()


def find_writers(values: Sequence[str], least: float, stated: Collection[str]) -> frozenset[str]:
    """Return the names of a column if they are writers', else an empty set.

    They differ only in a number, or the lines state most of them as hosts. At least `least` lines must have one. A
    numbered name that resembles no other also counts if most lines have the others, as `chief-0` beside workers.
    """
    hosts = find_hosts(values, stated)
    may_be_writer = {
        value: value in hosts or ("/" not in value and may_be_numbered_writer(value)) for value in set(values)
    }
    candidates = [value for value in values if may_be_writer[value]]
    families = Counter(map(family_of, set(candidates)))
    siblings = [name for name in candidates if name in hosts or families[family_of(name)] > 1]
    if least > len(siblings) >= least / 2 and len(set(candidates)) <= 2 * len(set(siblings)):
        siblings = candidates
    counts = Counter(siblings)
    runs = Counter(name for name, _ in groupby(siblings))
    returning = sum(count > 1 for count in runs.values())
    if len(siblings) < least or returning < MIN_RETURNING or len(siblings) < MIN_LINES_PER_NAME * len(counts):
        return frozenset()
    return frozenset(counts)


def find_hosts(values: Collection[str], stated: Collection[str]) -> set[str]:
    """Return the values that the lines state as hosts, ignoring case and domain; if most are, return all values."""
    if not stated:
        return set()
    distinct, stated_hosts = set(values), {name.lower() for name in stated}
    hosts = {
        value for value in distinct if value.lower() in stated_hosts or value.partition(".")[0].lower() in stated_hosts
    }
    are_most = MIN_HOSTS <= len(hosts) < len(distinct) <= 2 * len(hosts)
    return distinct if are_most and are_names(distinct) else hosts


def are_names(values: Iterable[str]) -> bool:
    """Return whether all values begin with a letter and none is a level."""
    return all(value[:1].isalpha() and value.lower() not in SEVERITY_BY_WORD for value in values)


def _are_writers_read(lines: Sequence[str], named_count: int = 0, names: frozenset[str] = frozenset()) -> bool:
    """Return whether a line format names the writers already, or reads the lines as those of one service.

    Some formats read a name only if another prefix follows. If they find the same `names` in only a part of the
    `named_count` lines with a name, or one name in all lines, the column is the better reading.
    """
    read_lines = [read_line(line) for line in lines]
    if sum(map(has_service_layout, read_lines)) > len(lines) / 2:
        return True
    read = [line.stream or line.host or "" for line in read_lines if line.stream or line.host]
    is_partly_read = names.issuperset(read) and len(read) < MIN_READ_SHARE_OF_NAMED * named_count
    is_common_part = len(names) > 1 == len(set(read))  # a common part of all writers' names
    return len(read) > MAX_READ_SHARE * len(lines) and not (is_partly_read or is_common_part)
