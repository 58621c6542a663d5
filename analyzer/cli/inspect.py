"""`tf-postmortem inspect`: what a bundle holds, without a verdict."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import click
import typer

from analyzer.cli._config import Config, choose_packs
from analyzer.cli._inputs import check_anything_read, open_inputs
from analyzer.cli._outputs import write_target
from analyzer.cli._redaction import check_output, choose_incident_names, redact_incident
from analyzer.cli.show import Redact

if TYPE_CHECKING:
    from analyzer.redact.rename import Renaming
    from analyzer.report.document import WrittenClock, WrittenIncident


def add_to(app: typer.Typer) -> None:
    app.command(name="inspect")(inspect)


def inspect(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT...",
            help="As for `analyze`.",
            show_default=False,
            click_type=click.Path(),
        ),
    ],
    config: Config = None,
    redact: Redact = False,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")
    ] = None,
) -> None:
    """List the files and how each was read, the nodes with their tasks and clocks, and what is missing."""
    from analyzer.pipeline import Options, analyze
    from analyzer.report.json import write_incident

    user_packs = choose_packs(inputs, config, redact)
    with open_inputs(inputs) as opened:
        incident = write_incident(analyze(opened, Options(config=config)))
    renaming = choose_incident_names(incident, user_packs=user_packs) if redact else None
    incident = redact_incident(incident, renaming)
    if json_file is None:
        sys.stdout.write(check_output("\n".join(_describe_bundle(incident)) + "\n", renaming))
    else:
        _write_json(json_file, incident, renaming)
    check_anything_read(incident)


def _write_json(target: str, incident: WrittenIncident, renaming: Renaming | None) -> None:
    from analyzer.report.formatting import write_json

    parts = {"nodes": incident.nodes, "sources": incident.sources, "notes": incident.notes}
    write_target(target, check_output("".join((*write_json(parts), "\n")), renaming))


def _describe_bundle(incident: WrittenIncident) -> Iterator[str]:
    yield from _table(
        "node",
        ["node", "tasks", "clock ahead by", "first line", "last line", ""],
        [
            [
                node.name,
                " ".join(node.tasks) or "-",
                _format_clock(node.clock),
                node.first_time or "-",
                node.last_time or "-",
                "" if node.present else "no files in the bundle",
            ]
            for node in incident.nodes
        ],
    )
    yield ""
    if incident.nodes:
        yield from _describe_identities(incident)
        yield ""
    yield from _table(
        "file",
        ["file", "node", "kind", "bytes", "lines", "with time", "status"],
        [
            [
                source.file,
                source.node or "-",
                source.kind,
                str(source.bytes),
                str(source.lines),
                str(source.timed_lines),
                source.status + (f": {source.problem}" if source.problem else ""),
            ]
            for source in incident.sources
        ],
    )
    for note in incident.notes:
        yield f"note: {note}"


def _describe_identities(incident: WrittenIncident) -> Iterator[str]:
    """Yield all names of each node, the claim that decided the one that is shown, and what contradicts it."""
    yield "names of each node"
    for node in incident.nodes:
        others = [name for name in (*node.names, *node.addresses, *node.tasks) if name != node.name]
        yield f"  {node.name}{', also ' + ', '.join(others) if others else ''}"
        if node.named_by:
            yield f"    {node.named_by}"
    for conflict in incident.identity_conflicts:
        yield f"  conflict: {conflict}"


def _format_clock(clock: WrittenClock) -> str:
    return "unknown" if clock.error_s is None else f"{round(clock.offset_s, 3) + 0.0:+.3f} s ± {clock.error_s:.3f} s"


def _table(name: str, head: list[str], rows: list[list[str]]) -> Iterator[str]:
    from analyzer.report.formatting import plural

    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    yield plural(len(rows), name)
    for row in [head, *rows]:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
