"""`tf-postmortem analyze`: the main job."""

from __future__ import annotations

import gc
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
import typer

from analyzer.cli import _panels as panel
from analyzer.cli._config import Config, choose_packs, list_bundles
from analyzer.cli._inputs import check_anything_read, open_inputs
from analyzer.cli._limits import read_limits
from analyzer.cli._outputs import chosen_files
from analyzer.cli._redaction import choose_incident_names, redact_incident
from analyzer.cli.show import (
    MetaValues,
    Outputs,
    Quiet,
    Redact,
    RedactMap,
    RedactWord,
    read_meta,
    write_outputs,
)
from analyzer.errors import UsageError

if TYPE_CHECKING:
    from analyzer.bundle import Input
    from analyzer.pipeline import Options
    from analyzer.report.document import WrittenIncident
    from analyzer.rules.packs.user_packs import UserPacks


class Engine(StrEnum):
    LOCAL = "local"
    DASK = "dask"


Inputs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT...",
        help="Tarballs, zips, folders, logs or core files of one incident; - is standard input; also URLs: s3://, "
        "gs://, hdfs://, https://.",
        show_default=False,
        click_type=click.Path(),
    ),
]
Rules = Annotated[
    list[Path] | None,
    typer.Option(
        "--rules",
        metavar="PACK_OR_DIR",
        help="An additional rule pack or a folder of packs; repeatable.",
        rich_help_panel=panel.INPUT,
    ),
]
Limit = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=NUMBER",
        help="Change a limit on archives, such as members=500000 or window=2G; repeatable.",
        rich_help_panel=panel.INPUT,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=4096,
        help="Number of reading processes; default: chosen from the number of cores and the size of the input.",
        rich_help_panel=panel.SPEED,
    ),
]
EngineChoice = Annotated[
    Engine,
    typer.Option(help="Read the input on this machine or on a Dask cluster.", rich_help_panel=panel.SPEED),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Address of the Dask scheduler; default: the one in Dask's configuration.",
        rich_help_panel=panel.SPEED,
    ),
]
EarlierReport = Annotated[
    Path | None,
    typer.Option(
        "--from",
        metavar="REPORT",
        help="Read this earlier report instead of inputs.",
        rich_help_panel=panel.INPUT,
    ),
]
Baseline = Annotated[
    Path | None,
    typer.Option(
        "--baseline",
        metavar="GOOD",
        help="Bundle or report of a good run: error lines that also occur there are ranked last.",
        rich_help_panel=panel.HISTORY,
    ),
]
History = Annotated[
    Path | None,
    typer.Option(
        "--history",
        metavar="DIR",
        envvar="TF_POSTMORTEM_HISTORY",
        help="Store this incident in DIR and report similar earlier ones.",
        rich_help_panel=panel.HISTORY,
    ),
]
FailOn = Annotated[
    str,
    typer.Option(
        "--fail-on",
        metavar="WHAT",
        help="Exit with status 10: cause (a root cause was found), symptom (any finding), undiagnosed (a failure "
        "without a root cause) or never.",
        rich_help_panel=panel.DECISION,
    ),
]
MinConfidence = Annotated[
    float,
    typer.Option(
        "--min-confidence",
        min=0.0,
        max=1.0,
        help="With --fail-on: a root cause below this confidence counts as none.",
        rich_help_panel=panel.DECISION,
    ),
]
Partial = Annotated[
    bool,
    typer.Option(
        "--partial",
        help="On Ctrl-C or SIGTERM, write a report of what was read so far.",
        rich_help_panel=panel.SPEED,
    ),
]
Progress = Annotated[
    bool,
    typer.Option(
        "--progress", help="Show progress even if standard error is not a terminal.", rich_help_panel=panel.SPEED
    ),
]


def _has_cause(incident: WrittenIncident, min_confidence: float) -> bool:
    return any(root.confidence >= min_confidence for root in incident.root_causes)


# Value of --fail-on → whether the incident is a failure, given the least confidence of a root cause.
FAILS_ON: Mapping[str, Callable[[WrittenIncident, float], bool]] = {
    "cause": _has_cause,
    "symptom": lambda incident, _: bool(incident.findings),
    "undiagnosed": lambda incident, least: incident.verdict != "no-failure" and not _has_cause(incident, least),
    "never": lambda *_: False,
}
FAILURE_STATUS = 10
EXAMPLES = """Examples:

  tf-postmortem analyze incident.tar.zst -o report.html

  kubectl logs job/train | tf-postmortem analyze -

  tf-postmortem analyze logs/ --sarif out.sarif --fail-on cause --min-confidence 0.7

More: https://pypi.org/project/tf-postmortem/ and `tf-postmortem COMMAND --help`."""


def add_to(app: typer.Typer) -> None:
    app.command(name="analyze", epilog=EXAMPLES)(analyze)


def analyze(
    inputs: Inputs = None,
    rules: Rules = None,
    config: Config = None,
    limit: Limit = None,
    jobs: Jobs = None,
    engine: EngineChoice = Engine.LOCAL,
    scheduler: Scheduler = None,
    earlier: EarlierReport = None,
    redact: Redact = False,
    redact_word: RedactWord = None,
    redact_map: RedactMap = None,
    baseline: Baseline = None,
    history: History = None,
    meta: MetaValues = None,
    fail_on: FailOn = "never",
    min_confidence: MinConfidence = 0.0,
    partial: Partial = False,
    progress: Progress = False,
    quiet: Quiet = False,
) -> None:
    """Read the files that the nodes left behind and report what failed first, where, and why."""
    fail_on = fail_on.lower()
    _check_usage(inputs, earlier, fail_on)
    if math.isnan(min_confidence):
        raise UsageError("--min-confidence nan is not a number", "give one from 0 to 1, as in --min-confidence 0.7")
    outputs = Outputs(
        files=chosen_files(),
        quiet=quiet,
        redact=redact,
        redact_words=tuple(redact_word or ()),
        redact_map=redact_map,
        meta=read_meta(meta or ()),
    )
    outputs.check(inputs or ())
    compared = list_bundles([baseline] if baseline else [])
    user_packs = choose_packs([*(inputs or ()), *compared], config, redact)
    limits = read_limits(limit or ())
    if scheduler and engine is not Engine.DASK:
        raise UsageError("--scheduler works only with Dask", "add --engine dask")
    from analyzer.cli._progress import show_progress, stop_on_signal

    with stop_on_signal(partial and not earlier) as stop_switch:
        if earlier:
            incident = _read_earlier_report(earlier)
        else:
            from analyzer.pipeline import Options

            baseline_config = (
                Path(os.devnull) if user_packs.unread_config else config
            )  # a good run is judged by the same rules
            baseline_templates = _baseline_templates(baseline, rules or (), baseline_config) if baseline else None
            with show_progress(stop_switch, quiet, progress, hide_names=redact) as monitor:
                extra_packs = tuple(rules or ())
                options = Options(
                    rules=extra_packs,
                    limits=limits,
                    monitor=monitor,
                    jobs=jobs,
                    good_run_templates=baseline_templates,
                    engine=engine.value,
                    scheduler=scheduler,
                    config=config,
                    compared_inputs=tuple(map(Path, compared)),
                )
                with open_inputs(inputs or []) as opened:
                    incident = _analyze_inputs(opened, options)
        incident.meta.update(outputs.meta)
        renaming = choose_incident_names(incident, outputs.redact_words, user_packs=user_packs) if redact else None
        incident = redact_incident(incident, renaming)
        if history is not None:
            _add_history(incident, history, hide_names=redact)
        write_outputs(incident, outputs, renaming, user_packs)
    _check_extra_packs(rules or [], user_packs)
    if FAILS_ON[fail_on](incident, min_confidence):
        raise typer.Exit(FAILURE_STATUS)
    if not earlier:
        check_anything_read(incident)


def _check_usage(inputs: Sequence[str] | None, earlier: Path | None, fail_on: str) -> None:
    if fail_on not in FAILS_ON:
        raise UsageError(f"--fail-on {fail_on} is not a valid choice", "choose cause, symptom, undiagnosed or never")
    if inputs and earlier is not None:
        raise UsageError("--from replaces the inputs", "give either the incident's files or --from with a report")
    if not inputs and earlier is None:
        raise UsageError(
            "no input is given",
            "give the incident's files (tf-postmortem analyze incident.tar.zst), or --from with an earlier report",
        )


def _analyze_inputs(inputs: Sequence[Input], options: Options) -> WrittenIncident:
    from analyzer.pipeline import analyze as run
    from analyzer.report.json import write_incident

    gc.freeze()
    return write_incident(run(inputs, options))


def _baseline_templates(baseline: Path, rules: Sequence[Path], config: Path | None) -> tuple[str, ...]:
    """Return the templates of the error lines of a good run."""
    from analyzer.cli.compare import load_incident

    return tuple(row.template for row in load_incident(baseline, rules, config).unclassified)


def _check_extra_packs(rules: Sequence[Path], user_packs: UserPacks) -> None:
    """Raise RuleError for what is wrong with the packs that --rules names.

    The analysis continued without the faulty rules, but the run counts as an error.
    """
    if not rules:
        return
    from analyzer.paths import cache_dir
    from analyzer.rules.load import raise_problems
    from analyzer.rules.packs.cache import load_packs

    raise_problems(load_packs(rules, cache_dir(), user_packs), rules)


def _read_earlier_report(earlier: Path) -> WrittenIncident:
    from analyzer.report.reader import read_incident

    return read_incident(earlier)


def _add_history(incident: WrittenIncident, folder: Path, hide_names: bool) -> None:
    """Set `history` of the incident. If the history cannot be used, one line says so and the analysis goes on."""
    from analyzer.history import recall

    incident.history, problem = recall(incident, folder, without_names=hide_names)
    if problem:
        sys.stderr.write(f"history: {problem}\n")
