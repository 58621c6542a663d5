"""Tasks by which programs name themselves behind a logging prefix.

2026-11-21 05:10:09,123 [INFO] worker-1 train: step 3
2026-11-21 05:10:09,123 INFO [ps:0] serving

Such a name stands in every line that the program's logger writes, at the same place. A name that only some of them
begin with is somebody else's: the leader logs `worker-1: heartbeat lost` as well. The lines of one logger have the
same prefixes, those of libraries may have others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from analyzer.model import Event, Kind, Line, Locus

OWN_TASK_SIGNAL = "file.own_task"  # feeds `identity`
MIN_SHARE = 0.9  # of the stream's lines with the same prefixes
MIN_BARE_LINES = 3  # if nothing but a colon follows the name
MAX_STREAMS = 1000
_OWN_NAME = re.compile(
    r"(?P<open>[\[(<])?(?P<job>chief|master|worker|ps|evaluator|trainer|dispatcher)[-:_/. ]?(?P<index>\d{1,5})"
    r"(?:(?(open)[\])>]|(?= [A-Za-z_][\w.]{0,60}:(?: |$)))(?P<sure>)|(?=:? |\]))",
    re.I,
).match
_is_source_place = re.compile(r"\.(?:cc|cpp|h|cu|c|py):\d+$").search  # the logger of a C++ line, or of absl in Python


class OwnNames:
    """Counts, for each stream and kind of prefixes, the task names that stand first in logged messages."""

    def __init__(self) -> None:
        self._names: dict[str, dict[tuple[str, ...], Counter[tuple[str, bool] | None]]] = {}

    def note_line(self, line: Line) -> None:
        """Note a line whose prefixes have been read."""
        if line.severity is None or not line.stamps or (line.logger and _is_source_place(line.logger)):
            return
        if line.stream not in self._names and len(self._names) >= MAX_STREAMS:
            return
        match = _OWN_NAME(line.message)
        name = (f"{match['job'].lower()}:{int(match['index'])}", match["sure"] is not None) if match else None
        self._names.setdefault(line.stream, {}).setdefault(line.formats, Counter())[name] += 1

    def make_facts(self, file: str) -> Iterator[Event]:
        """Yield a fact for each stream of the file whose loggers name one task nearly always."""
        for stream, by_format in self._names.items():
            names = Counter(dict(filter(None, map(_own_name, by_format.values()))))
            if len(names) == 1:
                [(task, count)] = names.items()
                text = f"{count} logged lines begin with the name {task}"
                captures = {"task": task}
                yield Event(OWN_TASK_SIGNAL, Locus(file, 1), text, kind=Kind.WORKER, stream=stream, captures=captures)


def _own_name(names: Counter[tuple[str, bool] | None]) -> tuple[str, int] | None:
    """Return the task that nearly all lines with the same prefixes name, and their number; None if there is none."""
    name, count = names.most_common(1)[0]
    if name is None or count < MIN_SHARE * names.total():
        return None
    task, is_sure = name
    return (task, count) if is_sure or count >= MIN_BARE_LINES else None
