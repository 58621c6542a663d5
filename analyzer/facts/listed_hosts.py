"""Names of machines in the tables that schedulers and cluster managers print.

ID        Node ID   Node Name  Task Group  Version  Desired  Status
a1f09c22  7b0e1d44  gx-4       trainer     12       run      failed

The head tells which column it is. Its cells begin or end where the head does. Beside a column of addresses the column
of names may be called just that (`consul members`, `ray list nodes`), and each row states whose address it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

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
_search_name_head = re.compile(r"(?:^|(?<=  ))(?P<head>NODE_NAME|Node Name|NAME|Name|Node)(?=  |[ \t\r]*$)").search
_WORDS = ("NODE", "Node", "HOST", "Host", "MACHINE", "Machine", "NAME", "Name")  # one of which each head has
_match_address = re.compile(r"(\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?").fullmatch
_find_cells = re.compile(r"\S+(?: \S+)*").finditer
_is_name = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,62}){0,8}").fullmatch


def read_listed_hosts(path: str, text: str) -> list[Event]:
    """Return an event for each machine that the tables of a small file list, without node and time.

    It captures the name and, if the row has one, the machine's address (`inet` and `host`).
    """
    if not any(word in text for word in _WORDS):
        return []
    names: dict[str, Event] = {}
    for number, captures, line in islice(_iterate_rows(text), MAX_ROWS):
        locus = Locus(path, number)
        event = Event(LISTED_HOST_SIGNAL, locus, line[:200], kind=Kind.ENVIRONMENT, captures=captures)
        names.setdefault(captures[HOST_CAPTURE], event)
    return list(names.values())


def _iterate_rows(text: str) -> Iterator[tuple[int, dict[str, str], str]]:
    """Yield number, captures and line of each row below a head. A table ends where a line has no cell in its column."""
    column: _Column | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if head := _find_column(line):
            column = head
        elif column is not None:
            cells = list(_find_cells(line[:MAX_HEAD_CHARS]))
            name = next((cell[0] for cell in cells if cell.start() == column.begin or cell.end() == column.end), None)
            if name is None:
                column = None
                continue
            address = next(filter(None, (_match_address(cell[0]) for cell in cells)), None)
            if _is_name(name) and (address or column.lists_machines):
                pair = {"inet": address[1], "host": name} if address and column.has_addresses else {}
                yield number, {HOST_CAPTURE: name, **pair}, line


class _Column(NamedTuple):
    """The column of names in a table.

    `lists_machines`: its head says so, whatever stands beside it. `has_addresses`: addresses in the table are theirs,
    not those of the pods or tasks that the table lists by name.
    """

    begin: int
    end: int
    lists_machines: bool
    has_addresses: bool


def _find_column(line: str) -> _Column | None:
    """Return the column of names if the line is the head of a table, else None."""
    if len(line) > MAX_HEAD_CHARS or any(map(str.isdigit, line)) or len(list(_find_cells(line))) < MIN_HEADS:
        return None
    named, listed = _search_name_head(line), _search_head(line)
    if listed:
        return _Column(*listed.span("head"), True, named is None or named.span() == listed.span())
    return _Column(*named.span("head"), False, True) if named else None
