"""Read and check single values of a pack's YAML: words of a vocabulary, patterns, lists.

Errors are collected, not raised.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypeVar

import regex

from analyzer.rules.parsing.yaml_values import PackProblem, YamlMapping
from analyzer.scan import find_fault
from analyzer.scan.pattern_memo import remember_sound
from analyzer.signals.compiled_patterns import compile_pattern
from analyzer.signals.types import SourcePosition

T = TypeVar("T")
MAX_NAMES_IN_ADVICE = 24  # known names that an advice lists
ESCAPE_ADVICE = "escape literal brackets and signs as \\( \\[ \\+, or use `contains` for literal text"
ALL_NAMES_ADVICE = "`tf-postmortem rules list` and docs/rules.md list all names"
SHORTEN_ADVICE = "reduce its counted repeats, and use only syntax that Python's `re` supports too"

NAMED_GROUP_ADVICE = "write named groups as (?P<name>...)"
_FOREIGN_NAMED_GROUP = regex.compile(r"\(\?<[A-Za-z_]")
# Words that other tools use for our severities.
_SYNONYMS = {
    "alert": "fatal",
    "critical": "fatal",
    "crit": "fatal",
    "emergency": "fatal",
    "panic": "fatal",
    "err": "error",
    "warn": "warning",
    "notice": "info",
    "debug": "info",
}


class FieldReader:
    """Reads values of one file, and appends what is wrong to `problems`.

    The patterns of a trusted pack are not checked, because they were checked before the pack was shipped.
    """

    def __init__(self, file: str, problems: list[PackProblem], trusted: bool = False) -> None:
        self.file = file
        self.problems = problems
        self.trusted = trusted

    def add_problem(self, position: SourcePosition, text: str, advice: str) -> None:
        self.problems.append(PackProblem(self.file, position, text if len(text) < 600 else text[:600] + "…", advice))

    def check_keys(self, body: YamlMapping, valid_keys: frozenset[str], owner: str) -> None:
        for key in body:
            if key not in valid_keys:
                self.add_problem(
                    body.key_position(key),
                    f"{owner}: unknown key {key[:80]!r}",
                    suggest_name(key, valid_keys, "docs/rules.md lists all keys"),
                )

    def read_patterns(self, body: YamlMapping, key: str, name: str) -> tuple[str, ...]:
        """Return the patterns of a key: a text, a list, or for `match` also `{any: [...]}`.

        Faulty ones become problems and are left out, unless the pack is trusted.

        name: what the mapping describes, for messages.
        """
        mapping, list_key, raw = body, key, body.get(key)
        if key == "match" and isinstance(raw, YamlMapping):
            self.check_keys(raw, frozenset({"any"}), f"{name}: match")
            mapping, list_key, raw = raw, "any", raw.get("any")
        return tuple(
            pattern
            for index, pattern in enumerate(as_strings(raw))
            if self.trusted
            or self.check_pattern(pattern, mapping.position_of(list_key, index), name, is_scanned=key == "match")
        )

    def check_pattern(self, pattern: str, position: SourcePosition, name: str, is_scanned: bool = False) -> bool:
        """Return whether `regex` compiles the pattern and, if it is searched in all lines, the scanner accepts it.

        `is_scanned` says that the pattern is searched in all lines. What is wrong becomes a problem at `position`.
        """
        fault = _find_syntax_fault(pattern) or (_find_scan_fault(pattern) if is_scanned else None)
        if fault:
            self.add_problem(position, f"{name}: {fault.text}", fault.advice)
        return fault is None

    def read_word(self, body: YamlMapping, key: str, meanings: Mapping[str, T]) -> T | None:
        raw = body.get(key)
        if raw is None:
            return None
        if str(raw) not in meanings:
            self.add_problem(body.position_of(key), f"{key}: {raw!r} is not known", suggest_name(str(raw), meanings))
            return None
        return meanings[str(raw)]

    def read_words(self, body: YamlMapping, key: str, valid_words: frozenset[str]) -> tuple[str, ...]:
        valid = []
        for index, word in enumerate(as_strings(body.get(key))):
            if word in valid_words:
                valid.append(word)
            else:
                self.add_problem(
                    body.position_of(key, index), f"{key}: {word!r} is not known", suggest_name(word, valid_words)
                )
        return tuple(valid)

    def list(self, body: YamlMapping, key: str) -> list[object]:
        raw = body.get(key)
        if raw is None:
            return []
        if not isinstance(raw, list):
            self.add_problem(
                body.position_of(key),
                f"{key} is not a list",
                f"write `{key}:` and each item on a line of its own, after a dash",
            )
            return []
        return raw


@dataclass(frozen=True, slots=True)
class _PatternFault:
    """What is wrong with a pattern, and what to do."""

    text: str
    advice: str


@remember_sound
def _find_syntax_fault(pattern: str) -> _PatternFault | None:
    try:
        compile_pattern(pattern)
    except (regex.error, RecursionError, OverflowError, MemoryError) as error:
        return _PatternFault(f"the pattern {_show(pattern)} is not valid: {error}", ESCAPE_ADVICE)
    return None


@remember_sound
def _find_scan_fault(pattern: str) -> _PatternFault | None:
    """Return why a pattern that compiles cannot be searched for in all lines."""
    if fault := find_fault(pattern):
        advice = NAMED_GROUP_ADVICE if _FOREIGN_NAMED_GROUP.search(pattern) else SHORTEN_ADVICE
        return _PatternFault(f"the scanner cannot use {_show(pattern)}: {fault}", advice)
    if compile_pattern(pattern).match(""):
        advice = "add words that must occur in the line; otherwise it fires on every line"
        return _PatternFault(f"the pattern {_show(pattern)} matches an empty line", advice)
    return None


def _show(pattern: str) -> str:
    return f"'{pattern[:200]}'"  # as written, without doubled backslashes


def suggest_name(word: str, names: Collection[str], otherwise: str = ALL_NAMES_ADVICE) -> str:
    """Return advice for an unknown word: the most similar known name, all names if there are few, or `otherwise`."""
    if (synonym := _SYNONYMS.get(word.lower())) in names:
        return f"did you mean {synonym!r}?"
    if matches := difflib.get_close_matches(word[:40], list(names), 1):
        return f"did you mean {matches[0]!r}?"
    if len(names) <= MAX_NAMES_IN_ADVICE:
        return f"the known names are {', '.join(sorted(names)) or 'none'}"
    return f"no known name is similar: {otherwise}"


def suggest_if_close(word: str, names: Collection[str], lead: str) -> str:
    """Return `lead` and the known name that is spelled almost like the word; an empty text if there is none."""
    matches = difflib.get_close_matches(word[:40], list(names), 1, cutoff=0.85)
    return f"{lead}{matches[0]}" if matches else ""


def as_strings(raw: object) -> tuple[str, ...]:
    if raw is None:
        return ()
    return tuple(map(str, raw)) if isinstance(raw, list) else (str(raw),)


def as_texts(raw: object) -> Mapping[str, str]:
    return {key: str(value) for key, value in raw.items()} if isinstance(raw, Mapping) else {}
