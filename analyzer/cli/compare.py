"""`tf-postmortem compare`: two incidents, bundles or reports of them, side by side."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def add_to(app: typer.Typer) -> None:
    app.command(name="compare")(compare)


def compare(
    a: Annotated[Path, typer.Argument(help="A bundle, or the JSON or HTML report of one.", show_default=False)],
    b: Annotated[Path, typer.Argument(help="The other one.", show_default=False)],
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write it as JSON; - is standard output.")
    ] = None,
    rules: Annotated[list[Path] | None, typer.Option("--rules", metavar="PACK_OR_DIR", help="As for analyze.")] = None,
) -> None:
    """Show what two incidents share and where they differ."""
    from analyzer.report.compare import compare as run
    from analyzer.report.compare import write_text
    from analyzer.report.wording import write_json

    said = run(incident_of(a, rules or ()), incident_of(b, rules or ()))
    if json_file == "-":
        sys.stdout.writelines((*write_json(said), "\n"))
        return
    if json_file is not None:
        from analyzer.report.write import write_report

        write_report(Path(json_file), (*write_json(said), "\n"))
    sys.stdout.writelines(f"{line}\n" for line in write_text(said, (str(a), str(b))))


def incident_of(path: Path, rules: Sequence[Path] = ()) -> Mapping[str, object]:
    """The incident of a report, else of what an analysis finds there."""
    from analyzer.report.read import is_report, read_incident

    if is_report(path):
        return read_incident(path)
    from analyzer.pipeline import Options, analyze
    from analyzer.report.json import to_json

    return to_json(analyze([path], Options(rules=tuple(rules))))
