"""What is known of all lines of a template: lines that differ only in digits.

A verdict holds for a template only if no digit can change it: neither one that a pattern asks for, nor one of a prefix.
"""

from __future__ import annotations

from collections.abc import Collection, Container
from dataclasses import dataclass, field
from typing import NamedTuple

import regex

from analyzer.arrays import np
from analyzer.formats import ends_with_message
from analyzer.reading.hit_blocks import contains_all
from analyzer.reading.hit_table import Numbers
from analyzer.reading.hits import is_excluded
from analyzer.reading.plan import CompiledSignal, has_digit
from analyzer.reading.template_messages import messages_of_template
from analyzer.scan import NO_TEMPLATE, is_blind_beyond_match, is_digit_blind

MAX_VERDICTS = 20_000  # of each sort that are remembered of a source
SIGNAL_BITS = 16  # of the index of a signal beside a template
LINES_BEFORE_MESSAGES = 8  # of a template, before all messages that its lines may have are searched, …
MAX_MESSAGE_SEARCHES = 100  # … which takes some ten milliseconds
_is_plain = regex.compile(r"[\t -~]*+").fullmatch  # beyond ASCII, and of control characters, `widen` knows less


class KnownHits(NamedTuple):
    """The signals of which each line of a template is a hit, and its shape if it is an unknown error.

    `needs_next_line`: the line behind it must be read, because it could belong to a hit. `may_quote_code`: below a
    frame of a traceback, the line is source code.
    """

    signals: tuple[int, ...]
    shape: str | None
    needs_next_line: bool
    may_quote_code: bool


class _VerdictArrays(NamedTuple):
    """The verdicts as they were at a `count`, each array in order; signals are those of templates, in one number."""

    count: int  # type: ignore[assignment]  # hides the tuple's own method
    refuted: Numbers
    known: Numbers
    needing_next_line: Numbers
    quoting: Numbers
    hits: Numbers


@dataclass(slots=True)
class TemplateVerdicts:
    """The verdicts on the templates of one source. `count` rises with each new one."""

    signals: tuple[CompiledSignal, ...]
    count: int = 0
    hits: dict[int, KnownHits | None] = field(default_factory=dict)  # by template; None: digits may decide
    _refuted: set[int] = field(default_factory=set)  # template << SIGNAL_BITS | index of a signal
    _attempts: dict[int, int] = field(default_factory=dict)  # the same → lines that did not refute it
    _message_searches: int = 0
    _arrays: _VerdictArrays | None = None

    def note_refutation(self, index: int, template: int, text: str, seen_patterns: Container[int]) -> None:
        """Note that a line is no hit of a signal sighted there. If its digits have no say, no line of its template is.

        `text` is the line, `seen_patterns` are the indexes of the signal's patterns that were seen in it.
        """
        key, compiled = template << SIGNAL_BITS | index, self.signals[index]
        if template == NO_TEMPLATE or not (
            # An earlier line of the template that did not refute it stands for all of them.
            (key not in self._attempts and is_template_refuted(compiled, text, seen_patterns))
            or (self._comes_back(key) and is_refuted_in_messages(compiled, text, seen_patterns))
        ):
            return
        if len(self._refuted) >= MAX_VERDICTS:
            self._refuted.clear()
        self._refuted.add(key)
        self.count += 1

    def _comes_back(self, key: int) -> bool:
        """Return True once, when enough lines of a template have been no hits of a signal."""
        if len(self._attempts) >= MAX_VERDICTS:
            self._attempts.clear()
        self._attempts[key] = attempts = self._attempts.get(key, 0) + 1
        comes_back = attempts == LINES_BEFORE_MESSAGES and self._message_searches < MAX_MESSAGE_SEARCHES
        self._message_searches += comes_back
        return comes_back

    def note_hits(self, template: int, known: KnownHits | None) -> None:
        """Note that each line of a template is a hit of certain signals, and of no other that was sighted there.

        None: not all of them are known to be.
        """
        if len(self.hits) >= MAX_VERDICTS:
            self.forget_hits()
        self.hits[template] = known
        self.count += known is not None

    def is_refuted(self, index: int, template: int) -> bool:
        """Whether it is known that no line of the template is a hit of the signal."""
        return template << SIGNAL_BITS | index in self._refuted

    def are_refuted(self, templates: Numbers, signals: Numbers) -> Numbers:
        """Return for each pair of a template and a signal whether it is known to be no hit."""
        return _are_among(self._as_arrays().refuted, templates << SIGNAL_BITS | signals)

    def find_known_hits(self, templates: Numbers, signals: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return for each pair of a template and a signal whether the hits of its lines are known, whether the signal
        is one of them, and whether the line behind must be read nevertheless.
        """
        arrays = self._as_arrays()
        is_known = _are_among(arrays.known, templates)
        is_hit = is_known & _are_among(arrays.hits, templates << SIGNAL_BITS | signals)
        return is_known, is_hit, _are_among(arrays.needing_next_line, templates)

    def find_quoting(self, templates: Numbers) -> Numbers:
        """Return for each template whether lines of known hits would be source code below a frame of a traceback."""
        return _are_among(self._as_arrays().quoting, templates)

    def forget_hits(self) -> None:
        """Forget which templates are hits: a signal is no longer throttled."""
        self.hits, self._arrays = {}, None

    def _as_arrays(self) -> _VerdictArrays:
        if self._arrays is None or self._arrays.count != self.count:
            known = {template: known for template, known in self.hits.items() if known}
            self._arrays = _VerdictArrays(
                count=self.count,
                refuted=_in_order(self._refuted),
                known=_in_order(known),
                needing_next_line=_in_order([template for template in known if known[template].needs_next_line]),
                quoting=_in_order([template for template in known if known[template].may_quote_code]),
                hits=_in_order([row << SIGNAL_BITS | index for row, hits in known.items() for index in hits.signals]),
            )
        return self._arrays


def _in_order(numbers: Collection[int]) -> Numbers:
    return np.sort(np.fromiter(numbers, np.int64, len(numbers)))


def _are_among(known: Numbers, numbers: Numbers) -> Numbers:
    """Return for each number whether it is one of `known`, which are in order. Faster than `isin`, which sorts both."""
    if not len(known):
        return np.zeros(len(numbers), bool)
    places = np.searchsorted(known, numbers)
    return known[np.minimum(places, len(known) - 1)] == numbers


def is_template_refuted(compiled: CompiledSignal, text: str, seen_patterns: Container[int]) -> bool:
    """Return whether a line, in which `seen_patterns` were seen, and all lines that differ only in digits are no hits.

    It holds whatever their messages are: with other digits, a prefix may be none, as 13/31/2026 is no date.
    """
    signal = compiled.signal
    if signal.not_match and all(map(is_digit_blind, signal.not_match)) and is_excluded(compiled, (text,)):
        return True
    if _contains_is_decided_by_line(compiled) and not contains_all(signal.contains, text, ()):
        return True
    seen = _seen_in_order(compiled, seen_patterns)
    return (
        _is_plain(text) is not None
        and ends_with_message(text)
        and all(is_digit_blind(signal.match[position]) for position in seen)
        and not any(compiled.search(compiled.suffix_match[position], text) for position in seen)
        and not compiled.timeout_budget.timeouts[signal.name]
    )


def is_refuted_in_messages(compiled: CompiledSignal, text: str, seen_patterns: Container[int]) -> bool:
    """Return the same as `is_template_refuted`: slower, and for lines of which an end, but no message, is a hit."""
    seen = _seen_in_order(compiled, seen_patterns)
    if _is_plain(text) is None or not all(is_digit_blind(compiled.signal.match[position]) for position in seen):
        return False
    texts = {text, *messages_of_template(text)}
    is_hit = any(compiled.search(compiled.match[position], part) for position in seen for part in texts)
    return not is_hit and not compiled.timeout_budget.timeouts[compiled.signal.name]


def _seen_in_order(compiled: CompiledSignal, seen_patterns: Container[int]) -> list[int]:
    return [position for position in range(len(compiled.signal.match)) if position in seen_patterns]


def is_template_hit(compiled: CompiledSignal, text: str, seen_patterns: Container[int]) -> bool:
    """Return whether a line and all lines that differ only in digits are hits, if the lines behind them are no part.

    The line is one of which the text is enough: it holds neither a list of quoted texts nor quotes source code.
    """
    signal = compiled.signal
    if signal.kinds or signal.fields:  # a prefix states the kind, and digits may make it none
        return False
    if not all(map(is_digit_blind, signal.not_match)) or is_excluded(compiled, (text,)):
        return False
    if any(map(has_digit, signal.contains)) or not contains_all(signal.contains, text, ()):
        return False
    return any(
        (match := compiled.search(compiled.match[position], text)) is not None
        and (is_digit_blind(pattern) or (not has_digit(match[0]) and is_blind_beyond_match(pattern)))
        for position, pattern in enumerate(signal.match)
        if position in seen_patterns
    )


def _contains_is_decided_by_line(compiled: CompiledSignal) -> bool:
    signal = compiled.signal
    has_block = signal.block is not None or "traceback" in signal.feeds
    return bool(signal.contains) and not has_block and not any(map(has_digit, signal.contains))
