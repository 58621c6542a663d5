"""Mistakes on the command line that Click finds, in the form of all other errors. No command of its own."""

from __future__ import annotations

import sys

import click

from analyzer.errors import UsageError

PROGRAM = "tf-postmortem"


def run_command(command: click.Command) -> None:
    """Run the command line and end the program with its exit status. Raises UsageError for what Click refuses.

    Click and Typer print such errors in a box as wide as a terminal, into files as well.
    """
    try:
        status = command(prog_name=PROGRAM, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as asked:
        if text := asked.format_message():  # on a terminal the help is printed already
            sys.stdout.write(f"{text}\n")
        sys.exit(asked.exit_code)
    except click.UsageError as error:
        raise UsageError(describe_mistake(error), _suggest_help(error)) from None
    except click.Abort:
        sys.exit(1)
    sys.exit(status if isinstance(status, int) else 0)


def describe_mistake(error: click.ClickException) -> str:
    """Return what Click says, as one line that begins in lower case and has no full stop."""
    text = " ".join(error.format_message().split())
    return f"{text[:1].lower()}{text[1:]}".removesuffix(".")


def _suggest_help(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx else PROGRAM
    return f"`{path} --help` lists the commands and options"
