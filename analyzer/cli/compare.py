"""`tf-postmortem compare`: two incidents, bundles or reports of them, side by side."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli._config import Config, choose_packs
from analyzer.cli._redaction import check, choose_names
from analyzer.cli._redaction import redact as hide
from analyzer.cli.show import Redact

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
    config: Config = None,
    redact: Redact = False,
) -> None:
    """Show what two incidents share and where they differ."""
    from analyzer.report.compare import compare as run
    from analyzer.report.compare import write_text
    from analyzer.report.read import is_report
    from analyzer.report.tolerant import items
    from analyzer.report.wording import write_json

    bundles = [str(path) for path in (a, b) if not is_report(path)]
    user = choose_packs(bundles, config, redact)
    if user.left_out:
        config = Path(os.devnull)  # for both: a difference of the rules is none of the incidents
    one, other = incident_of(a, rules or (), config), incident_of(b, rules or (), config)
    nodes = [*items(one, "nodes"), *items(other, "nodes")]
    both = {"nodes": nodes, "a": one, "b": other}
    renaming = choose_names(both, more=(str(a), str(b)), user=user) if redact else None
    said = run(hide(one, renaming), hide(other, renaming))
    text = check("".join((*write_json(said), "\n")), renaming)
    if json_file == "-":
        sys.stdout.write(text)
        return
    if json_file is not None:
        from analyzer.report.write import write_report

        write_report(Path(json_file), text)
    names = hide([str(a), str(b)], renaming)
    sys.stdout.writelines(f"{check(line, renaming)}\n" for line in write_text(said, (names[0], names[1])))


def incident_of(path: Path, rules: Sequence[Path] = (), config: Path | None = None) -> Mapping[str, object]:
    """The incident of a report, else of what an analysis finds there."""
    from analyzer.report.read import is_report, read_incident

    if is_report(path):
        return read_incident(path)
    from analyzer.pipeline import Options, analyze
    from analyzer.report.json import to_json

    return to_json(analyze([path], Options(rules=tuple(rules), config=config)))
