"""What an importer makes of a file: rules and signals as plain values, and what could not be carried over."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import regex

from analyzer.scan.pattern_check import find_fault
from analyzer.signals.compiled_patterns import compile_pattern

_POSIX_CLASSES = {
    "[:alpha:]": "A-Za-z",
    "[:digit:]": "0-9",
    "[:alnum:]": "A-Za-z0-9",
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
    "[:space:]": r"\s",
    "[:word:]": r"\w",
    "[:xdigit:]": "0-9A-Fa-f",
    "[:punct:]": r"!-/:-@\[-`{-~",
}
_LITERAL = re.compile(r"\\Q(.*?)(?:\\E|$)", re.DOTALL)
_ANYTHING = (".*?", ".*")


class NotCarriedOverError(Exception):
    """A rule of another tool says something that the rule language cannot say."""


@dataclass(slots=True)
class ImportedRule:
    """One rule: the keys of a rule and of the signals that it needs, and notes on what was changed or left out."""

    source_id: str
    body: dict[str, object] = field(default_factory=dict)
    signals: dict[str, object] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problem: str | None = None  # why it could not be carried over


def make_id(text: str) -> str:
    """Return the text as the id of a rule: words in lower case, joined by hyphens."""
    spaced = re.sub(r"(?<=[a-z\d])(?=[A-Z])", "-", text)
    return re.sub(r"[^a-z0-9]+", "-", spaced.lower()).strip("-")[:80]


def plain_text(text: object) -> str:
    """Return prose without line breaks and braces, which templates would take for captures."""
    return re.sub(r"\s+", " ", str(text or "")).strip().replace("{", "(").replace("}", ")")


def _strip_anything(pattern: str) -> str:
    """Return the pattern without `.*` and `.*?` at its ends, which change nothing in a search."""
    start, end = 0, len(pattern)
    while pattern.startswith(_ANYTHING, start, end):
        start += 3 if pattern.startswith(_ANYTHING[0], start, end) else 2
    while pattern.endswith(_ANYTHING, start, end):
        shorter = end - (3 if pattern.endswith(_ANYTHING[0], start, end) else 2)
        if shorter > start and pattern[shorter - 1] == "\\":
            break  # the dot is a literal one
        end = shorter
    return pattern[start:end]


def translate_pattern(pattern: str) -> str:
    """Return a pattern of Go's `regexp` (RE2) in the syntax of this program.

    Raises NotCarriedOverError if the pattern needs several lines or is not valid here.
    """
    if re.search(r"\\n|\n|\(\?[a-zA-Z]*s", pattern):
        raise NotCarriedOverError(
            f"the pattern {pattern[:80]!r} spans several lines; a pattern here is searched in one"
        )
    translated = _LITERAL.sub(lambda match: regex.escape(match[1], literal_spaces=True), pattern)
    for name, characters in _POSIX_CLASSES.items():
        translated = translated.replace(name, characters)
    translated = re.sub(r"\(\?<(?![=!])", "(?P<", translated).replace(r"\z", r"\Z")
    translated = _strip_anything(translated)
    try:
        compile_pattern(translated)
    except (regex.error, RecursionError, OverflowError, MemoryError) as error:
        raise NotCarriedOverError(f"the pattern {pattern[:80]!r} is not valid here: {error}") from None
    if fault := find_fault(translated):
        raise NotCarriedOverError(f"the scanner cannot use the pattern {pattern[:80]!r}: {fault}")
    return translated
