"""`tf-postmortem rules lint`: report every problem of the packs at once."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli.rules import PackPaths, ResultFormat, check_format, group, load_packs_for, pack_files
from analyzer.errors import RuleError
from analyzer.report.formatting import plural

if TYPE_CHECKING:
    from analyzer.rules.linting.linter import LintResult
    from analyzer.rules.types import Packs


def add_to(_: typer.Typer) -> None:
    group.command()(lint)


def lint(
    paths: PackPaths = None,
    strict: Annotated[bool, typer.Option("--strict", help="Treat hints as errors.")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print no hints.")] = False,
    form: ResultFormat = "text",
) -> None:
    """Print every error of the packs with its position, and hints; exit with status 4 if there is any error."""
    from analyzer.paths import cache_dir
    from analyzer.scan.pattern_memo import answers_kept_in

    check_format(form)
    with _without_garbage_collection(), answers_kept_in(cache_dir()):
        packs = load_packs_for(paths)
        files = pack_files(paths)
        problems = find_problems(packs, files)
    errors = [problem for problem in problems if strict or not problem.hint]
    shown = errors if quiet else problems
    if form != "text":
        from analyzer.rule_tests.ci_formats import FORMATS, lint_rows

        names = files if files is not None else {pack.file for pack in packs.packs}
        sys.stdout.write(FORMATS[form](list(lint_rows(shown, names, strict)), "rules lint"))
        _exit_on_errors(len(errors))
        return
    sys.stdout.writelines(f"{problem}\n" for problem in shown)
    sys.stdout.write(f"{describe_extent(packs, files)}: {count_problems(problems, strict)}\n")
    _exit_on_errors(len(errors))


def find_problems(packs: Packs, files: frozenset[str] | None) -> list[LintResult]:
    """Return what is wrong with the packs in `files` (None: with all), in the order of the files."""
    from analyzer.rules.linting.linter import lint_packs, load_problems

    return sorted({*load_problems(packs, files), *lint_packs(packs, files)}, key=lambda problem: problem.sort_key)


def describe_extent(packs: Packs, files: frozenset[str] | None) -> str:
    """Return how many files and rules were looked at."""
    rules = [rule for rule in packs.rules.values() if files is None or rule.file in files]
    return f"{plural(len(files) if files is not None else len(packs.packs), 'file')}, {plural(len(rules), 'rule')}"


def count_problems(problems: Sequence[LintResult], strict: bool = False) -> str:
    """Return how many errors and hints there are; with `strict`, hints are errors."""
    errors = sum(strict or not problem.hint for problem in problems)
    return f"{plural(errors, 'error')}, {plural(len(problems) - errors, 'hint')}"


def _exit_on_errors(errors: int) -> None:
    if errors:
        raise typer.Exit(RuleError.exit_code)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Switch off the garbage collector: walking parse trees and patterns that stay alive takes a tenth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # nor when the program ends
        if was_enabled:
            gc.enable()
