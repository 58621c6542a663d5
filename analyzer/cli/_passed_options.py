"""A command that takes the options of `analyze` and hands them on. No command of its own."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import click
import typer
from click.core import ParameterSource
from typer.core import TyperCommand

from analyzer.cli._log import LOG_FILE, VERBOSITY, add_log_options
from analyzer.cli._outputs import add_output_options

PASSED_WORDS = "analyzer.passed_words"  # key of click's Context.meta: the words to hand on
LEFT_OUT = {"earlier", "help"}  # options that make no sense for files that change


class PassingCommand(TyperCommand):
    """A command with the options of `analyze` beside its own, in its help and in completion, too.

    Its log is that of the runs of `analyze`, which know the names that --redact hides in it.
    """

    has_own_log = True

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.params += [_pass_on(option) for option in _analyze_options() if option.name not in LEFT_OUT]


def passed_words(context: click.Context) -> list[str]:
    """Return the options of `analyze` as they would be typed, with those given before the command's name."""
    meta = context.meta
    log = ["-v"] * meta.get(VERBOSITY, 0) + (["--log-file", meta[LOG_FILE]] if LOG_FILE in meta else [])
    return [*log, *meta.get(PASSED_WORDS, [])]


def _analyze_options() -> list[click.Option]:
    from analyzer.cli import analyze

    app = typer.Typer(add_completion=False)
    app.callback()(lambda: None)  # without a callback Typer turns an app of one command into that command
    analyze.add_to(app)
    group = add_log_options(add_output_options(typer.main.get_command(app)))
    assert isinstance(group, click.Group)
    return [param for param in group.commands["analyze"].params if isinstance(param, click.Option)]


def _pass_on(option: click.Option) -> click.Option:
    """Return a copy of the option that is checked as usual, and then only remembered."""

    def remember(context: click.Context, param: click.Parameter, value: object) -> None:
        if context.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE:
            context.meta.setdefault(PASSED_WORDS, []).extend(_words(option, value))

    passed = copy.copy(option)
    passed.callback, passed.expose_value = remember, False
    return passed


def _words(option: click.Option, value: object) -> Iterator[str]:
    name = max(option.opts, key=len)
    if option.count:
        yield from [name] * int(str(value))
    elif option.is_flag:
        yield name
    else:
        for argument in value if isinstance(value, list | tuple) else (value,):
            yield from (name, str(getattr(argument, "value", argument)))
