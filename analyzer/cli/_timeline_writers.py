"""The events of `timeline` as text, CSV, JSON and OpenTelemetry. No command of its own."""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from analyzer.report.formatting import clip, escape_json, plural

if TYPE_CHECKING:
    import pandas as pd

    from analyzer.report.document import WrittenIncident

MAX_REPEATS = 5  # lines of one signal of low severity that a node shows without --noise
MAX_TEXT_CHARS = 300  # characters of a line on a terminal
QUIET_SEVERITIES = frozenset({"debug", "info"})


def format_text(frame: pd.DataFrame, with_noise: bool, width: int | None, harmless: Collection[str] = ()) -> str:
    """Return one line for each line of a log. `width`: characters of a log line that are shown; None: all of them.

    Times have as many digits as the stamps of their lines. Without `with_noise`, lines of low severity of `harmless`
    signals are left out, and another signal of low severity that a node repeats is shown MAX_REPEATS times. The last
    lines count what is left out.
    """
    import pandas as pd

    all_rows = frame.drop_duplicates(["file", "line"])  # one line may be several signals
    rows = all_rows if with_noise else leave_out_harmless(frame, harmless)
    digits = {file: _count_digits(times) for file, times in rows.groupby("file")["time"]}
    lines, shown, hidden = list[str](), dict[tuple[str, str], int](), dict[tuple[str, str], int]()
    for row in rows.to_dict("records"):
        key = (row["node"] or "-", row["signal"])
        shown[key] = shown.get(key, 0) + 1
        if not with_noise and shown[key] > MAX_REPEATS and row["severity"] in QUIET_SEVERITIES:
            hidden[key] = hidden.get(key, 0) + 1
            continue
        grain = _count_digits_of(row["time"]) or digits[row["file"]]
        time = "-" * 15 if row["corrected"] is pd.NaT else _format_time(row["corrected"], grain)
        text = _show_printable(row["text"])
        lines.append(
            f"{time:<15}  {row['severity']:<7}  {_show_printable(key[0])}  {row['file']}:{row['line']}  "
            f"{clip(text, width) if width else text}\n"
        )
    if left_out := len(all_rows) - len(rows):
        lines.append(_note_left_out(left_out, plural(left_out, "harmless line")))
    lines += [
        _note_left_out(count, f"{plural(count, 'more line')} of {signal} on {_show_printable(node)}")
        for (node, signal), count in sorted(hidden.items(), key=lambda item: -item[1])
    ]
    return "".join(lines)


def _note_left_out(count: int, which: str) -> str:
    return f"{which} {'is' if count == 1 else 'are'} left out; --noise shows {'it' if count == 1 else 'them'}\n"


def leave_out_harmless(frame: pd.DataFrame, harmless: Collection[str]) -> pd.DataFrame:
    """Return one row for each line, without the lines of low severity of `harmless` signals."""
    import pandas as pd

    is_harmless = frame["signal"].isin(list(harmless)) & frame["severity"].isin(QUIET_SEVERITIES)
    lines_of = pd.MultiIndex.from_frame(frame.loc[is_harmless, ["file", "line"]])
    rows = frame.drop_duplicates(["file", "line"])
    return rows[~pd.MultiIndex.from_frame(rows[["file", "line"]]).isin(lines_of)]


def drop_harmless_events(incident: WrittenIncident, harmless: Collection[str]) -> WrittenIncident:
    """Return an incident whose timeline lacks the lines of low severity of `harmless` signals."""
    events = incident.timeline.events
    lines = {
        (event.file, event.line) for event in events if event.signal in harmless and event.severity in QUIET_SEVERITIES
    }
    shown = [event for event in events if (event.file, event.line) not in lines]
    return replace(incident, timeline=replace(incident.timeline, events=shown))


def _count_digits(times: pd.Series[pd.Timestamp]) -> int:
    """Return how many digits of a second the coarsest stamps of a file have that state any: 0, 3 or 6."""
    return min(filter(None, map(_count_digits_of, times.dropna())), default=0)


def _count_digits_of(stamp: pd.Timestamp) -> int:
    """Return how many digits of a second a stamp needs: 0, 3 or 6. A whole second says nothing of its form."""
    micros = stamp.microsecond
    return 0 if not micros or micros != micros else 6 if micros % 1000 else 3  # NaT has NaN microseconds


def _format_time(time: pd.Timestamp, digits: int) -> str:
    rounded = time.round({0: "s", 3: "ms", 6: "us"}[digits])
    return f"{rounded:%H:%M:%S}" + (f".{rounded.microsecond:06d}"[: digits + 1] if digits else "")


def format_csv(frame: pd.DataFrame) -> str:
    from analyzer.report.csv_cells import neutralize_formulas

    safe = frame.copy()
    for column in safe.select_dtypes(exclude=["number", "datetimetz", "bool"]):
        safe[column] = [neutralize_formulas(cell) if isinstance(cell, str) else cell for cell in safe[column]]
    return str(safe.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC))


def format_jsonl(frame: pd.DataFrame) -> str:
    return str(frame.to_json(orient="records", lines=True, date_format="iso", date_unit="us"))


def format_otel(frame: pd.DataFrame) -> str:
    from analyzer.report.otel import write_otel

    return "".join(f"{escape_json(line)}\n" for line in write_otel(_to_nanoseconds(frame)))


def _to_nanoseconds(frame: pd.DataFrame) -> Sequence[Mapping[str, object]]:
    import pandas as pd

    return [
        {
            str(key): None if value is pd.NaT or value is pd.NA else getattr(value, "value", value)
            for key, value in row.items()
        }
        for row in frame.to_dict("records")
    ]


def format_json(frame: pd.DataFrame) -> str:
    """Return one array of objects."""
    return escape_json(str(frame.to_json(orient="records", date_format="iso", date_unit="us", indent=1))) + "\n"


def _show_printable(text: str) -> str:
    """Control characters never reach the terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
