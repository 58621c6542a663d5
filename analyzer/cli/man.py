"""`tf-postmortem man`: the manual pages, made from the same commands and options as `--help`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def add_to(app: typer.Typer) -> None:
    app.command(name="man")(man)


def man(
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COMMAND]...", help="A command, such as `rules lint`; default: the program.", show_default=False
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Write the pages of all commands into this folder, such as ~/.local/share/man/man1.",
        ),
    ] = None,
) -> None:
    """Print a manual page: `tf-postmortem man analyze | man -l -`."""
    from analyzer import __version__
    from analyzer.cli import build_full_command
    from analyzer.cli._man_pages import find_command, format_page, list_commands
    from analyzer.cli._usage_errors import PROGRAM
    from analyzer.report.output_file import write_output_file

    program = build_full_command()
    if folder is None:
        sys.stdout.write(format_page(find_command(program, command or [], PROGRAM), __version__))
        return
    folder.mkdir(parents=True, exist_ok=True)
    for context in list_commands(program, PROGRAM):
        write_output_file(folder / f"{context.command_path.replace(' ', '-')}.1", format_page(context, __version__))
