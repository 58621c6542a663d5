"""`tf-postmortem analyze`: the main job."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli._config import Config, choose_packs
from analyzer.cli._limits import read_limits
from analyzer.cli._redaction import choose_names
from analyzer.cli._redaction import redact as hide
from analyzer.cli.show import (
    JiraFile,
    JsonFile,
    MarkdownFile,
    Outputs,
    Quiet,
    Redact,
    RedactMap,
    RedactWord,
    ReportFile,
    emit,
)
from analyzer.errors import UsageError

if TYPE_CHECKING:
    from analyzer.pipeline import Options
    from analyzer.rules.user import UserPacks


class Engine(StrEnum):
    LOCAL = "local"
    DASK = "dask"


Inputs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT...",
        help="Tarballs, zips, folders, logs or core files of one incident; also URLs: s3://, gs://, hdfs://, https://.",
        show_default=False,
    ),
]
Rules = Annotated[
    list[Path] | None, typer.Option("--rules", metavar="PACK_OR_DIR", help="More rule packs; may be given again.")
]
Limit = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="NAME=NUMBER",
        help="A bound on what an archive may hold or take, such as members=500000 or window=2G; may be given again.",
    ),
]
Jobs = Annotated[
    int | None, typer.Option(min=1, max=4096, help="Processes that read; else as many as cores and input are worth.")
]
Where = Annotated[Engine, typer.Option(help="Where the reading is done.")]
Scheduler = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Dask's scheduler; else the one of Dask's configuration.")
]
Earlier = Annotated[
    Path | None, typer.Option("--from", metavar="REPORT", help="Take this earlier report instead of inputs.")
]
Baseline = Annotated[
    Path | None,
    typer.Option(
        "--baseline",
        metavar="GOOD",
        help="A run that went well, a bundle or a report of one: error lines that it has too come last.",
    ),
]
History = Annotated[
    Path | None,
    typer.Option(
        "--history",
        metavar="DIR",
        envvar="TF_POSTMORTEM_HISTORY",
        help="Remember this incident in DIR and say whether its like was seen before.",
    ),
]
FailOn = Annotated[str, typer.Option("--fail-on", help="cause, symptom or never: exit 10 if one was found.")]
Partial = Annotated[bool, typer.Option("--partial", help="On Ctrl-C or SIGTERM, report what was read until then.")]
Progress = Annotated[
    bool, typer.Option("--progress", help="Say how far the reading is, also where there is no terminal.")
]
# What --fail-on names, and where it stands in an incident.
FAILING = {"cause": "root_causes", "symptom": "findings", "never": None}


def add_to(app: typer.Typer) -> None:
    app.command(name="analyze")(analyze)


def analyze(
    inputs: Inputs = None,
    report: ReportFile = None,
    json_file: JsonFile = None,
    markdown: MarkdownFile = None,
    jira: JiraFile = None,
    rules: Rules = None,
    config: Config = None,
    limit: Limit = None,
    jobs: Jobs = None,
    engine: Where = Engine.LOCAL,
    scheduler: Scheduler = None,
    earlier: Earlier = None,
    redact: Redact = False,
    redact_word: RedactWord = None,
    redact_map: RedactMap = None,
    baseline: Baseline = None,
    history: History = None,
    fail_on: FailOn = "never",
    partial: Partial = False,
    progress: Progress = False,
    quiet: Quiet = False,
) -> None:
    """Read everything that the nodes left behind and say what failed first, where, and why."""
    _check(inputs, earlier, fail_on)
    outputs = Outputs(report, json_file, markdown, jira, quiet, redact, tuple(redact_word or ()), redact_map)
    outputs.check(inputs or ())
    user = choose_packs(inputs or (), config, redact)
    limits = read_limits(limit or ())
    if scheduler and engine is not Engine.DASK:
        raise UsageError("--scheduler is Dask's", "give --engine dask too")
    from analyzer.cli._progress import stopping, watching

    with stopping(partial and not earlier) as switch:
        if earlier:
            written = _read_back(earlier)
        else:
            from analyzer.pipeline import Options

            good_config = Path(os.devnull) if user.left_out else config  # a good run is judged by the same rules
            good = _templates(baseline, rules or (), good_config) if baseline else None
            with watching(switch, quiet, progress, nameless=redact) as watch:
                packs = tuple(rules or ())
                options = Options(packs, limits, watch, jobs, good, engine.value, scheduler, config)
                written = _examine(inputs or [], options)
        renaming = choose_names(written, outputs.words, user=user) if redact else None
        written = hide(written, renaming)
        if history is not None:
            written = _recall(written, history, nameless=redact)
        emit(written, outputs, renaming, user)
    _complain(rules or [], user)
    failing = FAILING[fail_on]
    if failing and written[failing]:
        raise typer.Exit(10)


def _check(inputs: Sequence[str] | None, earlier: Path | None, fail_on: str) -> None:
    if fail_on not in FAILING:
        raise UsageError(f"--fail-on {fail_on}: it is cause, symptom or never")
    if bool(inputs) == (earlier is not None):
        raise UsageError(
            "give the incident's files, or --from with an earlier report", "see tf-postmortem analyze --help"
        )


def _examine(inputs: Sequence[str], options: Options) -> Mapping[str, object]:
    from analyzer.bundle import parse_input
    from analyzer.pipeline import analyze as run
    from analyzer.report.json import to_rows

    gc.freeze()
    return to_rows(run([parse_input(one) for one in inputs], options))


def _templates(baseline: Path, rules: Sequence[Path], config: Path | None) -> tuple[str, ...]:
    """Of the error lines of a good run."""
    from analyzer.cli.compare import incident_of
    from analyzer.report.tolerant import items, text

    return tuple(text(one, "template") for one in items(incident_of(baseline, rules, config), "unclassified"))


def _complain(rules: Sequence[Path], user: UserPacks) -> None:
    """What is wrong with the packs that --rules names: the analysis went on without it, and yet it is an error."""
    if not rules:
        return
    from analyzer.paths import cache_dir
    from analyzer.rules.cache import load_packs
    from analyzer.rules.load import complain

    complain(load_packs(rules, cache_dir(), user), rules)


def _read_back(earlier: Path) -> Mapping[str, object]:
    from analyzer.report.read import read_incident

    return read_incident(earlier)


def _recall(incident: Mapping[str, object], folder: Path, nameless: bool) -> Mapping[str, object]:
    """With `history` in it. A history that cannot be used costs its sentence, never the analysis."""
    from analyzer.history import recall

    said, problem = recall(incident, folder, datetime.now(UTC), nameless=nameless)
    if problem:
        sys.stderr.write(f"history: {problem}\n")
    return {**incident, "history": said}
