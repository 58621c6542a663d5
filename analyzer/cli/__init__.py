"""The command line: one file for each command. Only this package prints, and only it catches AnalyzerError."""

from __future__ import annotations

import errno
import gc
import importlib
import os
import pkgutil
import re
import shlex
import signal
import sys
from contextlib import suppress
from typing import Annotated, NoReturn

import click
import typer
from typer.core import TyperCommand, TyperGroup

from analyzer.cli._log import add_log_options
from analyzer.cli._outputs import add_output_options
from analyzer.cli._signals import EndedBySignal, install_end_handlers
from analyzer.cli._streams import configure_streams, console_stdout
from analyzer.cli._usage_errors import PROGRAM, run_command
from analyzer.errors import AnalyzerError, UsageError

GC_THRESHOLD_OBJECTS = (
    100_000  # new objects before the garbage collector runs; modules, lines and events have no cycles to free
)

UNLIMITED_WIDTH = 100_000  # columns; no text of the help is as long
COMPLETION_VARIABLE = "_TF_POSTMORTEM_COMPLETE"


class ProgramGroup(TyperGroup):
    """The program's commands. A file in the place of a command is what people try first."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and os.path.lexists(args[0]):
            raise UsageError(f"{args[0]} is not a command", f"to analyze it: {PROGRAM} analyze {shlex.quote(args[0])}")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name=PROGRAM,
    cls=ProgramGroup,
    no_args_is_help=True,
    add_completion=False,  # `tf-postmortem completion SHELL` prints the script
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Find out why a distributed TensorFlow training failed, from its logs, kernel logs and core dumps.",
)


def main() -> None:
    """Run the command line. Exit status: 0 ran, 1 any other error, 2 usage, 3 no input, 4 invalid pack, 10 with
    --fail-on.
    """
    gc.set_threshold(GC_THRESHOLD_OBJECTS)
    try:
        install_end_handlers()
        _add_commands(next((word for word in sys.argv[1:] if not re.fullmatch("-v+|--verbose", word)), ""))
        configure_streams()
        try:
            if COMPLETION_VARIABLE in os.environ:
                _answer_completion()
            run_command(build_command())
        except SystemExit as ended:
            if isinstance(ended.__context__, BrokenPipeError):  # Click handles it, with status 1
                raise ended.__context__ from None
            raise
        finally:
            sys.stdout.flush()  # the held-back log may not fit on the disk
            gc.freeze()  # nor is a collection useful when the program ends
    except AnalyzerError as error:
        _exit_with_error(error)
    except EndedBySignal as received:
        with suppress(OSError):  # the terminal itself may be gone
            sys.stderr.write("stopped\n")
        sys.exit(128 + received.number)
    except BrokenPipeError:  # the reader of the pipe (`| head`) is gone: print nothing
        _discard_stdout()
        sys.exit(128 + signal.SIGPIPE)  # as the shell reports a program that the signal ended
    except MemoryError:
        _exit_with_error(
            AnalyzerError(
                "there is not enough memory", "use `--jobs 1`, which needs less, or raise the limit (ulimit -v)"
            )
        )
    except OSError as error:  # an error of standard output, or of the disk for private copies
        from analyzer.report.output_file import ERRNO_HINTS

        _discard_stdout()
        file_prefix = f"{error.filename}: " if error.filename else ""
        hint = ERRNO_HINTS.get(errno.errorcode.get(error.errno or 0, ""), "")
        _exit_with_error(AnalyzerError(f"{file_prefix}{error.strerror or error}", hint))


def _answer_completion() -> NoReturn:
    """Print the words that a shell may complete to, and end the program.

    This is Click's own completion. Typer's uses another protocol and writes into the start files of shells.
    """
    from click.shell_completion import shell_complete

    sys.exit(shell_complete(build_command(), {}, PROGRAM, COMPLETION_VARIABLE, os.environ[COMPLETION_VARIABLE]))


def build_command() -> click.Command:
    """Return the command line of the commands that were added, with the options that all of them have."""
    command = add_log_options(add_output_options(typer.main.get_command(app)))
    return command if console_stdout().isatty() else _print_help_plainly(command)


def _print_help_plainly(command: click.Command) -> click.Command:
    """Let the help of a command and of its subcommands have no boxes, and each text on one line: it goes to a file."""
    command.context_settings["terminal_width"] = UNLIMITED_WIDTH  # contexts of subcommands inherit it
    if isinstance(command, TyperGroup | TyperCommand):
        command.rich_markup_mode = None
    for part in command.commands.values() if isinstance(command, click.Group) else ():
        _print_help_plainly(part)
    return command


def build_full_command() -> click.Command:
    """Return the command line with all commands, whichever one was typed."""
    _add_commands("")
    return build_command()


def _exit_with_error(error: AnalyzerError) -> NoReturn:
    sys.stderr.write(f"error: {error.message}\n" + (f"hint: {error.hint}\n" if error.hint else ""))
    sys.exit(error.exit_code)


def _discard_stdout() -> None:
    """Redirect standard output to /dev/null: otherwise Python reports the error again when it closes the stream."""
    with suppress(OSError):  # no descriptor is left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _add_commands(word: str) -> None:
    """Import the command that the first word names, or all commands if it names none.

    Importing one command alone makes the start fast. `rules_test.py` adds to the command of `rules.py`.
    """
    names = [module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")]
    for name in [name for name in names if name.split("_")[0] == word] or names:
        importlib.import_module(f"{__name__}.{name}").add_to(app)
    app.callback()(_root_callback)


def _print_version(asked: bool) -> None:
    if asked:
        from analyzer import __version__

        sys.stdout.write(f"tf-postmortem {__version__}\n")
        raise typer.Exit


def _root_callback(
    _: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Keep the command's name required: without a callback Typer turns an app of one command into that command."""
