"""Files of launch scripts that state the exit codes of several tasks.

worker:0 137                                  a line for each task or host
20:54:49 2 139                                or for each rank, with or without a time
{"worker:0": 0, "ps:0": {"exit_code": 137}}   JSON, also a list of records
host,task,exit_code                           CSV with a header, also between tabs, semicolons or bars
node-3,worker:1,139
Seq Host Starttime .. Exitval Signal Command  between tabs: the job log of GNU parallel (its manual page, --joblog)
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from analyzer.facts.cluster_spec import read_task
from analyzer.facts.path_labels import task_of_label
from analyzer.model import Event, Kind, Locus
from analyzer.untrusted.documents import MalformedError, read_csv_row, read_json
from analyzer.untrusted.numbers import read_whole

EXIT_OF_SIGNAL = "file.exit_of"

_CODE_KEYS = frozenset({"exitval", "exitcode", "exitstatus", "rc", "returncode", "retcode", "code", "exit"})
_SIGNAL_KEYS = frozenset({"signal", "exitsignal", "termsignal"})  # 0 where none ended the process
_DELIMITERS = ",\t;|"
_TASK_KEYS = frozenset({"task", "taskid", "role", "job"})
_HOST_KEYS = frozenset({"host", "hostname", "node", "nodename", "machine", "pod"})
_ROW = re.compile(
    r"\s*+(?P<name>[A-Za-z][\w./-]*+(?::++[\w./-]++)*+)[\s:=,;|]++"
    r"(?:exit(?:ed)?(?: with)?[ _-]?(?:code|status)?\s*+(?:[:=]\s*+)?|rc\s*+[:=]\s*+)?(?P<code>-?\d{1,3})\s*+$",
    re.I,
)
_is_clock = re.compile(r"\d{1,4}[:/-]\d{1,2}(?:[:/T.,-]\d{1,9}){0,6}(?:Z|\+\d\d:?\d\d)?,?").fullmatch
_RANK_WORDS = frozenset({"rank", "task", "worker", "rc", "exit", "code", "status"})
_MAX_CODE = 255
_MAX_ROWS = 20_000

ExitRow = tuple[int, str, str, int]  # line, task or "", host or "", code


def read_exit_table(path: str, text: str, has_header: bool = False) -> Iterator[Event]:
    """Yield an event for each row; it captures `code`, `signal`, and the `task` or `host` that ended.

    `has_header`: it is a table of which only the header tells whether it states exit codes.
    """
    if text.lstrip()[:1] in ("{", "["):
        rows = _rows_from_json(text)
    else:
        rows = _rows_from_csv(text) or ([] if has_header else _rows_from_ranks(text) or _rows_from_lines(text))
    yield from _make_events(path, text, rows)


def read_rank_table(path: str, text: str) -> Iterator[Event]:
    """Yield an event for each row of a file in which every line gives a rank and its exit code, whatever its name."""
    yield from _make_events(path, text, _rows_from_ranks(text))


def _make_events(path: str, text: str, rows: Sequence[ExitRow]) -> Iterator[Event]:
    lines = text.splitlines()
    for line, task, host, code in rows[:_MAX_ROWS]:
        captures = {
            "code": str(code),
            **signal_captures(code),
            **{key: name for key, name in (("task", task), ("host", host)) if name},
        }
        yield Event(
            EXIT_OF_SIGNAL, Locus(path, line), lines[line - 1].strip()[:200], kind=Kind.ENVIRONMENT, captures=captures
        )


def signal_captures(code: int) -> dict[str, str]:
    """Return the capture `signal` for an exit code: a shell states 128 + n for signal n, Python's subprocess -n.

    -1 names no signal: many programs and tools say it for any error.
    """
    number = code - 128 if 128 < code < 160 else -code if -64 < code < -1 else 0
    return {"signal": str(number)} if number else {}


def _rows_from_ranks(text: str) -> list[ExitRow]:
    """Return the rows of a file in which every line has a rank, from 0 on, each once, and a code."""
    rows: list[ExitRow] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            words = [word for word in line.split() if not _is_clock(word)]
            parts = [part for word in words for part in re.split(r"[:=,;|]", word) if part.lower() not in _RANK_WORDS]
            numbers = [read_whole(part) for part in parts if part]
            if len(numbers) != 2 or len(rows) == _MAX_ROWS:
                return []
            rank, code = numbers
            if rank is None or code is None:
                return []
            rows.append((number, f"worker:{rank}", "", code))
    is_complete = {task for _, task, *_ in rows} == {f"worker:{rank}" for rank in range(len(rows))}
    codes = {code for *_, code in rows}
    return rows if len(codes) > 1 and max(codes) <= _MAX_CODE and is_complete else []


def _rows_from_lines(text: str) -> list[ExitRow]:
    """Return the rows of a file in which every line is one; lines with a name and a number occur in any log."""
    rows: list[ExitRow] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _ROW.match(line)
        if match is None:
            return []
        rows.append((number, *_classify_name(match["name"]), int(match["code"])))
    return rows


def _rows_from_csv(text: str) -> list[ExitRow]:
    lines = text.splitlines()
    delimiter = max(_DELIMITERS, key=lines[0].count) if lines else ","
    header = [_normalise_key(cell) for cell in _read_cells(lines[0], delimiter)] if lines else []
    signal_at = next((at for at, cell in enumerate(header) if cell in _SIGNAL_KEYS), None)
    code_at = next((at for at, cell in enumerate(header) if cell in _CODE_KEYS), None)
    if code_at is None or len(header) < 2:
        return []
    rows: list[ExitRow] = []
    for number, line in enumerate(lines[1:], 2):
        cells = dict(zip(header, _read_cells(line, delimiter), strict=False))
        code = _read_code(cells.get(header[code_at]))
        signal = _read_code(cells.get(header[signal_at])) if signal_at is not None else None
        code = code or (128 + signal if signal and signal > 0 else code)
        names = [cells[key].strip() for key in header if key in _TASK_KEYS | _HOST_KEYS and cells.get(key)]
        if code is not None and names:
            rows.append((number, *_classify_names(names), code))
    return rows


def _rows_from_json(text: str) -> list[ExitRow]:
    try:
        value = read_json(text)
    except MalformedError:
        return []
    rows: list[ExitRow] = []
    lines = _LineFinder(text)
    if isinstance(value, dict):
        for name, entry in value.items():
            code = _read_code(_first_value(entry, _CODE_KEYS)) if isinstance(entry, dict) else _read_code(entry)
            task_and_host = _classify_name(str(name))
            if code is not None and (isinstance(entry, dict) or task_and_host[0]):
                rows.append((lines.find_line(str(name)), *task_and_host, code))
    elif isinstance(value, list):
        for entry in (item for item in value if isinstance(item, dict)):
            names = [str(name) for keys in (_TASK_KEYS, _HOST_KEYS) if (name := _first_value(entry, keys))]
            code = _read_code(_first_value(entry, _CODE_KEYS))
            if code is not None and names:
                rows.append((lines.find_line(names[0]), *_classify_names(names), code))
    return rows


def _classify_names(names: list[str]) -> tuple[str, str]:
    classified = [_classify_name(name) for name in names]
    return next((task for task, _ in classified if task), ""), next((host for _, host in classified if host), "")


def _classify_name(name: str) -> tuple[str, str]:
    """Return (task, host), each "" if the name cannot be one. It may be both: the registry decides which it is."""
    task = task_of_label(name) or (read_task(name) if "/task:" in name else None)
    return task or "", name if task is None or not re.search("[:/]", name) else ""


def _first_value(entry: Mapping[str, object], keys: frozenset[str]) -> object:
    return next((value for key, value in entry.items() if _normalise_key(key) in keys), None)


def _normalise_key(text: str) -> str:
    return re.sub(r"[\W_]", "", text).lower()


def _read_code(value: object) -> int | None:
    code = read_whole(value) if isinstance(value, int | str) else None
    return code if code is not None and -64 < code < 256 else None


def _read_cells(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line; [] if it is no CSV."""
    try:
        return read_csv_row(line, delimiter)
    except MalformedError:
        return []


class _LineFinder:
    """Finds the lines of names in a JSON text.

    Names must be asked for in the order of the text: each search continues where the last one ended. Searches from the
    beginning would take quadratic time.
    """

    def __init__(self, text: str) -> None:
        self._text, self._at, self._line = text, 0, 1

    def find_line(self, name: str) -> int:
        """Return the line, counted from 1, of the next occurrence; the last line found if there is none."""
        at = self._text.find(json.dumps(name, ensure_ascii=False), self._at)
        if at >= 0:
            self._line += self._text.count("\n", self._at, at)
            self._at = at
        return self._line
