"""The options -v, -vv and --log-file of every command, before or behind the command's name. No command of its own.

They are added to the tree of commands in one place, so a new command has them too. `collect` and `record` hand their
words on to the standalone collector's parser, which has the same options.
"""

from __future__ import annotations

import logging
import platform
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from typer.core import TyperOption

from analyzer import __version__
from analyzer.cli._outputs import OUTPUT_FILES
from analyzer.errors import AnalyzerError, UsageError

if TYPE_CHECKING:
    from analyzer.redact.rename import Renaming

_log = logging.getLogger("analyzer.cli")
VERBOSITY, LOG_FILE = "analyzer.verbosity", "analyzer.log_file"  # keys of click's Context.meta
VERBOSE_HELP = "Explain on standard error how the program reached its answer; -vv gives more detail."
LOG_FILE_HELP = "Write the log of -vv, with times, to this file."


def add_log_options(command: click.Command) -> click.Command:
    """Give a command, or each command of a group and the group itself, the options of the log. Returns it."""
    if getattr(command, "has_own_log", False):
        return command
    if command.context_settings.get("ignore_unknown_options"):  # its arguments go unchanged to the collector's parser
        command.callback = _with_log(command.callback)
        return command
    command.params += [
        TyperOption(
            param_decls=["-v", "--verbose"],
            count=True,
            expose_value=False,
            callback=_add_verbosity,
            help=VERBOSE_HELP,
            show_default=False,
            metavar="",
        ),
        TyperOption(
            param_decls=["--log-file"],
            metavar="FILE",
            expose_value=False,
            callback=_set_log_file,
            help=LOG_FILE_HELP,
        ),
    ]
    if isinstance(command, click.Group):
        for subcommand in command.commands.values():
            add_log_options(subcommand)
    else:
        command.callback = _with_log(command.callback)
    return command


def _add_verbosity(context: click.Context, _: click.Parameter, value: int | None) -> None:
    context.meta[VERBOSITY] = context.meta.get(VERBOSITY, 0) + (value or 0)


def _set_log_file(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.meta[LOG_FILE] = value


def _with_log(callback: Callable[..., Any] | None) -> Callable[..., Any]:
    """Wrap the function of a command: start the log before it, if the user asked for one, and end it after."""

    def run(*arguments: Any, **options: Any) -> Any:
        assert callback is not None
        meta = click.get_current_context().meta
        verbosity, file = meta.get(VERBOSITY, 0), meta.get(LOG_FILE)
        if not verbosity and file is None:
            return callback(*arguments, **options)
        with ExitStack() as cleanup:
            _begin_log(verbosity, file, options, cleanup)
            _log.info("%s, version %s", click.get_current_context().command_path, __version__)
            given = [f"{name}={value}" for name, value in options.items() if value]
            _log.debug("Python %s on %s: %s", platform.python_version(), platform.platform(), ", ".join(given))
            return callback(*arguments, **options)

    return run


def _begin_log(verbosity: int, file: str | None, options: Mapping[str, object], cleanup: ExitStack) -> None:
    from analyzer.redact.log_output import end_log, start_log
    from analyzer.scratch import scratch_folder

    if file is not None:
        _check_log_file(file, {**options, **click.get_current_context().meta.get(OUTPUT_FILES, {})})
    held = cleanup.enter_context(scratch_folder()) / "log" if options.get("redact") else None
    try:
        start_log(verbosity, None if file is None else Path(file), held)
    except OSError as error:
        raise AnalyzerError(
            f"{file or held}: {error.strerror or error}", "choose another file with --log-file"
        ) from None
    cleanup.callback(end_log)


def _check_log_file(file: str, options: Mapping[str, object]) -> None:
    """Raises UsageError if the log would overwrite an input or another output."""
    if not file or file == "-":
        raise UsageError(f"--log-file needs a file name, but the next word is {file!r}", "-v writes to standard error")
    if any(_is_same_file(file, text) for text in _texts(options.values())):
        raise UsageError(f"--log-file {file} is also an input or another output", "choose another file")


def _texts(values: Iterable[object]) -> Iterable[str]:
    for value in values:
        if isinstance(value, str | Path):
            yield str(value)
        elif isinstance(value, list | tuple):
            yield from _texts(value)


def _is_same_file(first: str, second: str) -> bool:
    try:
        return Path(first).absolute() == Path(second).absolute() or Path(first).samefile(second)
    except (OSError, ValueError):
        return False


def release_log_with(renaming: Renaming) -> None:
    """Write the log lines that were held back until the names to hide were known. Lines that would still show a name
    are left out.
    """
    from analyzer.redact.log_output import release_log

    def hide_names(message: str) -> str:
        hidden = renaming.replace_names(message)
        return "a line is left out, because it contains a name to hide" if renaming.find_originals(hidden) else hidden

    release_log(hide_names)
