"""The options of output of `analyze` and `show`, one for each form of `report/forms/`. No command of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from typer.core import TyperOption

from analyzer.cli import _panels as panel
from analyzer.report.forms import OutputForm, OutputText, output_forms

COMMANDS = ("analyze", "show")
OUTPUT_FILES = "analyzer.output_files"  # key of click's Context.meta: name of the form → file


def add_output_options(group: click.Command) -> click.Command:
    """Give the commands of `group` that write an incident an option for each form, behind their arguments."""
    for name in COMMANDS:
        if isinstance(group, click.Group) and (command := group.commands.get(name)):
            arguments = [param for param in command.params if isinstance(param, click.Argument)]
            options = [param for param in command.params if not isinstance(param, click.Argument)]
            command.params = [*arguments, *map(_make_option, output_forms().values()), *options]
    return group


def _make_option(form: OutputForm) -> TyperOption:
    def remember(context: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None:
            context.meta.setdefault(OUTPUT_FILES, {})[form.name] = value

    return TyperOption(
        param_decls=list(form.options),
        metavar=form.metavar,
        type=click.Path(),  # shells complete file names
        help=form.help,
        expose_value=False,
        callback=remember,
        rich_help_panel=panel.OUTPUT,
    )


def chosen_files() -> dict[str, str]:
    """Return the name of each form that the command line asks for, and its file, in the order of the forms."""
    given: dict[str, str] = click.get_current_context().meta.get(OUTPUT_FILES, {})
    return {name: given[name] for name in output_forms() if name in given}


def write_target(target: str, text: OutputText) -> None:
    """Write the text, or its pieces, to a file; `-` is standard output."""
    if target == "-":
        sys.stdout.writelines((text,) if isinstance(text, str) else text)
        sys.stdout.flush()
        return
    from analyzer.report.output_file import write_output_file

    write_output_file(Path(target), text)
