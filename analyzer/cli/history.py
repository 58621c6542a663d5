"""`tf-postmortem history`: the incidents that `analyze --history DIR` remembers, and what people know of them."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli._redaction import check, choose_names, redact_lines
from analyzer.cli._redaction import redact as hide
from analyzer.cli.show import Redact
from analyzer.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analyzer.history import Record, Store
    from analyzer.redact.rename import Renaming

group = typer.Typer(no_args_is_help=True, help="Incidents that were seen before: list, show, note, forget.")
Folder = Annotated[
    Path,
    typer.Option(
        "--history", metavar="DIR", envvar="TF_POSTMORTEM_HISTORY", help="As for analyze.", show_default=False
    ),
]
Name = Annotated[
    str,
    typer.Argument(metavar="ID", help="An incident's number, or the first digits of a signature: all that have it."),
]
Json = Annotated[str | None, typer.Option("--json", metavar="FILE", help="As JSON; - is standard output.")]


def add_to(app: typer.Typer) -> None:
    app.add_typer(group, name="history")


@group.command(name="list")
def list_(
    history: Folder,
    cause: Annotated[str | None, typer.Option(help="Only incidents of this cause.")] = None,
    node: Annotated[str | None, typer.Option(help="Only incidents of this node.")] = None,
    json_file: Json = None,
    redact: Redact = False,
) -> None:
    """One line an incident, the oldest first."""
    from analyzer.history import brief, open_store

    with open_store(history, create=False) as store:
        _warn(store)
        found = [one for one in store.all() if cause in (None, one.cause) and node in (None, one.node)]
    renaming = _choose(found) if redact else None
    if json_file is not None:
        _write(json_file, [brief(one) for one in found], renaming)
        return
    for one in found:
        tickets = " ".join(dict.fromkeys(note.ticket for note in one.notes if note.ticket))
        words = (
            f"{one.number:>4}",
            f"{one.when[:19]:<19}",
            one.signatures.get("usual", "-" * 16),
            f"{one.cause or one.verdict:<30}",
            f"{one.node or '-':<20}",
            tickets,
        )
        sys.stdout.writelines(f"{line}\n" for line in redact_lines([_plain("  ".join(words)).rstrip()], renaming))


@group.command()
def show(name: Name, history: Folder, json_file: Json = None, redact: Redact = False) -> None:
    """All that is known of an incident, and which others are like it."""
    from analyzer.history import brief, open_store

    with open_store(history, create=False) as store:
        _warn(store)
        found = _find(store, name)
        others = {one.number: store.alike(one) for one in found}
    renaming = _choose(found) if redact else None
    if json_file is not None:
        _write(json_file, [brief(one) for one in found], renaming)
        return
    for one in found:
        lines = map(_plain, _describe(one, others[one.number]))
        sys.stdout.writelines(f"{line}\n" for line in redact_lines(lines, renaming))


@group.command()
def note(
    name: Name,
    history: Folder,
    text: Annotated[list[str] | None, typer.Argument(help="What you know of it.", show_default=False)] = None,
    ticket: Annotated[str, typer.Option(help="Where it is dealt with, such as OPS-41 or an URL.")] = "",
) -> None:
    """Attach a ticket, a note or both; later incidents like it will say so."""
    from analyzer.history import Note, open_store

    said = " ".join(text or ())
    if not (said or ticket):
        raise UsageError("there is nothing to note", "give a text, --ticket, or both")
    with open_store(history, create=False) as store:
        _warn(store)
        found = _find(store, name)
        now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        store.note([one.number for one in found], Note(now, ticket, said))
    sys.stderr.write(f"noted for {_numbers(found)}\n")


@group.command()
def forget(name: Name, history: Folder) -> None:
    """Take incidents and their notes out of the history."""
    from analyzer.history import open_store

    with open_store(history, create=False) as store:
        _warn(store)
        found = _find(store, name)
        store.forget([one.number for one in found])
    sys.stderr.write(f"forgotten: {_numbers(found)}\n")


def _find(store: Store, name: str) -> list[Record]:
    found = store.find(name)
    if not found:
        raise UsageError(f"the history knows no incident {name}", "`tf-postmortem history list` names them all")
    return found


def _describe(one: Record, others: list[Record]) -> Iterator[str]:
    yield f"{one.number}  {one.title}"
    facts = {
        "happened": one.happened or "no time known",
        "analyzed": one.seen,
        "verdict": one.verdict,
        "cause": one.cause,
        "rule": one.rule,
        "node": one.node,
        "task": one.task,
        **{f"signature ({level})": value for level, value in one.signatures.items()},
    }
    yield from (f"  {key:<19} {value}" for key, value in facts.items() if value)
    yield from (f"  {note.at[:19]} {' '.join(filter(None, (note.ticket, note.text)))}" for note in one.notes)
    for level, value in one.signatures.items():
        alike = [other for other in others if other.signatures.get(level) == value and other.number != one.number]
        if alike:
            yield f"  alike ({level}): {_numbers(alike)}"


def _numbers(records: list[Record]) -> str:
    shown = ", ".join(str(record.number) for record in records[:20])
    return f"incident {shown}" + (f" and {len(records) - 20} more" if len(records) > 20 else "")


def _warn(store: Store) -> None:
    if store.problem:
        sys.stderr.write(f"history: {store.problem}\n")


def _choose(found: list[Record]) -> Renaming:
    """Names by what the incidents were on, and by what their titles and notes say."""
    from analyzer.history import brief

    nodes = [{"name": one.node, "hosts": (), "addresses": (), "tasks": ()} for one in found if one.node]
    return choose_names({"nodes": nodes, "earlier": [brief(one) for one in found]})


def _write(target: str, value: object, renaming: Renaming | None) -> None:
    text = check(json.dumps(hide(value, renaming), ensure_ascii=False, indent=1) + "\n", renaming)
    if target == "-":
        sys.stdout.write(text)
        return
    from analyzer.report.write import write_report

    write_report(Path(target), text)


def _plain(text: str) -> str:
    """Control characters never reach the terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)[:500]
