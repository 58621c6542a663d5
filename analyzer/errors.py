"""Errors of the program's *user*: bad input to the program, never bad data inside a bundle.

Each has one line that says what is wrong, a hint that says what to try, and the exit status that the command line
promises. Bad data inside a bundle is a `problem` of its source instead.
"""

from __future__ import annotations


class AnalyzerError(Exception):
    """Something that the user can act on; only `cli` catches it, and prints it."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(AnalyzerError):
    """The command line does not make sense."""

    exit_code = 2


class InputError(AnalyzerError):
    """No input could be read."""

    exit_code = 3


class RuleError(AnalyzerError):
    """A rule pack is invalid; `message` holds one `file:line: text` a line."""

    exit_code = 4
