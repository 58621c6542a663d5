"""`tf-postmortem compare`: two incidents side by side, each given as a bundle or a report."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli._config import Config, choose_packs, list_bundles
from analyzer.cli._inputs import check_anything_read
from analyzer.cli._outputs import write_target
from analyzer.cli._redaction import check_output, choose_names, redact_incident, redact_names
from analyzer.cli.show import Redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analyzer.report.document import WrittenIncident


def add_to(app: typer.Typer) -> None:
    app.command(name="compare")(compare)


def compare(
    a: Annotated[Path, typer.Argument(help="A bundle, or the JSON or HTML report of one.", show_default=False)],
    b: Annotated[Path, typer.Argument(help="The other incident, in either form.", show_default=False)],
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Write the comparison as JSON; - is standard output.")
    ] = None,
    rules: Annotated[
        list[Path] | None, typer.Option("--rules", metavar="PACK_OR_DIR", help="As for `analyze`.")
    ] = None,
    config: Config = None,
    redact: Redact = False,
) -> None:
    """Show what two incidents have in common and where they differ."""
    from analyzer.report.compare import compare_incidents as run
    from analyzer.report.compare import format_comparison
    from analyzer.report.encode import to_plain
    from analyzer.report.formatting import write_json

    user_packs = choose_packs(list_bundles((a, b)), config, redact)
    if user_packs.unread_config:
        config = Path(os.devnull)  # for both: a difference between rules is not one between the incidents
    first, second = load_incident(a, rules or (), config), load_incident(b, rules or (), config)
    renaming = None
    if redact:
        both = to_plain({"nodes": [*first.nodes, *second.nodes], "a": first, "b": second})
        renaming = choose_names(both, extra_texts=(str(a), str(b)), user_packs=user_packs)
    comparison = run(redact_incident(first, renaming), redact_incident(second, renaming))
    text = check_output("".join((*write_json(comparison), "\n")), renaming)
    if json_file is not None:
        write_target(json_file, text)
        if json_file == "-":
            return
    names = redact_names([str(a), str(b)], renaming)
    sys.stdout.writelines(
        f"{check_output(line, renaming)}\n" for line in format_comparison(comparison, (names[0], names[1]))
    )


def load_incident(path: Path, rules: Sequence[Path] = (), config: Path | None = None) -> WrittenIncident:
    """Return the incident of a report, or else that of an analysis of the bundle at `path`."""
    from analyzer.report.reader import is_report, read_incident

    if is_report(path):
        return read_incident(path)
    from analyzer.pipeline import Options, analyze
    from analyzer.report.json import write_incident

    incident = write_incident(analyze([path], Options(rules=tuple(rules), config=config)))
    check_anything_read(incident)
    return incident
