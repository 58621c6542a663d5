"""`tf-postmortem record`: run a program and record its flight data. The options are those of the standalone
collector.
"""

from __future__ import annotations

import typer

from analyzer.cli.collect import PASS_THROUGH_SETTINGS


def add_to(app: typer.Typer) -> None:
    app.command(name="record", add_help_option=False, context_settings=PASS_THROUGH_SETTINGS)(record)


def record(context: typer.Context) -> None:
    """Run a program and record it: resource samples, output with times, exit status or signal."""
    from analyzer.record.command_line import run_record

    raise typer.Exit(run_record(context.args, "tf-postmortem record"))
