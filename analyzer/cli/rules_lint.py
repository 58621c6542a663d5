"""`tf-postmortem rules lint`: everything that is wrong with packs, at once."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from analyzer.cli.rules import Paths, files_of, group, load
from analyzer.errors import RuleError
from analyzer.report.wording import plural


def add_to(_: typer.Typer) -> None:
    group.command()(lint)


def lint(
    paths: Paths = None,
    strict: Annotated[bool, typer.Option("--strict", help="Hints are errors too.")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No hints.")] = False,
) -> None:
    """Every error of the packs with its place, and hints; exit 4 if there is any error."""
    from analyzer.rules.lint import lint as find
    from analyzer.rules.lint import read_problems

    with _without_collector():
        packs = load(paths)
        files = files_of(paths)
        found = sorted(
            {*read_problems(packs, files), *find(packs, files)},
            key=lambda one: one.order,
        )
    errors = [one for one in found if strict or not one.hint]
    sys.stdout.writelines(f"{one}\n" for one in (errors if quiet else found))
    rules = [rule for rule in packs.rules.values() if files is None or rule.file in files]
    counted = plural(len(files) if files is not None else len(packs.packs), "file"), plural(len(rules), "rule")
    sys.stdout.write(
        f"{', '.join(counted)}: {plural(len(errors), 'error')}, {plural(len(found) - len(errors), 'hint')}\n"
    )
    if errors:
        raise typer.Exit(RuleError.exit_code)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Parse trees and compiled patterns all live on: walking them again and again is a tenth of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # nor when the program ends
        if was:
            gc.enable()
