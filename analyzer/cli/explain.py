"""`tf-postmortem explain`: how the answer was weighed, and why another cause is not the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from analyzer.cli._config import Config
from analyzer.cli.compare import load_incident


def add_to(app: typer.Typer) -> None:
    app.command(name="explain")(explain)


def explain(
    incident: Annotated[
        Path,
        typer.Argument(help="A bundle, or the JSON or HTML report of one.", show_default=False, metavar="INCIDENT"),
    ],
    cause: Annotated[
        str | None, typer.Option("--cause", metavar="CAUSE", help="Say why this cause is not the answer.")
    ] = None,
    node: Annotated[
        str | None, typer.Option("--node", metavar="NODE", help="With --cause: on this node or task.")
    ] = None,
    rules: Annotated[
        list[Path] | None, typer.Option("--rules", metavar="PACK_OR_DIR", help="As for `analyze`.")
    ] = None,
    config: Config = None,
) -> None:
    """Show what speaks for and against each hypothesis, or why a cause is not the answer."""
    from analyzer.errors import UsageError
    from analyzer.report.explain_answer import explain_absence, explain_answer

    if node is not None and cause is None:
        raise UsageError("--node needs --cause", "name the cause that you expected, such as --cause hardware.gpu-xid")
    written = load_incident(incident, rules or (), config)
    lines = explain_answer(written) if cause is None else explain_absence(written, cause, node)
    for line in lines:
        typer.echo(line)
