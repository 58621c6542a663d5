"""Name the machines of logs that a person quoted between fences in a document or a chat, after words that name them.

    From gx-7, while it stood:                    {"ts": "1793002069.3", "text": "and the log of gx-7:"}
    ```                                           {"ts": "1793002070.4", "text": "```\\nstep 1 loss 0.5\\nstep 2 …```"}
    step 1 loss 0.5                               {"ts": "1793002099.3", "text": "and gx-8 ```step 1 loss 0.5\\n…```"}
    ```

A name counts if the text states it as a host, or if several names are numbered alike. A long sentence, or one with two
names, names no machine. A quotation without a sentence belongs to the machine at which its program serves, or else to
the machine of the quotation before it. Each line between fences gets the prefix of `kubectl logs`. A message of a chat
is one line, with carriage returns for its line feeds; its first segment gets the prefix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from analyzer.formats.records.head_lines import head_text
from analyzer.formats.records.line_by_line import LineByLine
from analyzer.formats.records.process_sections import server_of
from analyzer.formats.records.sections import pod_prefix
from analyzer.formats.records.writer_names import select_writers, stated_hosts

FENCE = "```"
MIN_NAMES = 2
MAX_HEAD_LINES = 4_000
MAX_PROSE_CHARS = 600
MIN_QUOTED_SEGMENTS = 3  # of a message without fences, after the introducing words
MAX_TITLE_WORDS = 13  # of a sentence that introduces a quotation
_split_sentences = re.compile(r"(?<=[.!?;])\s").split
_is_language = re.compile(r"\w{0,20}").fullmatch  # after a fence that begins a quotation
_find_names = re.compile(r"(?<![\w./@:-])[A-Za-z][\w-]{0,62}(?:\.[\w-]{1,62}){0,4}(?![\w/@])").findall


@dataclass(frozen=True, slots=True)
class FencedNames:
    """The names of machines before fences, and the hosts that the first quotations state themselves ("" if none)."""

    names: frozenset[str]
    own_names: tuple[str, ...] = ()


def find_fenced_names(head: bytes, is_chat: bool = False) -> FencedNames | None:
    """Return the machines of the quotations; None if the head does not quote logs of several machines.

    `is_chat`: lines are messages, whose text after the first segment may be a quotation without fences.
    """
    if head.count(FENCE.encode()) < 2 * MIN_NAMES and not is_chat:
        return None
    lines = head_text(head).split("\n", MAX_HEAD_LINES)[:MAX_HEAD_LINES]
    prose = (line.partition(FENCE)[0][:MAX_PROSE_CHARS] for line in lines)
    words = {name for text in prose for name in _find_names(text)}
    fenced = FencedNames(select_writers(words, stated_hosts(head)), tuple(_own_names(lines)))
    return fenced if len(set(_quoted(lines, fenced)) - {""}) >= MIN_NAMES else None


def _own_names(lines: Iterable[str]) -> Iterator[str]:
    """Yield the machine at which its program serves, for each quotation."""
    reader, names = _FenceReader(FencedNames(frozenset())), [""]
    for line in lines:
        if reader.read(line) and (name := server_of(line.encode())):
            names += [""] * (reader.quotations + 1 - len(names))
            names[reader.quotations] = name
    yield from names


def _quoted(lines: Iterable[str], names: FencedNames) -> Iterator[str]:
    reader = _FenceReader(names)
    return (reader.name for line in lines if reader.read(line))


class _FenceReader:
    """Follows the fences of a text, and the name before each."""

    def __init__(self, names: FencedNames) -> None:
        self._names = names
        self._is_open = False
        self._introduced = ""
        self._introduced_at = 0  # number of quotations at that time
        self.quotations = 0  # number of quotations so far

    @property
    def name(self) -> str:
        own_names = self._names.own_names
        own_name = own_names[self.quotations] if self.quotations < len(own_names) else ""
        is_stale = self._introduced_at < self.quotations - 1
        return own_name if own_name and (is_stale or not self._introduced) else self._introduced

    def read(self, line: str) -> bool:
        """Return whether the line is quoted or has a quotation. `name` is then its machine."""
        if not self._is_open and FENCE not in line and line.count("\r") >= MIN_QUOTED_SEGMENTS:
            self._note_names(line.partition("\r")[0])
            self.quotations += 1
            return self._introduced_at == self.quotations - 1
        is_quoted = False
        for at, piece in enumerate(line.split(FENCE)):
            if at:
                self._is_open = not self._is_open
                self.quotations += self._is_open
            if not self._is_open:
                self._note_names(piece[:MAX_PROSE_CHARS])
            elif not at or not _is_language(piece.strip()):
                is_quoted = bool(piece.strip()) or not at
        return is_quoted

    def _note_names(self, prose: str) -> None:
        if prose.startswith("#"):
            self._introduced = ""  # another part of the document
        for sentence in _split_sentences(prose):
            if named := {name for name in _find_names(sentence) if name in self._names.names}:
                is_title = len(named) == 1 and len(sentence.split()) <= MAX_TITLE_WORDS
                self._introduced, self._introduced_at = named.pop() if is_title else "", self.quotations


class FencedSectionsConverter(LineByLine):
    """A `LineConverter` that puts the name of the machine before each quoted line."""

    name = "fenced-sections"

    def __init__(self, names: FencedNames) -> None:
        self._reader = _FenceReader(names)

    def convert_line(self, line: bytes) -> bytes:
        is_quoted = self._reader.read(line.decode("utf-8", "replace"))
        return pod_prefix(self._reader.name) + line if is_quoted and self._reader.name and line.strip() else line
