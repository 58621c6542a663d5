"""Choose the configuration that a command reads, and report the one that it leaves out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from analyzer.cli import _panels as panel
from analyzer.cli._inputs import STANDARD_INPUT
from analyzer.errors import UsageError

if TYPE_CHECKING:
    from analyzer.rules.packs.user_packs import UserPacks

Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        envvar="TF_POSTMORTEM_CONFIG",
        help="Read this configuration instead of tf-postmortem.toml in the current folder.",
        rich_help_panel=panel.INPUT,
    ),
]


def list_bundles(paths: Iterable[Path]) -> list[str]:
    """Return the paths that are no reports of this program: a bundle may bring a configuration, a report does not."""
    from analyzer.report.reader import is_report

    return [str(path) for path in paths if not is_report(path)]


def choose_packs(inputs: Sequence[str], config: Path | None, redact: bool = False) -> UserPacks:
    """Return the user's packs for an analysis of `inputs`. Print to standard error what is wrong with the
    configuration, or that it is left out.

    Raises UsageError if `config` is not a file, and if the configuration that is left out names words to redact:
    without them a redacted report would show what its owner wants to hide.
    """
    from analyzer.bundle import parse_input
    from analyzer.rules.packs.user_packs import find_user_packs

    user_packs = find_user_packs(inputs=[parse_input(text) for text in inputs if text != STANDARD_INPUT], config=config)
    if user_packs.unread_config is None:
        sys.stderr.writelines(f"{problem}\n" for problem in user_packs.problems)
        return user_packs
    if redact and user_packs.unread_redact_words:
        message = f"{user_packs.unread_config} names words to redact and is not read: it may have come with the input"
        raise UsageError(message, f"--config {user_packs.unread_config} reads it, --config /dev/null ignores it")
    sys.stderr.write(f"{user_packs.problems[0]}\n")
    return user_packs
