"""Turn a log message into a pattern: what varies between runs becomes a named capture, the rest stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_MESSAGE_CHARS = 300  # characters of a message that are used for the pattern
_VARIABLE_FORMS: tuple[tuple[str, str, str], ...] = (
    # (default name, form in this message, pattern for other messages)
    (
        "time",
        r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?",
        r"\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,Z+-]{8,24}",
    ),
    ("uuid", r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", r"[0-9a-fA-F-]{36}"),
    ("pci", r"\b(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F]\b", r"[0-9a-fA-F:.]{7,16}"),
    ("url", r"\b[a-z][a-z0-9+]{1,8}://[^\s'\"<>,;)\]]+", r"[a-z][a-z0-9+]{1,8}://[^\s'\",;)]{1,300}"),
    ("address", r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b", r"\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?"),
    ("path", r"(?<![\w.:/])(?:/[\w.+@%=,~:-]*[\w%=~-])+/?", r"/[^\s'\",;:)]{1,300}"),
    ("hex", r"\b0x[0-9a-fA-F]+\b", r"0x[0-9a-fA-F]{1,16}"),
    ("size", r"\b\d+(?:\.\d+)? ?(?:[KMGTP]i?B|bytes|kB)\b", r"\d[\d.]{0,20} ?(?:[KMGTP]i?B|bytes|kB)"),
    ("version", r"\b\d+\.\d+\.\d+(?:[.-]\w+)?\b", r"\d+(?:\.\d+){1,3}[\w.-]{0,20}"),
    ("number", r"(?<![\w.])-?\d+\.\d+(?:e[-+]?\d+)?(?![\w.]*\w)", r"-?\d[\d.e+-]{0,20}"),
    ("quoted", r"'[^'\n]{1,200}'(?!\w)|\"[^\"\n]{1,200}\"", ""),
    ("device", r"\b(?:mlx[45]_|eth|ib|ens|eno|enp|bond|nvme|sd|md|dm-|cuda:|GPU|gpu)[0-9]\w*\b", r"[\w:-]{2,32}"),
    ("id", r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{4,}\b", r"[0-9a-f]{1,128}"),
    ("value", r"(?<=[A-Za-z_]=)[A-Za-z][\w.@-]*", r"[\w.@-]{1,100}"),
    ("number", r"(?<![\w.])-?\d+(?![\w.]*\w)", r"-?\d{1,20}"),
    ("number", r"(?<=[a-z_-])\d+(?!\w)", r"\d{1,20}"),
)
_VARIABLE = re.compile("|".join(f"(?P<k{number}>{here})" for number, (_, here, _) in enumerate(_VARIABLE_FORMS)))
# Word before a value → name of the capture, as the shipped packs name such values.
_NAME_BY_WORD = {
    "process": "pid",
    "pid": "pid",
    "tid": "tid",
    "thread": "tid",
    "rank": "rank",
    "step": "step",
    "epoch": "epoch",
    "task": "task_index",
    "worker": "worker",
    "replica": "replica",
    "node": "host",
    "host": "host",
    "gpu": "gpu",
    "device": "device",
    "port": "port",
    "code": "code",
    "status": "status",
    "error": "code",
    "errno": "errno",
    "err": "code",
    "signal": "signal",
    "line": "lineno",
    "job": "job",
    "user": "user",
    "uid": "uid",
    "attempt": "attempt",
    "link": "link",
    "cpu": "cpu",
    "after": "seconds",
    "timeout": "seconds",
    "sector": "sector",
    "channel": "channel",
    "file": "path",
    "interface": "iface",
    "address": "address",
    "at": "at",
    "name": "name",
    "op": "op",
    "tensor": "tensor",
    "version": "version",
}
_UNUSABLE_NAMES = frozenset(
    {
        "node",
        "task",
        "count",
        "line",
        "the",
        "a",
        "an",
        "of",
        "to",
        "in",
        "on",
        "for",
        "with",
        "and",
        "is",
        "was",
        "from",
        "by",
        "or",
        "has",
        "had",
        "not",
        "than",
        "out",
        "that",
        "this",
        "it",
        "as",
        "be",
        "only",
        "got",
    }
)
_WORD_BEFORE = re.compile(r"([A-Za-z_]{2,24})[ =:#\[(<'\"-]{0,3}$")
_WORD_AFTER = re.compile(r"[ \])>]{0,2}([a-z_]{3,24}s)\b")


@dataclass(frozen=True, slots=True)
class MessagePiece:
    """A part of the message: fixed text, or a value with the name and the pattern of its capture."""

    text: str
    name: str = ""
    pattern: str = ""


def split_message(message: str) -> list[MessagePiece]:
    """Return the fixed and varying pieces of the message, in order; names are unique."""
    message = message.strip()[:MAX_MESSAGE_CHARS]
    pieces: list[MessagePiece] = []
    taken_names: set[str] = set()
    position = 0
    for match in _VARIABLE.finditer(message):
        form = _VARIABLE_FORMS[int((match.lastgroup or "k0")[1:])]
        text, start, stop = match[0], match.start(), match.end()
        quote = text[0] if form[0] == "quoted" else ""
        name = _name_capture(message, start, stop, form[0], taken_names)
        pieces.append(MessagePiece(message[position:start] + quote))
        body = f"[^{quote}]{{1,200}}" if quote else form[2]
        pieces.append(MessagePiece(text[1:-1] if quote else text, name, body))
        pieces.append(MessagePiece(quote))
        position = stop
    pieces.append(MessagePiece(message[position:]))
    return [piece for piece in _merge_fixed_pieces(pieces) if piece.text]


def write_pattern(pieces: list[MessagePiece]) -> str:
    """Return the pattern of the pieces."""
    return "".join(
        f"(?P<{piece.name}>{piece.pattern})" if piece.name else _escape_fixed_text(piece.text) for piece in pieces
    )


def _merge_fixed_pieces(pieces: list[MessagePiece]) -> Iterator[MessagePiece]:
    """Yield the pieces with adjacent fixed pieces merged."""
    run = ""
    for piece in pieces:
        if piece.name:
            if run:
                yield MessagePiece(run)
            run = ""
            yield piece
        else:
            run += piece.text
    if run:
        yield MessagePiece(run)


def _escape_fixed_text(text: str) -> str:
    """Return the text as people write patterns: only special characters are escaped, and blanks may be repeated."""
    escaped = re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", text)
    return re.sub(r"\s{2,}|\t", r"\\s+", escaped)


def _name_capture(message: str, start: int, stop: int, form: str, taken_names: set[str]) -> str:
    """Return a name for the value: from the word before it, the word after it (`3 attempts`), or its form."""
    word_before = _WORD_BEFORE.search(message[:start])
    word = word_before[1].lower().strip("_") if word_before else ""
    name = form if form not in ("number", "quoted", "hex", "id", "device", "path", "value") else ""
    if not name and word in _NAME_BY_WORD and (form != "path" or word != "at"):
        name = _NAME_BY_WORD[word]
    if not name and form in ("path", "device"):
        name = form
    if not name and word.isidentifier() and word not in _UNUSABLE_NAMES and len(word) > 2:
        name = word
    if not name and form == "number" and (word_after := _WORD_AFTER.match(message[stop:])):
        name = word_after[1]
    name = name or {"quoted": "what", "id": "id"}.get(form, form)
    unique, number = name, 2
    while unique in taken_names or unique in _UNUSABLE_NAMES:
        unique, number = f"{name}_{number}", number + 1
    taken_names.add(unique)
    return unique
