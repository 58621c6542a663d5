"""`tf-postmortem collect`: collect what one node contributes. The options are those of the standalone collector."""

from __future__ import annotations

import typer

# Everything behind the name is passed on unchanged, --help too.
PASS_THROUGH_SETTINGS = {"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False}


def add_to(app: typer.Typer) -> None:
    app.command(name="collect", add_help_option=False, context_settings=PASS_THROUGH_SETTINGS)(collect)


def collect(context: typer.Context) -> None:
    """Collect this node's part of an incident into one archive: logs, kernel log, settings, cores."""
    from analyzer.collect.command_line import run_collect

    raise typer.Exit(run_collect(context.args, "tf-postmortem collect"))
