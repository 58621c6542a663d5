"""`tf-postmortem inspect`: what a bundle holds, before any verdict."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from analyzer.cli._config import Config, choose_packs
from analyzer.cli._redaction import check, choose_names
from analyzer.cli._redaction import redact as hide
from analyzer.cli.show import Redact


def add_to(app: typer.Typer) -> None:
    app.command(name="inspect")(inspect)


def inspect(
    inputs: Annotated[list[str], typer.Argument(metavar="INPUT...", help="As for analyze.", show_default=False)],
    config: Config = None,
    redact: Redact = False,
) -> None:
    """List the files, what each was read as, the nodes with their tasks and clocks, and what is missing."""
    from analyzer.bundle import parse_input
    from analyzer.pipeline import Options, analyze
    from analyzer.report.json import to_json

    user = choose_packs(inputs, config, redact)
    incident = to_json(analyze([parse_input(one) for one in inputs], Options(config=config)))
    renaming = choose_names(incident, user=user) if redact else None
    sys.stdout.write(check("\n".join(_describe(hide(incident, renaming))) + "\n", renaming))


def _describe(incident: Mapping[str, Any]) -> Iterator[str]:
    yield from _table(
        "node",
        ["node", "tasks", "clock ahead by", "first line", "last line", ""],
        [
            [
                n["name"],
                " ".join(n["tasks"]) or "-",
                _clock(n["clock"]),
                n["first_time"] or "-",
                n["last_time"] or "-",
                "" if n["present"] else "nothing of it is in the bundle",
            ]
            for n in incident["nodes"]
        ],
    )
    yield ""
    yield from _table(
        "file",
        ["file", "node", "kind", "bytes", "lines", "with time", "status"],
        [
            [
                s["file"],
                s["node"] or "-",
                s["kind"],
                str(s["bytes"]),
                str(s["lines"]),
                str(s["timed_lines"]),
                s["status"] + (f": {s['problem']}" if s["problem"] else ""),
            ]
            for s in incident["sources"]
        ],
    )
    for note in incident["notes"]:
        yield f"note: {note}"


def _clock(clock: Mapping[str, Any]) -> str:
    return (
        "unknown"
        if clock["error_s"] is None
        else f"{round(clock['offset_s'], 3) + 0.0:+.3f} s ± {clock['error_s']:.3f} s"
    )


def _table(name: str, head: list[str], rows: list[list[str]]) -> Iterator[str]:
    from analyzer.report.wording import plural

    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    yield plural(len(rows), name)
    for row in [head, *rows]:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
