"""Expectations inside a long log, each on a line of its own before the line that it describes:

    #! host-oom-kill          the rule must fire on the next line
    #~ host-oom-kill gpu-*    none of these rules may fire there
    #? gpu-lost               the rule should fire, and does not yet: a known gap

They are removed before the log is analyzed. Line numbers are those of the file as its author sees it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

_EXPECTATION_LINE = re.compile(r"#(?P<demand>[!~?])[ \t]+(?P<rules>[\w.*?\[\]-]+(?:[ ,\t]+[\w.*?\[\]-]+)*)[ \t]*\r?\n?")


class ExpectationKind(StrEnum):
    FIRES = "!"  # the rule fires
    SILENT = "~"
    KNOWN_GAP = "?"  # the rule should fire, and does not yet


@dataclass(frozen=True, slots=True)
class InlineExpectation:
    """An expectation about one line of the log."""

    kind: ExpectationKind
    rules: tuple[str, ...]  # ids or globs
    line: int  # number, in the file, of the line that it describes


@dataclass(frozen=True, slots=True)
class AnnotatedLog:
    """A log without its expectations. `line_numbers[i]` is the number, in the file, of line i + 1 of `text`."""

    text: str
    expectations: tuple[InlineExpectation, ...]
    line_numbers: tuple[int, ...]

    def original_line_number(self, line: int) -> int:
        """Return the number, in the file, of a line of `text`."""
        return self.line_numbers[line - 1] if 0 < line <= len(self.line_numbers) else line


def read_expectations(text: str) -> AnnotatedLog:
    """Return the log and its expectations. Expectations at the end refer to the line after the last."""
    kept_lines: list[str] = []
    line_numbers: list[int] = []
    expectations: list[InlineExpectation] = []
    pending: list[tuple[ExpectationKind, tuple[str, ...]]] = []
    lines = text.splitlines(keepends=True)
    for line_number, line in enumerate(lines, 1):
        if match := _EXPECTATION_LINE.fullmatch(line):
            pending.append((ExpectationKind(match["demand"]), tuple(re.split(r"[ ,\t]+", match["rules"].strip()))))
            continue
        expectations += [InlineExpectation(kind, rules, line_number) for kind, rules in pending]
        pending.clear()
        kept_lines.append(line)
        line_numbers.append(line_number)
    expectations += [InlineExpectation(kind, rules, len(lines) + 1) for kind, rules in pending]
    return AnnotatedLog("".join(kept_lines), tuple(expectations), tuple(line_numbers))


def check_expectations(log: AnnotatedLog, fired: Mapping[int, Set[str]]) -> Iterator[tuple[int, str, bool]]:
    """Yield (line, message, is an error) for each expectation that fails. `fired`: rules by line of the file."""
    for expectation in log.expectations:
        fired_here = fired.get(expectation.line, frozenset())
        for rule_glob in expectation.rules:
            matching = [name for name in sorted(fired_here) if fnmatchcase(name, rule_glob)]
            if expectation.kind is ExpectationKind.FIRES and not matching:
                yield (
                    expectation.line,
                    f"{rule_glob} must fire here; these rules fired: {', '.join(sorted(fired_here)) or 'none'}",
                    True,
                )
            elif expectation.kind is ExpectationKind.SILENT and matching:
                yield expectation.line, f"{', '.join(matching)} must not fire here", True
            elif expectation.kind is ExpectationKind.KNOWN_GAP and matching:
                yield (
                    expectation.line,
                    f"{', '.join(matching)} fires here now: the gap is closed (--bless writes #!)",
                    False,
                )


def update_expectations(text: str, fired: Mapping[int, Set[str]], own_rules: Set[str]) -> str:
    """Return the file with expectations that describe the present result.

    `own` are the rules that get an expectation where they fire without one. A `#!` that no longer fires becomes a
    known gap, so that it is not forgotten; a `#?` or `#~` that fires becomes `#!`.
    """
    log = read_expectations(text)
    by_line: dict[int, list[InlineExpectation]] = {}
    for expectation in log.expectations:
        by_line.setdefault(expectation.line, []).append(expectation)
    written: list[str] = []
    lines = text.splitlines(keepends=True)
    for line_number in (*log.line_numbers, len(lines) + 1):
        line_end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
        fired_here = fired.get(line_number, frozenset()) if line_number <= len(lines) else frozenset()
        if written and not written[-1].endswith("\n") and by_line.get(line_number):
            written.append(line_end)
        for kind, names in _update_line_expectations(by_line.get(line_number, []), fired_here, own_rules):
            written.append(f"#{kind} {' '.join(names)}{line_end}")
        if line_number <= len(lines):
            written.append(lines[line_number - 1])
    return "".join(written)


def _update_line_expectations(
    expectations: list[InlineExpectation], fired: Set[str], own_rules: Set[str]
) -> Iterator[tuple[ExpectationKind, list[str]]]:
    must: list[str] = []
    gaps: list[str] = []
    never: list[str] = []
    for expectation in expectations:
        for rule_glob in expectation.rules:
            matching = [name for name in sorted(fired) if fnmatchcase(name, rule_glob)]
            if matching and expectation.kind is ExpectationKind.FIRES:
                must.append(rule_glob)
            elif matching:
                must += matching
            else:
                (never if expectation.kind is ExpectationKind.SILENT else gaps).append(rule_glob)
    must += [name for name in sorted(fired & own_rules) if not any(fnmatchcase(name, rule_glob) for rule_glob in must)]
    for kind, names in (
        (ExpectationKind.FIRES, must),
        (ExpectationKind.KNOWN_GAP, gaps),
        (ExpectationKind.SILENT, never),
    ):
        if names:
            yield kind, list(dict.fromkeys(names))
