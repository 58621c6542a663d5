"""Find texts of a rule that need a capture which one of its patterns does not always set."""

from __future__ import annotations

import functools
import itertools
import re
import re._constants as sre  # type: ignore[import-not-found]
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import regex

from analyzer.rules.evaluation.templates import BUILTIN_FIELDS, required_fields
from analyzer.rules.linting.faults import (
    LintedFiles,
    LintFault,
    is_linted,
    locate_in_rule,
    named_groups,
    possible_captures,
    signal_conditions,
)
from analyzer.rules.types import Packs, Rule
from analyzer.scan.parse_tree import REPEATS, parse_pattern
from analyzer.signals.types import Signal, capture_of_field
from analyzer.signals.value_tests import may_pass_absent

_NAMED_GROUP = regex.compile(r"\(\?P?<(\w+)>")
_COPY_MARK = "__copy"  # `regex` allows a group name twice, the parser of `re` does not


def check_missing_captures(packs: Packs, files: LintedFiles = None) -> Iterator[LintFault]:
    for rule in packs.rules.values():
        if not is_linted(rule.file, files):
            continue
        for key, template in (("title", rule.title), ("summary", rule.summary)):
            for name in sorted(set(required_fields(template)) - BUILTIN_FIELDS - set(rule.aliases)):
                if pattern := _pattern_without(rule, name, packs):
                    text = f"rule {rule.id}: {{{name}}} may be missing, because this pattern does not set it: {pattern}"
                    advice = f"write {{{name}?}}, or put the words that need it into brackets: [of {{{name}}}]"
                    yield LintFault(locate_in_rule(rule, key), text, advice)


def _pattern_without(rule: Rule, name: str, packs: Packs) -> str | None:
    """Return a pattern that can match without setting the capture; None if the rule makes sure that it is known."""
    conditions = [part for part in signal_conditions(rule.when) if name in possible_captures(part.signal, packs)]
    if len({condition.signal for condition in conditions}) != 1 or any(
        name in dict(condition.where) for condition in conditions
    ):
        return None  # another signal may set it, or the rule tests it
    return _find_pattern_without(packs.signals.get(conditions[0].signal), name, packs)


def _find_pattern_without(signal: Signal | None, name: str, packs: Packs) -> str | None:
    if signal is None or "traceback" in signal.feeds or name in {*signal.set, *signal.bits}:
        return None
    if any(name == capture_of_field(field) and not may_pass_absent(tests) for field, tests in signal.fields):
        return None
    if any(name in row for lookup in signal.lookup for row in packs.tables.get(lookup.table, {}).values()):
        return None
    if any(name in named_groups(pattern) for pattern in signal.also):
        return None  # an example of the rule says whether the block has it
    return next((pattern for pattern in signal.match if name not in groups_always_set(pattern)), None)


@functools.lru_cache(maxsize=16384)
def groups_always_set(pattern: str) -> frozenset[str]:
    """Return the named groups that every match of the pattern sets; all of them if `re` cannot parse the pattern."""
    numbers = itertools.count()
    unique = _NAMED_GROUP.sub(lambda match: f"(?P<{match[1]}{_COPY_MARK}{next(numbers)}>", pattern)
    try:
        tree = parse_pattern(unique)
    except (re.error, RecursionError, OverflowError):
        return named_groups(pattern)
    names = {number: name.partition(_COPY_MARK)[0] for name, number in tree.state.groupdict.items()}
    return _names_always_set(tree, names)


def _names_always_set(items: Iterable[Any], names: Mapping[int, str]) -> frozenset[str]:
    """Return the names of the groups that take part in every match of the items of a parse tree."""
    always_set: set[str] = set()
    for op, arg in items:
        if op is sre.SUBPATTERN:
            number, _, _, inner = arg
            always_set |= _names_always_set(inner, names) | ({names[number]} if number in names else set())
        elif op is sre.BRANCH:
            always_set |= frozenset.intersection(*(_names_always_set(branch, names) for branch in arg[1]))
        elif op in REPEATS and arg[0] > 0:
            always_set |= _names_always_set(arg[2], names)
        elif op is sre.ASSERT:
            always_set |= _names_always_set(arg[1], names)
        elif op is sre.ATOMIC_GROUP:
            always_set |= _names_always_set(arg, names)
    return frozenset(always_set)
