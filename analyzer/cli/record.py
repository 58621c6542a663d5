"""`tf-postmortem record`: run a program and keep its flight data. The options are the standalone collector's."""

from __future__ import annotations

import typer

from analyzer.cli.collect import PASS_THROUGH_SETTINGS


def add_to(app: typer.Typer) -> None:
    app.command(name="record", add_help_option=False, context_settings=PASS_THROUGH_SETTINGS)(record)


def record(context: typer.Context) -> None:
    """Run a program under watch: resource samples, timed output, exit status or signal."""
    from analyzer.record.command_line import run_record

    raise typer.Exit(run_record(context.args, "tf-postmortem record"))
