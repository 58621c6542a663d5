"""`tf-postmortem timeline`: the events of all nodes in one order, for people and for other tools."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli._config import Config, choose_packs
from analyzer.cli._redaction import check_output, choose_incident_names, redact_incident
from analyzer.cli._redaction import redact_names as hide
from analyzer.cli.show import Redact, RedactWord
from analyzer.errors import AnalyzerError, UsageError
from analyzer.report.formatting import escape_json
from analyzer.wording import join_names

if TYPE_CHECKING:
    import pandas as pd

    from analyzer.incident import Incident
    from analyzer.rules.packs.user_packs import UserPacks


MAX_WINDOW_S = 1e9  # thirty years


class TimelineFormat(StrEnum):
    TEXT = "text"
    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    OTEL = "otel"
    TRACE = "trace"


def add_to(app: typer.Typer) -> None:
    app.command(name="timeline")(timeline)


def timeline(
    inputs: Annotated[list[str], typer.Argument(metavar="INPUT...", help="As for `analyze`.", show_default=False)],
    node: Annotated[list[str] | None, typer.Option(help="Only this node; repeatable.")] = None,
    grep: Annotated[str | None, typer.Option(metavar="RE", help="Only lines that this pattern matches.")] = None,
    around: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only events near this time: RFC 3339, or 07:38:01 in UTC.")
    ] = None,
    window: Annotated[float, typer.Option(min=0, max=MAX_WINDOW_S, help="Seconds before and after --around.")] = 30.0,
    redact: Redact = False,
    config: Config = None,
    redact_word: RedactWord = None,
    form: Annotated[
        TimelineFormat, typer.Option("--format", help="Output format; otel is OpenTelemetry, trace is Perfetto.")
    ] = TimelineFormat.TEXT,
    out: Annotated[Path | None, typer.Option("-o", "--output", help="Write here instead of standard output.")] = None,
) -> None:
    """Print the events of all nodes in corrected time."""
    from analyzer.bundle import parse_input
    from analyzer.pipeline import Options, analyze
    from analyzer.timeline.dataframe import make_dataframe

    if form is TimelineFormat.PARQUET and out is None:
        raise UsageError("--format parquet cannot be printed", "give -o FILE")
    if math.isnan(window):
        raise UsageError("--window nan is not a number", "give seconds, as in --window 30")
    if redact_word and not redact:
        raise UsageError("--redact-word works only with --redact", "add --redact")
    matches, words = _compile_grep(grep), tuple(redact_word or ())
    user = choose_packs(inputs, config, redact)
    incident = analyze([parse_input(one) for one in inputs], Options(config=config))
    if form is TimelineFormat.TRACE:
        if node or grep or around:
            raise UsageError(
                "--format trace always writes the whole timeline", "select nodes and times in the viewer instead"
            )
        _write_text(out, write_trace(incident, redact, words, user))
        return
    frame = hide_names(make_dataframe(incident), incident, words, user) if redact else make_dataframe(incident)
    if node:
        known = sorted({*frame["node"].dropna(), *(one.name for one in incident.nodes if not redact)})
        if strange := [name for name in node if name not in known]:
            raise UsageError(
                f"--node {strange[0]}: the bundle has no such node", f"its nodes are {join_names(known, 12)}"
            )
        frame = frame[frame["node"].isin(node)]
    if matches:
        frame = frame[[matches(text) for text in frame["text"]]]
    if around:
        frame = _select_near(frame, around, window)
    if form is TimelineFormat.PARQUET and out:
        _write_parquet(frame, out)
    else:
        _write_text(out, FRAME_WRITERS[form](frame))


def _compile_grep(grep: str | None) -> Callable[[str], bool] | None:
    import regex

    try:
        pattern = regex.compile(grep) if grep else None
    except regex.error as error:
        raise UsageError(f"--grep {grep!r} is not a valid pattern: {error}") from None

    def matches(text: str) -> bool:
        try:
            return pattern is not None and pattern.search(text, timeout=1.0) is not None
        except TimeoutError:
            raise UsageError(f"--grep {grep!r} takes more than a second on one line", "make it simpler") from None

    return matches if pattern else None


def _select_near(frame: pd.DataFrame, around: str, window: float) -> pd.DataFrame:
    """Return the events within `window` seconds of the time `around`. Events without a time are left out."""
    import pandas as pd

    times = frame["corrected"].dropna()
    day = times.iloc[0].strftime("%Y-%m-%dT") if len(times) and "-" not in around else ""
    span = pd.Timedelta(seconds=window)
    try:
        center = pd.Timestamp(day + around).as_unit("ns")
        center = center.tz_localize("UTC") if center.tzinfo is None else center.tz_convert("UTC")
        first, last = center - span, center + span
    except ValueError:  # also of a time before 1677 or after 2262
        raise UsageError(f"--around {around}: this is not a time", "give 2026-11-21T07:38:01Z or 07:38:01") from None
    return frame[frame["corrected"].between(first, last)]


def _format_text(frame: pd.DataFrame) -> str:
    import pandas as pd

    lines = []
    for row in frame.drop_duplicates(["file", "line"]).to_dict("records"):  # one line may be several signals
        time = "-" * 15 if row["corrected"] is pd.NaT else f"{row['corrected']:%H:%M:%S.%f}"
        node, text = _show_printable(row["node"] or "-"), _show_printable(row["text"])
        lines.append(f"{time}  {row['severity']:<7}  {node}  {row['file']}:{row['line']}  {text}\n")
    return "".join(lines)


def _format_csv(frame: pd.DataFrame) -> str:
    from analyzer.report.csv_cells import neutralize_formulas

    safe = frame.copy()
    for column in safe.select_dtypes(exclude=["number", "datetimetz", "bool"]):
        safe[column] = [neutralize_formulas(cell) if isinstance(cell, str) else cell for cell in safe[column]]
    return str(safe.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC))


def _format_jsonl(frame: pd.DataFrame) -> str:
    return str(frame.to_json(orient="records", lines=True, date_format="iso", date_unit="us"))


def _format_otel(frame: pd.DataFrame) -> str:
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


def write_trace(incident: Incident, redact: bool, words: Sequence[str] = (), user: UserPacks | None = None) -> str:
    """A Perfetto trace. Raises AnalyzerError where redaction would leave a name in it.

    `user`: as for `choose_names`.
    """
    from analyzer.report.json import write_incident
    from analyzer.report.trace import render_trace

    written = write_incident(incident)
    renaming = choose_incident_names(written, words, user_packs=user) if redact else None
    trace = render_trace(redact_incident(written, renaming))
    return check_output(escape_json(json.dumps(trace, ensure_ascii=False)) + "\n", renaming)


def hide_names(
    frame: pd.DataFrame, incident: Incident, words: Sequence[str] = (), user: UserPacks | None = None
) -> pd.DataFrame:
    """With the stable names of a redacted report; events have more text here. Raises AnalyzerError if one is left.

    `user`: as for `choose_names`.
    """
    from analyzer.report.json import write_incident

    shown_texts = (*frame["text"], *frame["file"])
    renaming, hidden = choose_incident_names(write_incident(incident), words, shown_texts, user), frame.copy()
    for column in ("node", "task", "file", "text"):
        hidden[column] = hide([*frame[column]], renaming)
        check_output("\n".join(str(cell) for cell in hidden[column]), renaming)
    return hidden


FRAME_WRITERS: dict[TimelineFormat, Callable[[pd.DataFrame], str]] = {
    TimelineFormat.TEXT: _format_text,
    TimelineFormat.CSV: _format_csv,
    TimelineFormat.JSONL: _format_jsonl,
    TimelineFormat.OTEL: _format_otel,
}


def _write_text(out: Path | None, text: str) -> None:
    if out is None:
        sys.stdout.write(text)
        return
    from analyzer.report.output_file import write_output_file

    write_output_file(out, text)


def _write_parquet(frame: pd.DataFrame, out: Path) -> None:
    from analyzer.report.output_file import write_output_file

    try:
        content = frame.to_parquet(None, index=False)
    except ImportError:
        raise AnalyzerError("--format parquet needs pyarrow", "pip install pyarrow") from None
    write_output_file(out, content)


def _show_printable(text: str) -> str:
    """Control characters never reach the terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)[:300]
