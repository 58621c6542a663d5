"""`tf-postmortem timeline`: the events of all nodes in one order, for people and for other tools."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Format(StrEnum):
    TEXT = "text"
    CSV = "csv"
    JSONL = "jsonl"


def add_to(app: typer.Typer) -> None:
    app.command(name="timeline")(timeline)


def timeline(
    inputs: Annotated[list[Path], typer.Argument(help="As for analyze.", show_default=False)],
    node: Annotated[list[str] | None, typer.Option(help="Only this node; may be given again.")] = None,
    grep: Annotated[str | None, typer.Option(metavar="RE", help="Only lines that this pattern matches.")] = None,
    form: Annotated[Format, typer.Option("--format", help="text, csv or jsonl.")] = Format.TEXT,
) -> None:
    """Print what happened on all nodes in corrected time."""
    import pandas as pd
    import regex

    from analyzer.errors import UsageError
    from analyzer.pipeline import analyze
    from analyzer.timeline.frame import make_frame

    try:
        pattern = regex.compile(grep) if grep else None
    except regex.error as error:
        raise UsageError(f"--grep {grep!r} is no valid pattern: {error}") from None
    frame = make_frame(analyze(inputs))
    if node:
        frame = frame[frame["node"].isin(node)]
    if pattern:
        frame = frame[[pattern.search(text) is not None for text in frame["text"]]]
    if form is Format.CSV:
        sys.stdout.write(frame.to_csv(index=False))
    elif form is Format.JSONL:
        sys.stdout.write(frame.to_json(orient="records", lines=True, date_format="iso", date_unit="us"))
    else:
        for row in frame.to_dict("records"):
            time = "-" * 15 if row["corrected"] is pd.NaT else f"{row['corrected']:%H:%M:%S.%f}"
            place = f"{row['file']}:{row['line']}"
            sys.stdout.write(f"{time}  {row['severity']:<7}  {row['node'] or '-'}  {place}  {_plain(row['text'])}\n")


def _plain(text: str) -> str:
    """Control characters never reach the terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)[:300]
