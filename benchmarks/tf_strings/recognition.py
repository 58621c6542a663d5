"""Ask the packs' own patterns which messages they know.

A message is filled in (HOLE becomes a task, a number, a path) and set behind the prefix that TensorFlow's log would
give it. It is known if a signal that means something matches text of the message itself: not only the prefix or what
was filled in.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from analyzer.model import Kind, Role
from analyzer.reading.plan import ReadPlan, build_plan
from analyzer.rules.conditions import signals_of
from analyzer.rules.types import Packs
from analyzer.scan import unpack_hit
from tf_strings.messages import HOLE, Message

# Each is tried; its texts fill the places of a message in turn. None speaks of an error, or it would be what is known.
FILLINGS = (
    ("/job:worker/replica:0/task:1",),
    ("7",),
    ("/data/train/part-00007",),
    ("10.0.0.7:2222",),
    ("[2,3]",),
    ("worker",),
    ("7", "float"),
    ("float", "7"),
    ("2.50GiB", "2684354560", "0"),
    ("",),
)
MIN_OWN_CHARS = 8  # of the message, that a match must cover
_PREFIX = "2026-03-01 10:00:07.123456: E {file}:88] "
_GENERAL = frozenset({"error", "fatal", "traceback"})  # such a signal says that a line is an error, not which


class _FilledLine(NamedTuple):
    """A line as a log would have it. `own` are the spans in it that are text of the message."""

    message: Message
    text: str
    start: int  # of the message in the line
    own: tuple[tuple[int, int], ...]


class Meaning(IntEnum):
    """What a signal that knows a message makes of it; the first one counts most."""

    CAUSE = 0
    CONSEQUENCE = 1  # a symptom, context, or what the signal feeds
    NOISE = 2


def find_known(messages: Sequence[Message], packs: Packs, cache: Path | None = None) -> Mapping[Message, Meaning]:
    """Return the meaning of each known message.

    cache: the folder of compiled patterns; None compiles them anew.
    """
    plan = build_plan(packs, cache)
    meanings = _find_meanings(packs)
    lines = [line for message in messages for line in _fill(message)]
    encoded = [f"{line.text}\n".encode() for line in lines]
    ends = list(accumulate(map(len, encoded)))
    recognized: dict[Message, Meaning] = {}
    for hit in plan.scanner.scan(b"".join(encoded)):
        end, pattern = unpack_hit(hit)
        line = lines[bisect_left(ends, end)]
        index, position = plan.pattern_owners[pattern]
        meaning = meanings.get(plan.signals[index].signal.name)
        if meaning is None or recognized.get(line.message, len(Meaning)) <= meaning:
            continue
        if _is_known(plan, index, position, line):
            recognized[line.message] = meaning
    return recognized


def _find_meanings(packs: Packs) -> dict[str, Meaning]:
    """Return what the signals mean, by name: without those that only say that a line is an error, and without those
    that are not searched for in the logs of training programs."""
    meanings = {
        signal.name: Meaning.NOISE if signal.noise else Meaning.CONSEQUENCE
        for signal in packs.signals.values()
        if signal.noise or signal.feeds - _GENERAL
    }
    training_logs = {
        signal.name for signal in packs.signals.values() if not signal.kinds or Kind.WORKER in signal.kinds
    }
    for rule in packs.rules.values():
        meaning = Meaning.CAUSE if rule.role is Role.CAUSE else Meaning.CONSEQUENCE
        for name in signals_of(rule.when):
            meanings[name] = min(meanings.get(name, meaning), meaning)
    return {name: meaning for name, meaning in meanings.items() if name in training_logs}


def _fill(message: Message) -> Iterator[_FilledLine]:
    for filling in FILLINGS if HOLE in message.text else FILLINGS[:1]:
        prefix = _PREFIX.format(file=message.file)
        for row in message.text.split("\n"):
            text, own = prefix, list[tuple[int, int]]()
            for index, part in enumerate(row.split(HOLE)):
                text += filling[index % len(filling)] if index else ""
                own.append((len(text), len(text) + len(part)))
                text += part
            yield _FilledLine(message, text, len(prefix), tuple(own))
            prefix = ""


def _is_known(plan: ReadPlan, index: int, position: int, line: _FilledLine) -> bool:
    compiled = plan.signals[index]
    pattern = compiled.match[position]
    match = compiled.search(pattern, line.text)
    shift = 0
    if match is None:
        match, shift = compiled.search(pattern, line.text[line.start :]), line.start
    if match is None or any(re.search(excluded, line.text) for excluded in compiled.signal.not_match):
        return False
    first, last = match.start() + shift, match.end() + shift
    return sum(max(0, min(last, end) - max(first, start)) for start, end in line.own) >= MIN_OWN_CHARS
