"""Join string literals to messages with holes, and tell failures from other texts.

`errors::Internal("Task ", name, " is lost")` leaves the literals `Task ` and ` is lost` in the library, one after the
other in the code of one function. They are joined where their ends show that something comes between.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tf_strings.literals import Literal

HOLE = "\N{HORIZONTAL ELLIPSIS}"  # what the program inserts
MAX_JOIN_BYTES = 500  # of code between two literals of one message
MIN_WORDS = 3
_OPEN_END = re.compile(r"[\s:=(\[{'\"/<`#@,-]$|\b(?:of|in|for|is|to|at|by|from|with|task|file|key)$").search
_OPEN_START = re.compile(r"^[\s,.:;)\]}'\"/>`]").search
_NEW_SENTENCE = re.compile(r"[A-Z]").match
# Names of functions and files, conditions, and what macros and the standard library leave: no part of a message.
_NO_TEXT = re.compile(
    r"[A-Za-z_][\w:.]*(?:\(\))?|\S+\.h|(?:basic_string|vector|_Map_base)\W.*|.* [!=]= .*|.*\S && \".*"
    r"|'\w+' Must be non NULL|(?:Check|assertion) failed:.*|type\.googleapis\S+"
    r"|cannot create std::.*|\S*: __\w+ \(which.*",
    re.S,
).fullmatch
# printf and absl::StrFormat, absl::Substitute, fmt
_PLACE = re.compile(
    r"%(?:[-+ 0#]*\d*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t|L)?[diouxXfFeEgGaAcspv])|\$\d|\{\d?(?::[^{}]{0,8})?\}"
)
_FAILURE = re.compile(
    r"(?i)\b(?:fail\w*|err(?:or)?s?|invalid\w*|unable|can(?:no|')t|(?:must|should)(?: be| have| not)?"
    r"|(?:could|do(?:es)?|did|is|was|are|were|has|have)(?: not|n't)"
    r"|not (?:found|supported|implemented|allowed|available)"
    r"|not (?:registered|connected|exist|match|enough|valid|find|yet|ready|a|an|been|in|the|initiali[sz]ed)"
    r"|no such|no \w+ (?:for|found|with|in)|unexpected\w*|unknown|unrecogni[sz]ed|mis(?:s|m)\w+|expect\w*"
    r"|time[ds]?[ -]?out|deadline|exceed\w*|exhausted|ran out|out of (?:memory|range|bounds)|overflow\w*"
    r"|too (?:many|large|small|big|long|short|few)|lost|corrupt\w*|truncated|malformed|abort\w*|cancel\w*"
    r"|refused|denied|reset|unavailable|unreachable|unhealthy|unsupported|unimplemented|incompatible|reject\w*"
    r"|already|duplicate\w*|conflict\w*|inconsistent\w*|different|differs?|illegal|bad|broken|crash\w*|dead|died"
    r"|killed|preempt\w*|restarted|stale|stopped|terminat\w*|shut ?down|disconnect\w*|only (?:one|supports?|be)"
    r"|but (?:got|found|was|has))\b"
).search


class Message(NamedTuple):
    """A message of a source file, with HOLE where the program inserts a value."""

    file: str
    text: str

    @property
    def literals(self) -> tuple[str, ...]:
        return tuple(part for part in self.text.split(HOLE) if part.strip())


def join_messages(literals: Iterable[Literal]) -> Iterator[Message]:
    """Yield the messages of the literals, which are in the order of the code."""
    parts: list[str] = []
    previous: Literal | None = None
    for literal in literals:
        if _NO_TEXT(literal.text):
            continue
        if previous is not None and _continues(previous, literal):
            parts.append(literal.text)
        else:
            if previous is not None:
                yield _join(previous.file, parts)
            parts = [literal.text]
        previous = literal
    if previous is not None:
        yield _join(previous.file, parts)


def _continues(previous: Literal, literal: Literal) -> bool:
    return (
        previous.function == literal.function
        and previous.text != literal.text
        and literal.address - previous.address <= MAX_JOIN_BYTES
        and not previous.text.endswith(".\n")
        and bool(_OPEN_START(literal.text) or (_OPEN_END(previous.text) and not _NEW_SENTENCE(literal.text)))
    )


def _join(file: str, parts: list[str]) -> Message:
    text = _PLACE.sub(HOLE, HOLE.join(parts))
    if _OPEN_START(text):
        text = HOLE + text
    if _OPEN_END(text) and not text.endswith("\n"):
        text += HOLE
    return Message(file, re.sub(f"{HOLE}{{2,}}", HOLE, text.strip()))


def is_failure(message: Message) -> bool:
    """Whether the text speaks of a failure, and is long enough to be told from others."""
    return bool(_FAILURE(message.text)) and not is_fragment(message)


def is_fragment(message: Message) -> bool:
    """Whether the message has less than MIN_WORDS words of its own: no pattern could be written for it."""
    return len(re.findall(r"[A-Za-z]{2,}", message.text)) < MIN_WORDS
