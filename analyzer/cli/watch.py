"""`tf-postmortem watch`: analyze a folder again each time its files have changed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import click
import typer

from analyzer.cli import _panels as panel
from analyzer.cli._passed_options import PassingCommand, passed_words
from analyzer.cli._signals import EndedBySignal
from analyzer.cli._streams import console_stdout
from analyzer.errors import AnalyzerError, UsageError

POLL_S = 0.5  # seconds between two looks at the folder
FileStates = Mapping[str, tuple[int, int]]  # file → its time of change in nanoseconds, its size in bytes


def add_to(app: typer.Typer) -> None:
    app.command(name="watch", cls=PassingCommand, epilog=EXAMPLE)(watch)


EXAMPLE = """Example:

  tf-postmortem watch incident/ -o report.html --redact"""


def watch(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder where logs are added.", show_default=False)],
    settle: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=3600.0,
            help="Seconds without a change before the files are analyzed.",
            rich_help_panel=panel.WATCHING,
        ),
    ] = 3.0,
) -> None:
    """Analyze a folder now, and again each time its files have changed, until Ctrl-C.

    The other options are those of `analyze`.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", "give the folder where logs are added")
    words = passed_words(context)
    with suppress(EndedBySignal):
        for states in settled_states(folder, settle, lambda: time.sleep(POLL_S), time.monotonic):
            if states:
                analyze_folder(folder, words)
                for stream in (sys.stdout, console_stdout()):  # a file has each answer before the next one
                    stream.flush()
            sys.stderr.write(
                f"{'' if states else 'the folder has no files yet; '}waiting for changes, Ctrl-C to stop\n"
            )
            sys.stderr.flush()
    sys.stderr.write("stopped watching\n")


def settled_states(
    folder: Path, settle: float, wait: Callable[[], None], clock: Callable[[], float]
) -> Iterator[FileStates]:
    """Yield the states of the folder's files at once, and again whenever they differ from those yielded last and have
    not changed for `settle` seconds of `clock`. `wait` returns before the next look.
    """
    yielded = seen = _file_states(folder)
    since = clock()
    yield yielded
    while True:
        wait()
        states = _file_states(folder)
        if states != seen:
            seen, since = states, clock()
        if seen != yielded and clock() - since >= settle:
            yielded = seen
            yield yielded


def _file_states(folder: Path) -> FileStates:
    """Return the state of each file in the folder, but for reports of this program, which an analysis itself writes."""
    from analyzer.bundle.own_outputs import is_own_output

    states: dict[str, tuple[int, int]] = {}
    for path in folder.rglob("*"):
        with suppress(OSError):  # removed meanwhile
            if path.is_file() and not is_own_output(path):
                status = path.stat()
                states[str(path)] = status.st_mtime_ns, status.st_size
    return states


def analyze_folder(folder: Path, options: list[str]) -> None:
    """Run `analyze` as if it were typed. An error that ends one run does not end the watch: a log may be unreadable."""
    from analyzer.cli import build_full_command

    try:
        build_full_command().main(["analyze", str(folder), *options], standalone_mode=False)
    except UsageError:
        raise
    except AnalyzerError as error:
        sys.stderr.write(f"error: {error.message}\n" + (f"hint: {error.hint}\n" if error.hint else ""))
    except click.ClickException as error:
        raise UsageError(error.format_message(), "see tf-postmortem analyze --help") from None
