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
    from analyzer.replay import ReplayPlan, RunTarget
    from analyzer.replay.evidence import Json
    from analyzer.replay.verdict import ReplayVerdict
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
    decide: Annotated[
        bool,
        typer.Option("--decide", help="Replay the root cause and its first rival, and say whose pattern fits better."),
    ] = False,
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

    Exit status: 0 reproduced (or written), 11 not reproduced, 12 different failure, 13 inconclusive, 14 the same cause
    in another pattern. With --decide it is that of the root cause, or of its rival if only that can be replayed.
    """
    from analyzer.errors import UsageError
    from analyzer.replay import RunTarget, read_diagnosis, run_repro, write_repro
    from analyzer.replay.verdict import EXIT_CODES
    from analyzer.report.document import WrittenReplay
    from analyzer.report.encode import to_plain

    hosts = None if nodes == "local" else Path(nodes)
    if hosts and not hosts.is_file():
        raise UsageError(f"{hosts} is not a file", "--nodes takes `local` or a file with one host per line")
    if decide and (write_only or cause != 1):
        raise UsageError("--decide runs the first two hypotheses", "leave out --write-only and --cause")
    written = _load_incident(incident)
    renaming = choose_incident_names(written) if redact else None
    written = redact_incident(written, renaming)
    incident_json = to_plain(written)
    target = RunTarget(python, hosts, rsh, other_python)
    _check_request(incident_json, None if decide else cause - 1, analogue, None if write_only else target, other_python)
    if decide:
        replay_json, verdict = _replay_rivals(incident_json, out, target, repeat, analogue)
    else:
        plan = write_repro(incident_json, out, cause - 1, analogue, other_python)
        _print_plan(out, plan)
        if write_only:
            return
        result = run_repro(out, target, repeat=repeat, diagnosis=read_diagnosis(incident_json, cause - 1))
        replay_json, verdict = {**result.to_json(), "notes": list(plan.notes)}, result.verdict
        _print_with_notes(verdict, *result.reasons)
    given = {"html": None if report is None else str(report), "json": json_file}
    files = {name: file for name, file in given.items() if file is not None}
    outputs = Outputs(files=files, quiet=True, redact=redact)
    written.replay = msgspec.convert(replay_json, WrittenReplay)
    write_outputs(written, outputs, renaming)
    raise typer.Exit(EXIT_CODES[verdict])


def _check_request(
    incident: Json, cause: int | None, analogue: bool, target: RunTarget | None, other_python: str | None
) -> None:
    """Raise UsageError at once for what cannot be replayed or run.

    `cause` is the position of the root cause, None for a decision between the first two hypotheses. `target` is None if
    nothing runs.
    """
    from analyzer.replay import (
        check_hosts,
        check_interpreter,
        check_version_pair,
        list_rivals,
        plan_replay,
        plan_rivals,
    )

    if cause is None:
        plan_rivals({**incident, "root_causes": list_rivals(incident)}, analogue, other_python)
    else:
        plan_replay(incident, cause, analogue, other_python)
    if target is None:
        return
    if target.hosts:  # their own Python runs
        check_hosts(target.hosts, target.rsh)
    elif other_python:
        check_version_pair(target.python, other_python)
    else:
        check_interpreter(target.python)


def _replay_rivals(
    incident: Json, out: Path, target: RunTarget, repeat: int, analogue: bool
) -> tuple[dict[str, object], ReplayVerdict]:
    """Return the key `replay` of the incident after --decide, and the verdict on the first hypothesis that ran."""
    from analyzer.replay import decide_between

    decision = decide_between(incident, out, target, repeat, analogue, _print_plan)
    for tried in decision.replays:
        if tried.result:
            _print_with_notes(f"{tried.name}: {tried.result.verdict}", *tried.result.reasons)
    _print_with_notes(decision.sentence)
    plan, result = decision.first
    return {**result.to_json(), "notes": list(plan.notes), "decision": decision.to_json()}, result.verdict


def _print_plan(out: Path, plan: ReplayPlan) -> None:
    _print_with_notes(f"{out}: {plan.fault} on {plan.culprit}, {plan.strategy}", *plan.notes)


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
