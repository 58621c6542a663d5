"""`tf-postmortem analyze`: the main job."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.errors import UsageError

if TYPE_CHECKING:
    from analyzer.bundle import Limits


def add_to(app: typer.Typer) -> None:
    app.command(name="analyze")(analyze)


def analyze(
    inputs: Annotated[
        list[Path],
        typer.Argument(help="Tarballs, zips, folders, logs or core files of one incident.", show_default=False),
    ],
    report: Annotated[Path | None, typer.Option("-o", "--output", help="Write the HTML report here.")] = None,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write incident.json; - is standard output.")
    ] = None,
    markdown: Annotated[
        str | None,
        typer.Option("--markdown", metavar="FILE", help="Write Markdown for a ticket; - is standard output."),
    ] = None,
    rules: Annotated[
        list[Path] | None, typer.Option("--rules", metavar="PACK_OR_DIR", help="More rule packs; may be given again.")
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            "--limit",
            metavar="NAME=NUMBER",
            help="A bound on what an archive may hold, such as members=500000 or ratio=5000; may be given again.",
        ),
    ] = None,
    fail_on: Annotated[
        str, typer.Option("--fail-on", help="cause, symptom or never: exit 10 if one was found.")
    ] = "never",
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No summary and no progress.")] = False,
) -> None:
    """Read everything that the nodes left behind and say what failed first, where, and why."""
    from analyzer.pipeline import Options
    from analyzer.pipeline import analyze as run
    from analyzer.report.json import to_json

    if fail_on not in ("cause", "symptom", "never"):
        raise UsageError(f"--fail-on {fail_on}: it is cause, symptom or never")
    if json_file == "-" and markdown == "-":
        raise UsageError("--json - and --markdown - both want standard output", "write one of them to a file")
    with _progress(quiet) as tick:
        incident = run(inputs, Options(rules=tuple(rules or ()), limits=_limits(limit or ()), progress=tick))
    written = to_json(incident)
    if report is not None:
        from analyzer.report.html import render_html

        _write(str(report), render_html(written))
    if json_file is not None:
        _write(json_file, json.dumps(written, ensure_ascii=False, indent=1) + "\n")
    if markdown is not None:
        from analyzer.report.markdown import render_markdown

        _write(markdown, render_markdown(written))
    if not quiet:
        _summarize(written, report)
    found = written["root_causes"] if fail_on == "cause" else written["findings"] if fail_on == "symptom" else ()
    if found:
        raise typer.Exit(10)


def _limits(given: Sequence[str]) -> Limits:
    from analyzer.bundle import Limits

    known = [field.name for field in fields(Limits)]
    chosen: dict[str, int] = {}
    for text in given:
        name, _, number = text.partition("=")
        if name not in known or not number.isdigit():
            raise UsageError(f"--limit {text}: it is NAME=NUMBER", f"the names are {', '.join(known)}")
        chosen[name] = int(number)
    return Limits(**chosen)


def _write(target: str, text: str) -> None:
    if target == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    from analyzer.report.write import write_report

    write_report(Path(target), text)


def _summarize(incident: Mapping[str, object], report: Path | None) -> None:
    from rich.console import Console

    from analyzer.report.terminal import render_terminal

    console = Console(stderr=True)
    for part in render_terminal(incident, console):
        console.print(part)
    if report is not None:
        sys.stderr.write(f"report: {report}\n")


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[str, int], None] | None]:
    """A bar on standard error while it is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("reading"), BarColumn(), TextColumn("{task.fields[file]}"), TimeElapsedColumn())
    with Progress(*columns, transient=True, console=Console(stderr=True)) as bar:
        task = bar.add_task("reading", total=None, file="")

        def tick(path: str, size: int) -> None:
            bar.update(task, advance=size, file=path[-60:])

        yield tick
