"""Sort the records of an export by time if it lists the newest record first.

Log services answer a search with the newest record first (Kibana, Splunk, CloudWatch Logs Insights, Graylog, `logcli
query`, `gcloud logging read`). A traceback of several records is then upside down. Records of the same time may have
either order: some services sort them stably, others reverse the complete result. A document may also list the records
of each stream separately, in either order.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise

from analyzer.formats import read_line
from analyzer.formats.records.head_lines import head_segments
from analyzer.model import Line

MAX_SORTED_BYTES = 64 << 20  # of an export; a larger one is not sorted
MIN_DESCENTS = 3  # decreases of time between records: fewer prove nothing
MIN_DESCENT_SHARE = 0.9  # of all changes of time
MAX_PROBED_RECORDS = 400
MAX_LINES_TO_RECORD = 3  # a header may be before the first one
_match_frame = re.compile(r' *File "[^"]*", line \d').match

Record = tuple[int, bytes, Line]  # index of the line in the file, text, the text's prefixes
LineOrder = Sequence[int]  # line number in the file for each line of the sorted text; empty: all are the same


def is_newest_first(head: bytes) -> bool:
    """Return whether the time of the first records nearly always decreases from one record of a writer to its next.

    Records of writers with different clocks are in the order in which a shipper read them.
    """
    segments = [segment for segment in head_segments(head) if segment][:MAX_PROBED_RECORDS]
    first = next(iter(_times(segments[:MAX_LINES_TO_RECORD])), None)
    if first is None:
        return False
    last = next(((at, time) for at in reversed(range(len(segments))) for time in _times(segments[at : at + 1])), None)
    if last is None or first <= last[1]:
        return False  # nearly all files, after two lines
    probed = segments[: last[0] + 1]  # the last record may be truncated
    max_others = (1 - MIN_DESCENT_SHARE) * len(probed) + 1
    untimed = descents = ascents = 0
    before: dict[tuple[str | None, str], float] = {}  # writer → the time of its last record
    for line in map(_read, probed):
        if (time := _time_of(line)) is None:
            untimed += 1
        else:
            writer = line.host, line.stream
            descents += time < before.get(writer, time)
            ascents += time > before.get(writer, time)
            before[writer] = time
        if max(untimed, ascents) > max_others:
            return False  # before the other records are read
    is_stamped = len(probed) - untimed >= MIN_DESCENT_SHARE * len(probed)
    return is_stamped and descents >= max(MIN_DESCENTS, MIN_DESCENT_SHARE * (descents + ascents))


def _times(segments: Sequence[bytes]) -> list[float]:
    return [time for segment in segments if (time := _time_of(_read(segment))) is not None]


def _read(segment: bytes) -> Line:
    return read_line(segment[:1024].decode("utf-8", "replace"))


def _time_of(line: Line) -> float | None:
    """Return the outermost time of the record, by which the export is sorted."""
    return line.stamps[0].value if line.stamps else None


class OldestFirstSorter:
    """A `LineConverter` that holds back the complete export and returns it in the order of time.

    `line_order` is complete after `finish`. It is empty if the order did not change.
    """

    name = "newest-first"

    def __init__(self) -> None:
        self.line_order: LineOrder = ()
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._is_too_large = False

    def convert(self, lines: bytes) -> bytes:
        if self._is_too_large:
            return lines
        self._held.append(lines)
        self._held_bytes += len(lines)
        if self._held_bytes <= MAX_SORTED_BYTES:
            return b""
        self._is_too_large = True
        held, self._held = b"".join(self._held), []
        return held

    def finish(self) -> bytes:
        if not self._held:
            return b""
        text, self._held = b"".join(self._held), []
        end = b"\n" if text.endswith(b"\n") else b""
        lines = text.removesuffix(b"\n").split(b"\n")
        if len(lines) == 1:  # an array on one line: its records are segments of it
            return b"\r".join(text for _, text, _ in _sort_records(_read_records(lines[0].split(b"\r")))) + end
        records = _sort_records(_read_records(lines))
        self.line_order = array("I", (index + 1 for index, _, _ in records))
        return b"\n".join(text for _, text, _ in records) + end

    def note(self) -> str:
        if self._is_too_large:
            limit = f"{MAX_SORTED_BYTES >> 20} MiB"
            return f"The records are not in order of time; only exports of up to {limit} are sorted."
        return "The records were sorted by time; the file has them in another order, usually the newest first."


def _read_records(texts: Sequence[bytes]) -> list[Record]:
    return [(index, text, _read(text)) for index, text in enumerate(texts)]


def _sort_records(records: Sequence[Record]) -> list[Record]:
    """Return the records, the oldest first, and records of the same time in the order in which they were written."""
    groups = list(_group_by_time(records))
    times = [_time_of(group[0][2]) for group in groups]
    changes = [after - before for before, after in pairwise(times) if before is not None and after is not None]
    is_falling = 2 * sum(change < 0 for change in changes) >= len(changes)
    ordered = list(zip(times, groups, strict=True))
    if is_falling:
        keep_ties = _are_ties_in_order(groups)
        ordered = [(time, group if keep_ties else group[::-1]) for time, group in reversed(ordered)]
    if len({line.stamps[0].basis for _, _, line in records if line.stamps}) == 1:
        ordered.sort(key=lambda entry: -math.inf if entry[0] is None else entry[0])
    return [record for _, group in ordered for record in group]


def _group_by_time(records: Sequence[Record]) -> Iterator[list[Record]]:
    """Yield runs of records of the same time. A text without a time belongs to the record before it."""
    group: list[Record] = []
    group_time: float | None = None
    for record in records:
        time = _time_of(record[2])
        if group and time is not None and time != group_time:
            yield group
            group = []
        group_time = group_time if time is None else time
        group.append(record)
    if group:
        yield group


def _are_ties_in_order(groups: Sequence[Sequence[Record]]) -> bool:
    """Return whether records of the same time are in the order of writing: in tracebacks, a frame
    precedes its source.
    """
    in_order = reversed_order = 0
    for group in groups:
        lines = [line for _, text, line in group if text]
        for first, second in pairwise(lines):
            if first.stream == second.stream:
                in_order += _is_frame_with_source(first.message, second.message)
                reversed_order += _is_frame_with_source(second.message, first.message)
    return in_order > reversed_order


def _is_frame_with_source(frame: str, source: str) -> bool:
    return source.startswith("    ") and not _match_frame(source) and _match_frame(frame) is not None
