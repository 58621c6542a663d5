"""`tf-postmortem timeline`: the events of all nodes in one order, for people and for other tools."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
import typer

from analyzer.cli import _panels as panel
from analyzer.cli._config import Config, choose_packs
from analyzer.cli._inputs import check_anything_read, open_inputs
from analyzer.cli._outputs import write_target
from analyzer.cli._redaction import check_output, choose_incident_names, redact_incident
from analyzer.cli._redaction import redact_names as hide
from analyzer.cli._streams import console_stdout
from analyzer.cli._timeline_filters import compile_grep, select_named, select_near, select_nodes, select_severity
from analyzer.cli._timeline_writers import (
    MAX_TEXT_CHARS,
    drop_harmless_events,
    format_csv,
    format_json,
    format_jsonl,
    format_otel,
    format_text,
    leave_out_harmless,
)
from analyzer.cli.show import Redact, RedactWord
from analyzer.errors import AnalyzerError, UsageError
from analyzer.report.formatting import escape_json

if TYPE_CHECKING:
    import pandas as pd

    from analyzer.report.document import WrittenIncident
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
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT...",
            help="As for `analyze`, or one earlier report.",
            show_default=False,
            click_type=click.Path(),
        ),
    ],
    node: Annotated[
        list[str] | None, typer.Option(help="Only this node or task; repeatable.", rich_help_panel=panel.SELECTION)
    ] = None,
    signal: Annotated[
        list[str] | None, typer.Option(help="Only this signal; repeatable.", rich_help_panel=panel.SELECTION)
    ] = None,
    severity: Annotated[
        str | None,
        typer.Option(
            help="Only this severity and worse: debug, info, warning, error, fatal.", rich_help_panel=panel.SELECTION
        ),
    ] = None,
    grep: Annotated[
        str | None,
        typer.Option(
            metavar="RE", help="Only lines matching this regular expression.", rich_help_panel=panel.SELECTION
        ),
    ] = None,
    around: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Only events near this time: RFC 3339, or 07:38:01 in UTC.",
            rich_help_panel=panel.SELECTION,
        ),
    ] = None,
    window: Annotated[
        float,
        typer.Option(
            min=0, max=MAX_WINDOW_S, help="Seconds before and after --around.", rich_help_panel=panel.SELECTION
        ),
    ] = 30.0,
    noise: Annotated[
        bool,
        typer.Option(
            "--noise",
            help="Also show lines that are known to be harmless, and every event of a line that has several; "
            "in text, also every repetition of a line.",
            rich_help_panel=panel.SELECTION,
        ),
    ] = False,
    redact: Redact = False,
    config: Config = None,
    redact_word: RedactWord = None,
    form: Annotated[
        TimelineFormat,
        typer.Option(
            "--format", help="Output format; otel is OpenTelemetry, trace is Perfetto.", rich_help_panel=panel.OUTPUT
        ),
    ] = TimelineFormat.TEXT,
    json_file: Annotated[
        str | None,
        typer.Option(
            "--json",
            metavar="FILE",
            help="Write the events as one JSON array; - is standard output.",
            rich_help_panel=panel.OUTPUT,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Write to this file instead of standard output.", rich_help_panel=panel.OUTPUT
        ),
    ] = None,
) -> None:
    """Print the events of all nodes in corrected time."""
    if form is TimelineFormat.PARQUET and out is None:
        raise UsageError("--format parquet needs an output file", "add -o FILE")
    if json_file is not None and (out is not None or form is not TimelineFormat.TEXT):
        raise UsageError("--json cannot be combined with --format or -o", "leave out --format and -o")
    if math.isnan(window):
        raise UsageError("--window nan is not a number", "give seconds, as in --window 30")
    if redact_word and not redact:
        raise UsageError("--redact-word works only with --redact", "add --redact")
    matches, words = compile_grep(grep), tuple(redact_word or ())
    if form is TimelineFormat.TRACE and (node or signal or severity or grep or around):
        raise UsageError(
            "--format trace always writes the whole timeline", "select nodes and times in the viewer instead"
        )
    written, frame, user = _load(inputs, config, redact)
    harmless = {row.signal for row in written.noise} - set(signal or ())
    if form is TimelineFormat.TRACE:
        shown = written if noise else drop_harmless_events(written, harmless)
        _write_text(out, write_trace(shown, redact, words, user))
        return
    known_nodes = sorted({*frame["node"].dropna(), *(node.name for node in written.nodes)})
    if redact:
        frame = hide_names(frame, written, words, user)
        known_nodes = sorted(frame["node"].dropna().unique())
    if node:
        frame = select_nodes(frame, node, known_nodes)
    if signal:
        frame = select_named(frame, "signal", signal, sorted(frame["signal"].unique()))
    if severity:
        frame = select_severity(frame, severity)
    if matches:
        frame = frame[[matches(text) for text in frame["text"]]]
    if around:
        frame = select_near(frame, around, window)
    if not noise and (json_file is not None or form is not TimelineFormat.TEXT):
        frame = leave_out_harmless(frame, harmless)
    if json_file is not None:
        write_target(json_file, format_json(frame))
    elif form is TimelineFormat.PARQUET and out:
        _write_parquet(frame, out)
    elif form is TimelineFormat.TEXT:
        on_terminal = out is None and console_stdout().isatty()
        _write_text(out, format_text(frame, noise, MAX_TEXT_CHARS if on_terminal else None, harmless))
    else:
        _write_text(out, FRAME_WRITERS[form](frame))


def _load(inputs: Sequence[str], config: Path | None, redact: bool) -> tuple[WrittenIncident, pd.DataFrame, UserPacks]:
    """Return the incident of the inputs, its events, and the packs. One earlier report gives the events that it has."""
    from analyzer.pipeline import Options, analyze
    from analyzer.report.json import write_incident
    from analyzer.report.reader import is_report, read_incident
    from analyzer.timeline.dataframe import make_dataframe

    if len(inputs) == 1 and is_report(report := Path(inputs[0])):
        written = read_incident(report)
        from analyzer.report.event_table import make_event_table

        return written, make_event_table(written), choose_packs((), config, redact)
    user = choose_packs(inputs, config, redact)
    with open_inputs(inputs) as opened:
        incident = analyze(opened, Options(config=config))
    written = write_incident(incident)
    check_anything_read(written)
    return written, make_dataframe(incident), user


def write_trace(
    written: WrittenIncident, redact: bool, words: Sequence[str] = (), user: UserPacks | None = None
) -> str:
    """A Perfetto trace. Raises AnalyzerError where redaction would leave a name in it.

    `user`: as for `choose_names`.
    """
    from analyzer.report.trace import render_trace

    renaming = choose_incident_names(written, words, user_packs=user) if redact else None
    trace = render_trace(redact_incident(written, renaming))
    import json

    return check_output(escape_json(json.dumps(trace, ensure_ascii=False)) + "\n", renaming)


def hide_names(
    frame: pd.DataFrame, written: WrittenIncident, words: Sequence[str] = (), user: UserPacks | None = None
) -> pd.DataFrame:
    """With the stable names of a redacted report; events have more text here. Raises AnalyzerError if one is left.

    `user`: as for `choose_names`.
    """
    shown_texts = (*frame["text"], *frame["file"])
    renaming, hidden = choose_incident_names(written, words, shown_texts, user), frame.copy()
    for column in ("node", "task", "file", "text"):
        hidden[column] = hide([*frame[column]], renaming)
        check_output("\n".join(str(cell) for cell in hidden[column]), renaming)
    return hidden


FRAME_WRITERS: dict[TimelineFormat, Callable[[pd.DataFrame], str]] = {
    TimelineFormat.CSV: format_csv,
    TimelineFormat.JSONL: format_jsonl,
    TimelineFormat.OTEL: format_otel,
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
        raise AnalyzerError(
            "--format parquet needs the extra `parquet`",
            "pip install 'tf-postmortem[parquet]', or pipx inject tf-postmortem pyarrow",
        ) from None
    write_output_file(out, content)
