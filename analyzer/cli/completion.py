"""`tf-postmortem completion`: the script with which a shell completes commands, options and file names.

Click's own completion, not Typer's, which needs a shell's name guessed and writes into start files.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer


class Shell(StrEnum):
    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def add_to(app: typer.Typer) -> None:
    app.command(name="completion")(completion)


def completion(
    shell: Annotated[Shell, typer.Argument(help="The shell: bash, zsh or fish.", show_default=False)],
) -> None:
    """Print the completion script of a shell: `eval "$(tf-postmortem completion bash)"` in its start file."""
    from click.shell_completion import get_completion_class

    from analyzer.cli import COMPLETION_VARIABLE, build_command
    from analyzer.cli._usage_errors import PROGRAM

    script_of = get_completion_class(shell.value)
    assert script_of is not None  # click has all three
    sys.stdout.write(script_of(build_command(), {}, PROGRAM, COMPLETION_VARIABLE).source() + "\n")
