"""`tf-postmortem replay`: reproduce the failure in the smallest possible job."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from analyzer.cli._redaction import choose_incident_names, redact_incident
from analyzer.cli.show import Outputs, Redact, write_outputs

if TYPE_CHECKING:
    from analyzer.report.document import WrittenIncident


def add_to(app: typer.Typer) -> None:
    app.command(name="replay")(replay)


def replay(
    incident: Annotated[
        Path, typer.Argument(help="A report that `analyze` wrote with --json or -o, or a bundle.", show_default=False)
    ],
    cause: Annotated[int, typer.Option("--cause", min=1, help="Which root cause to replay, counted from 1.")] = 1,
    out: Annotated[Path, typer.Option("--out", help="The folder to write.")] = Path("repro"),
    python: Annotated[str, typer.Option("--python", help="A Python interpreter with TensorFlow.")] = sys.executable,
    other_python: Annotated[
        str | None,
        typer.Option("--other-python", help="For version skew: a Python interpreter with another TensorFlow version."),
    ] = None,
    nodes: Annotated[
        str,
        typer.Option(
            "--nodes",
            metavar="local|HOSTFILE",
            help="Where to run: on this machine, or on the hosts listed in a file, one a line.",
        ),
    ] = "local",
    rsh: Annotated[
        str | None,
        typer.Option("--rsh", help="The command that runs another command on a host; default: ssh -o BatchMode=yes."),
    ] = None,
    write_only: Annotated[bool, typer.Option("--write-only", help="Write the folder and run nothing.")] = False,
    analogue: Annotated[
        bool, typer.Option("--analogue", help="If this machine lacks what the cause needs, replay the nearest fault.")
    ] = False,
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat", min=1, max=1000, help="How often to run with the fault, to measure how often it reproduces."
        ),
    ] = 1,
    json_file: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write incident.json with the key `replay`; - is standard output."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write the HTML report with the replay section.")
    ] = None,
    redact: Redact = False,
) -> None:
    """Build a small job that should fail like the incident, run it with and without the fault, and compare.

    Exit status: 0 reproduced (or written), 11 not reproduced, 12 different failure, 13 inconclusive.
    """
    from analyzer.errors import UsageError
    from analyzer.replay import (
        RunTarget,
        check_hosts,
        check_interpreter,
        check_version_pair,
        plan_replay,
        run_repro,
        write_repro,
    )
    from analyzer.replay.verdict import EXIT_CODES
    from analyzer.report.document import WrittenReplay
    from analyzer.report.encode import to_plain

    hosts = None if nodes == "local" else Path(nodes)
    if hosts and not hosts.is_file():
        raise UsageError(f"{hosts} is not a file", "--nodes takes `local` or a file with one host per line")
    written = _load_incident(incident)
    renaming = choose_incident_names(written) if redact else None
    written = redact_incident(written, renaming)
    incident_json = to_plain(written)
    plan_replay(incident_json, cause - 1, analogue, other_python)  # refuses at once what cannot be replayed
    if not write_only:
        if hosts:  # their own Python runs
            check_hosts(hosts, rsh)
        elif other_python:
            check_version_pair(python, other_python)
        else:
            check_interpreter(python)
    plan = write_repro(incident_json, out, cause - 1, analogue, other_python)
    _print_with_notes(f"{out}: {plan.fault} on {plan.culprit}, {plan.strategy}", *plan.notes)
    if write_only:
        return
    result = run_repro(out, RunTarget(python, hosts, rsh, other_python), repeat=repeat)
    _print_with_notes(f"{result.verdict}", *result.reasons)
    given = {"html": None if report is None else str(report), "json": json_file}
    files = {name: file for name, file in given.items() if file is not None}
    outputs = Outputs(files=files, quiet=True, redact=redact)
    written.replay = msgspec.convert({**result.to_json(), "notes": list(plan.notes)}, WrittenReplay)
    write_outputs(written, outputs, renaming)
    raise typer.Exit(EXIT_CODES[result.verdict])


def _load_incident(path: Path) -> WrittenIncident:
    """Return the incident of a report, or else that of an analysis of the bundle at `path`."""
    from analyzer.report.reader import is_report, read_incident

    if is_report(path) or path.suffix == ".json":
        return read_incident(path)
    from analyzer.pipeline import analyze
    from analyzer.report.json import write_incident

    return write_incident(analyze([path]))


def _print_with_notes(head: str, *notes: str) -> None:
    sys.stderr.write(head + "\n" + "".join(f"  {line}\n" for line in notes))
