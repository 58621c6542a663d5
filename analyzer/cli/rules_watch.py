"""`tf-postmortem rules watch`: lint and test packs again as their files are saved."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli.rules import group, load_packs_for, pack_files
from analyzer.cli.rules_lint import count_problems, describe_extent, find_problems
from analyzer.cli.rules_test import count_outcomes, explain_failures
from analyzer.errors import RuleError

if TYPE_CHECKING:
    from analyzer.rules.types import Packs

POLL_S = 0.3  # seconds between two looks at the files
FileStates = Mapping[str, tuple[int, int]]  # file → its time of change in nanoseconds, its size in bytes
WatchedPaths = Annotated[
    list[Path], typer.Argument(help="Packs or folders of packs to watch.", show_default=False, metavar="PACK_OR_DIR...")
]


def add_to(_: typer.Typer) -> None:
    group.command()(watch)


def watch(paths: WatchedPaths) -> None:
    """Lint and test the packs, then each pack again when its file is saved, until Ctrl-C."""
    from analyzer.paths import cache_dir
    from analyzer.scan.pattern_memo import answers_kept_in

    load_packs_for(paths)  # a path that does not exist at the start is a mistake
    with answers_kept_in(cache_dir()):
        _check(paths, None)
    for changed in changed_files(paths, lambda: time.sleep(POLL_S)):
        _check(paths, changed)


def changed_files(paths: Sequence[Path], wait: Callable[[], None]) -> Iterator[frozenset[str]]:
    """Yield the files that changed, came or went, each time that some did. `wait` returns before the next look."""
    seen = _file_states(paths)
    while True:
        wait()
        states = _file_states(paths)
        if changed := frozenset(dict(seen.items() ^ states.items())):
            yield changed
        seen = states


def _file_states(paths: Sequence[Path]) -> FileStates:
    """Return the state of each file under the paths: of packs, and of the logs that their tests name."""
    states: dict[str, tuple[int, int]] = {}
    for path in paths:
        for file in path.rglob("*") if path.is_dir() else [path]:
            with suppress(OSError):  # removed meanwhile; editors replace files
                status = file.stat()
                states[str(file)] = status.st_mtime_ns, status.st_size
    return states


def _check(paths: Sequence[Path], changed: frozenset[str] | None) -> None:
    """Lint and test the changed packs; all of them if `changed` is None or names a file that is no pack."""
    begun = time.monotonic()
    try:
        packs, files = load_packs_for(paths), pack_files(paths) or frozenset()
    except RuleError as error:  # the path is gone, perhaps for as long as it takes to save it
        sys.stdout.write(f"{error}\n")
        return
    if changed is not None and changed <= files:
        files = changed
    sys.stdout.writelines(f"{line}\n" for line in _check_files(packs, files))
    sys.stdout.write(f"{time.monotonic() - begun:.1f} s; waiting for changes, Ctrl-C to stop\n")
    sys.stdout.flush()


def _check_files(packs: Packs, files: frozenset[str]) -> Iterator[str]:
    """Yield what `rules lint` and `rules test -q` print of the packs in these files."""
    from analyzer.reading import build_plan
    from analyzer.rule_tests import run_tests
    from analyzer.rule_tests.matrix import print_matrix

    yield from map(str, problems := find_problems(packs, files))
    chosen = {name: rule for name, rule in packs.rules.items() if rule.file in files}
    plan = build_plan(packs, for_small_texts=True)
    outcomes = list(run_tests(chosen, packs, plan))
    failed = [outcome for outcome in outcomes if outcome.failure]
    yield from print_matrix(outcomes, chosen, failed_only=True)
    yield from explain_failures(failed, chosen, packs, plan)
    yield f"{describe_extent(packs, files)}: {count_problems(problems)}; {count_outcomes(outcomes)}"
