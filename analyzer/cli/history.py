"""`tf-postmortem history`: the incidents that `analyze --history DIR` stored, and the notes that people added."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli._outputs import write_target
from analyzer.cli._redaction import check_output, choose_names, redact_lines
from analyzer.cli._redaction import redact_names as hide
from analyzer.cli.show import Redact
from analyzer.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.history import HistoryStore, IncidentRecord
    from analyzer.redact.rename import Renaming

group = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Manage the history of earlier incidents: list, show, note, forget, report.",
)
HistoryFolder = Annotated[
    Path,
    typer.Option(
        "--history",
        metavar="DIR",
        envvar="TF_POSTMORTEM_HISTORY",
        help="The folder of the history, as for `analyze`.",
        show_default=False,
    ),
]
IncidentName = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="The number of an incident, or the first digits of a signature, which selects all incidents with it.",
    ),
]
LIST_HEAD = ["No.", "happened (UTC)", "signature", "cause", "node", "title"]
Json = Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")]


def add_to(app: typer.Typer) -> None:
    app.add_typer(group, name="history")


@group.command(name="list")
def list_(
    history: HistoryFolder,
    cause: Annotated[str | None, typer.Option(help="Only incidents of this cause.")] = None,
    node: Annotated[str | None, typer.Option(help="Only incidents of this node.")] = None,
    json_file: Json = None,
    redact: Redact = False,
) -> None:
    """List the incidents, one per line, oldest first."""
    from analyzer.history import open_store, write_record
    from analyzer.report.encode import to_plain

    with open_store(history, create=False) as store:
        _print_problem(store)
        records = [
            record for record in store.read_all() if cause in (None, record.cause) and node in (None, record.node)
        ]
    renaming = _choose_record_names(records) if redact else None
    if json_file is not None:
        _write_json(json_file, [to_plain(write_record(record)) for record in records], renaming)
        return
    rows = [list(redact_lines(map(_printable, _list_row(record)), renaming)) for record in records]
    sys.stdout.writelines(f"{line}\n" for line in _format_table([LIST_HEAD, *rows]))


def _list_row(record: IncidentRecord) -> list[str]:
    """Return the cells of `history list` for an incident."""
    tickets = " ".join(dict.fromkeys(note.ticket for note in record.notes if note.ticket))
    return [
        str(record.number),
        record.sort_time[:19],
        record.signatures.get("usual", "-"),
        record.cause or record.verdict,
        record.node or "-",
        " ".join(filter(None, (tickets, record.title))),
    ]


def _format_table(rows: list[list[str]]) -> Iterator[str]:
    """Yield aligned lines: the first column to the right, the last one without padding."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, *cells in rows:
        padded = (cell.ljust(width) for cell, width in zip(cells, widths[1:], strict=True))
        yield "  ".join((number.rjust(widths[0]), *padded)).rstrip()


@group.command()
def show(name: IncidentName, history: HistoryFolder, json_file: Json = None, redact: Redact = False) -> None:
    """Show everything stored about an incident, and similar incidents."""
    from analyzer.history import open_store, write_record
    from analyzer.report.encode import to_plain

    with open_store(history, create=False) as store:
        _print_problem(store)
        records = _find_records(store, name)
        similar = {record.number: store.find_similar(record) for record in records}
    renaming = _choose_record_names(records) if redact else None
    if json_file is not None:
        _write_json(json_file, [to_plain(write_record(record)) for record in records], renaming)
        return
    for record in records:
        lines = map(_printable, _describe_record(record, similar[record.number]))
        sys.stdout.writelines(f"{line}\n" for line in redact_lines(lines, renaming))


@group.command()
def note(
    name: IncidentName,
    history: HistoryFolder,
    text: Annotated[list[str] | None, typer.Argument(help="The text of the note.", show_default=False)] = None,
    ticket: Annotated[str, typer.Option(help="The ticket, such as OPS-41 or a URL.")] = "",
) -> None:
    """Attach a ticket, a note or both; reports of later similar incidents show them."""
    from analyzer.history import Note, open_store

    note_text = " ".join(text or ())
    if not (note_text or ticket):
        raise UsageError("the note is empty", "give a text, --ticket, or both")
    with open_store(history, create=False) as store:
        _print_problem(store)
        records = _find_records(store, name)
        now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        store.add_note([record.number for record in records], Note(now, ticket, note_text))
    sys.stderr.write(f"added the note to {_format_numbers(records)}\n")


@group.command()
def forget(name: IncidentName, history: HistoryFolder) -> None:
    """Remove incidents and their notes from the history."""
    from analyzer.history import open_store

    with open_store(history, create=False) as store:
        _print_problem(store)
        records = _find_records(store, name)
        store.delete([record.number for record in records])
    sys.stderr.write(f"forgotten: {_format_numbers(records)}\n")


@group.command()
def report(
    history: HistoryFolder,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Write the HTML page here; - is standard output.")
    ],
    redact: Redact = False,
) -> None:
    """Write a page of trends: causes over time, recurring nodes, racks and faults, time between failures."""
    from analyzer.history import open_store
    from analyzer.history.trends import find_trends
    from analyzer.history.trends_page import render_trends
    from analyzer.report.output_file import check_writable

    if output != "-":
        check_writable(Path(output))
    with open_store(history, create=False) as store:
        _print_problem(store)
        records = store.read_all()
    renaming = _choose_record_names(records) if redact else None
    page = render_trends(find_trends(_redact_record(record, renaming) for record in records))
    write_target(output, check_output(page, renaming))


def _redact_record(record: IncidentRecord, renaming: Renaming | None) -> IncidentRecord:
    """Return the record with its names replaced, those in its notes as well."""
    if renaming is None:
        return record
    hide_text = renaming.replace_names
    notes = (replace(note, ticket=hide_text(note.ticket), text=hide_text(note.text)) for note in record.notes)
    return replace(record, title=hide_text(record.title), node=hide_text(record.node), notes=tuple(notes))


def _find_records(store: HistoryStore, name: str) -> list[IncidentRecord]:
    records = store.find(name)
    if not records:
        raise UsageError(f"the history has no incident {name}", "`tf-postmortem history list` shows all incidents")
    return records


def _describe_record(record: IncidentRecord, similar: list[IncidentRecord]) -> Iterator[str]:
    yield f"{record.number}  {record.title}"
    facts = {
        "happened": record.happened or "time unknown",
        "analyzed": record.seen,
        "verdict": record.verdict,
        "cause": record.cause,
        "rule": record.rule,
        "node": record.node,
        "task": record.task,
        **{f"signature ({level})": value for level, value in record.signatures.items()},
    }
    yield from (f"  {key:<19} {value}" for key, value in facts.items() if value)
    yield from (f"  {note.at[:19]} {' '.join(filter(None, (note.ticket, note.text)))}" for note in record.notes)
    for level, value in record.signatures.items():
        alike = [
            candidate
            for candidate in similar
            if candidate.signatures.get(level) == value and candidate.number != record.number
        ]
        if alike:
            yield f"  similar ({level}): {_format_numbers(alike)}"


def _format_numbers(records: list[IncidentRecord]) -> str:
    shown = ", ".join(str(record.number) for record in records[:20])
    return f"incident {shown}" + (f" and {len(records) - 20} more" if len(records) > 20 else "")


def _print_problem(store: HistoryStore) -> None:
    if store.problem:
        sys.stderr.write(f"history: {store.problem}\n")


def _choose_record_names(records: list[IncidentRecord]) -> Renaming:
    """Return stable names for the nodes of the records and for the names in their titles and notes."""
    from analyzer.history import write_record
    from analyzer.report.encode import to_plain

    nodes = [{"name": record.node, "hosts": (), "addresses": (), "tasks": ()} for record in records if record.node]
    return choose_names({"nodes": nodes, "earlier": [to_plain(write_record(record)) for record in records]})


def _write_json(target: str, value: object, renaming: Renaming | None) -> None:
    text = check_output(json.dumps(hide(value, renaming), ensure_ascii=False, indent=1) + "\n", renaming)
    write_target(target, text)


def _printable(text: str) -> str:
    """Return the text without control characters, which must never reach the terminal, and at most 500 characters."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)[:500]
