"""Names of machines in the tables that schedulers and cluster managers print.

ID        Node ID   Node Name  Task Group  Version  Desired  Status
a1f09c22  7b0e1d44  gx-4       trainer     12       run      failed

The head tells which column it is. Its cells begin or end where the head does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from analyzer.model import Event, Kind, Locus

LISTED_HOST_SIGNAL = "file.listed_host"  # a table has the name in its column of machines
HOST_CAPTURE = "listed"
MIN_HEADS = 3
MAX_HEAD_CHARS = 400
MAX_ROWS = 20_000
# nomad; docker service ps, kubectl get pods -o wide; squeue; bjobs, bhosts and lsload; qhost
_HEAD = (
    r"(?:NODE|Node)(?:[ _]?N(?:AME|ame))?|NODELIST(?:\(REASON\))?|(?:EXEC_)?HOST(?:_?NAME)?|Host(?:[nN]ame)?"
    r"|MACHINE|Machine"
)
_search_head = re.compile(rf"(?m)(?:^|(?<=  ))(?P<head>{_HEAD})(?=  |[ \t\r]*$)").search
_WORDS = ("NODE", "Node", "HOST", "Host", "MACHINE", "Machine")  # one of which each head has
_find_cells = re.compile(r"\S+(?: \S+)*").finditer
_is_name = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,62}){0,8}").fullmatch


def read_listed_hosts(path: str, text: str) -> list[Event]:
    """Return an event for each machine that the tables of a small file list, without node and time."""
    if not any(word in text for word in _WORDS) or not _search_head(text):
        return []
    names: dict[str, Event] = {}
    for number, name, line in islice(_iterate_cells(text), MAX_ROWS):
        locus = Locus(path, number)
        event = Event(LISTED_HOST_SIGNAL, locus, line[:200], kind=Kind.ENVIRONMENT, captures={HOST_CAPTURE: name})
        names.setdefault(name, event)
    return list(names.values())


def _iterate_cells(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield number, cell and line of each row below a head. A table ends where a line has no such cell."""
    column: tuple[int, int] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if head := _find_column(line):
            column = head
        elif column is not None:
            begin, end = column
            cells = (cell for cell in _find_cells(line[:MAX_HEAD_CHARS]) if cell.start() == begin or cell.end() == end)
            if (cell := next(cells, None)) is None:
                column = None
            elif _is_name(cell[0]):
                yield number, cell[0], line


def _find_column(line: str) -> tuple[int, int] | None:
    """Return where the column of machines begins and ends, if the line is the head of a table; else None."""
    if len(line) > MAX_HEAD_CHARS or not (match := _search_head(line)):
        return None
    heads = list(_find_cells(line))
    return match.span("head") if len(heads) >= MIN_HEADS and not any(char.isdigit() for char in line) else None
