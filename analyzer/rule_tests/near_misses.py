"""Lines that match a rule's patterns and are no events: `not_match` excludes them, or the kind of their file does.

They are found by a reading of their own, which searches for the rule's patterns alone, in all kinds of files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from analyzer.formats import read_line
from analyzer.model import Event
from analyzer.reading import ReadPlan, build_plan
from analyzer.reading.line_fields import read_fields
from analyzer.reading.source_results import SourceResults
from analyzer.redact.truncation import truncate
from analyzer.rules.condition_words import describe_tests
from analyzer.rules.conditions import signals_of
from analyzer.rules.types import Packs, Rule
from analyzer.signals.compiled_patterns import compile_pattern
from analyzer.signals.types import Signal
from analyzer.signals.value_tests import captures_pass

MAX_NEAR_MISSES = 10
MAX_TEXT = 140  # characters shown of a line


def find_near_misses(rule: Rule, packs: Packs, read: Callable[[ReadPlan], SourceResults]) -> Iterator[str]:
    """Yield a line of prose for each such line. `read` reads the bundle with a plan."""
    signals = [packs.signals[name] for name in dict.fromkeys(signals_of(rule.when)) if name in packs.signals]
    wide = {
        signal.name: replace(signal, kinds=frozenset(), not_match=(), feeds=frozenset(), fields=())
        for signal in signals
    }
    if not wide:
        return
    results = read(build_plan(replace(packs, signals=wide, rules={}, packs=())))
    misses = [
        miss
        for event in (event for result in results for event in result.events)
        if (signal := packs.signals.get(event.signal)) and (miss := _explain_miss(signal, event))
    ]
    for miss in misses[:MAX_NEAR_MISSES]:
        yield f"  {miss}"
    if len(misses) > MAX_NEAR_MISSES:
        yield f"  and {len(misses) - MAX_NEAR_MISSES} more lines of this kind"


def _explain_miss(signal: Signal, event: Event) -> str | None:
    """Return why the line that matches is no event of the signal; None if it is one."""
    place = f"{event.locus.file}:{event.locus.line}  {truncate(event.text.strip(), MAX_TEXT)}"
    if excluding := next((pattern for pattern in signal.not_match if _matches(pattern, event)), None):
        return f"{place}\n    matches {signal.name}, but its not_match {excluding!r} excludes it"
    fields = read_fields(event.text, read_line(event.text))
    if failed := next((test for test in signal.fields if not captures_pass((test,), fields)), None):
        field, tests = failed
        actual = repr(fields[field]) if field in fields else "no such field"
        return (
            f"{place}\n    matches {signal.name}, but not its fields: {field} {describe_tests(tests)}; found: {actual}"
        )
    if signal.kinds and event.kind not in signal.kinds and event.kind.value != "unknown":
        kinds = " or ".join(sorted(kind.value for kind in signal.kinds))
        return f"{place}\n    matches {signal.name}, but is a {event.kind.value} line, and the signal searches {kinds}"
    return None


def _matches(pattern: str, event: Event) -> bool:
    compiled = compile_pattern(pattern)
    return any(compiled.search(text) for text in _texts(event))


def _texts(event: Event) -> Iterable[str]:
    return (event.text, *event.block)
