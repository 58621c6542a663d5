"""A pack to begin with, from one line of a log: a pattern, a test that fires, and a near miss."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass

import regex

from analyzer.formats import read_line
from analyzer.model import Kind
from analyzer.reading.kinds import guess_kind
from analyzer.rules.generalise import Piece, cut, write_pattern

LONGEST = 1000  # characters of a line that a test keeps
_FILES = {
    Kind.KERNEL: "node-1/dmesg.txt",
    Kind.SCHEDULER: "node-1/slurmd.log",
    Kind.SYSTEM: "node-1/messages",
    Kind.WORKER: "node-1/worker-0.log",
    Kind.ENVIRONMENT: "node-1/env.txt",
}
# What a healthy run would say instead; the first that stands in the line makes the near miss.
_OPPOSITES = (
    ("failed to ", "was able to "),
    ("failed", "succeeded"),
    ("failure", "success"),
    ("unable to", "able to"),
    ("cannot", "can"),
    ("could not", "could"),
    ("timed out", "answered"),
    ("timeout", "answer"),
    ("refused", "accepted"),
    ("denied", "granted"),
    ("lost", "found"),
    ("not found", "found"),
    ("missing", "present"),
    ("invalid", "valid"),
    ("corrupted", "intact"),
    ("corrupt", "intact"),
    ("exceeded", "kept"),
    ("killed", "started"),
    ("aborted", "finished"),
    ("unreachable", "reachable"),
    ("disconnected", "connected"),
    ("unhealthy", "healthy"),
    ("fatal", "harmless"),
    ("error", "note"),
    ("down", "up"),
)
_PLAIN = re.compile(r"[A-Za-z][A-Za-z-]{2,}")
_DULL = frozenset(
    {
        "the",
        "and",
        "for",
        "with",
        "from",
        "that",
        "this",
        "was",
        "has",
        "are",
        "not",
        "its",
        "into",
        "over",
        "error",
        "info",
        "warning",
        "fatal",
    }
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """`yaml` is the whole pack; `rule` the id in it."""

    rule: str
    pattern: str
    near_miss: str
    yaml: str


def propose(text: str, file: str = "", pack: str = "local", known: Collection[str] = ()) -> Proposal | None:
    """None where the line has no words to look for. `known` are the ids that are taken."""
    text = text.rstrip("\r\n")[:LONGEST]
    line = read_line(text)
    pieces = cut(line.message)
    words = [word for piece in pieces if not piece.name for word in _PLAIN.findall(piece.text)]
    if not words or max(len(piece.text.strip()) for piece in pieces if not piece.name) < 4:
        return None
    rule = _free("-".join(_telling(words)), known)
    pattern = write_pattern(pieces)
    found = regex.compile(pattern).search(line.message)
    if found is None:  # the message was cut inside of something: the words alone are sure
        pieces = [Piece(max((piece.text.strip() for piece in pieces if not piece.name), key=len))]
        pattern = write_pattern(pieces)
        found = regex.compile(pattern).search(line.message)
    kind = line.kind or guess_kind(file, text.encode("utf-8", "replace"))
    near = _near_miss(text, pattern, words)
    captures = {name: value for name, value in found.groupdict().items() if value} if found else {}
    return Proposal(rule, pattern, near, _write(rule, pack, kind, pattern, pieces, text, near, captures))


def _telling(words: list[str]) -> list[str]:
    kept = [word.lower().strip("-") for word in words if word.lower() not in _DULL] or [word.lower() for word in words]
    return list(dict.fromkeys(kept))[:4]


def _free(name: str, known: Collection[str]) -> str:
    unique, number = name, 2
    while unique in known:
        unique, number = f"{name}-{number}", number + 1
    return unique


def _near_miss(text: str, pattern: str, words: list[str]) -> str:
    """The same line of a healthy day; where no opposite is known, without the word that tells most."""
    compiled = regex.compile(pattern)
    for bad, good in _OPPOSITES:
        changed = re.sub(rf"(?i)\b{re.escape(bad)}", good, text)
        if changed != text and not compiled.search(changed):
            return changed
    for word in sorted(set(words), key=len, reverse=True):
        changed = re.sub(rf"\b{re.escape(word)}\b", "something", text)
        if not compiled.search(changed):
            return changed
    return "another line"


def _write(
    rule: str, pack: str, kind: Kind, pattern: str, pieces: list[Piece], text: str, near: str, captures: dict[str, str]
) -> str:
    file = _FILES.get(kind, "node-1/worker-0.log")
    source = f"    source: {kind.value}\n" if kind in _FILES and kind is not Kind.ENVIRONMENT else ""
    title = "".join(f"{{{piece.name}}}" if piece.name else re.sub(r"[{}]", "", piece.text) for piece in pieces)
    checked = (
        f"\n        captures: {{{', '.join(f'{name}: {_quote(value)}' for name, value in captures.items())}}}"
        if captures
        else ""
    )
    return f"""# yaml-language-server: $schema=./schema.json
pack: {pack}
version: 0.1.0
rules:
  - id: {rule}
    cause: {pack}.{rule}          # or an id of `rules/causes.yaml`
    role: cause                   # cause, symptom of something else, or context
    severity: error
{source}    match: {_single(pattern)}
    confidence: 0.7               # 0.9: these words name the cause beyond doubt; 0.5: a hint
    explains: []                  # what follows from it: ids, globs such as peer-*, causes
    title: {_quote("{node}: " + _shorten(title))}
    summary: {_quote(f"TODO: say in a sentence what happened on {{node}}, with {_names(captures)}.")}
    remediation:
      - "TODO: say what the reader should do first."
    references:
      - "TODO: where the message is documented, or the source file that prints it"
    tests:
      - fires: {{{file}: {_quote(text)}}}{checked}
      - silent: {{{file}: {_quote(near)}}}
"""


def _names(captures: dict[str, str]) -> str:
    return ", ".join(f"{{{name}}}" for name in captures) or "what the line says"


def _shorten(title: str, width: int = 100) -> str:
    """Cut at a blank, and never inside of braces."""
    if len(title) <= width:
        return title
    kept = title[:width].rsplit(" ", 1)[0]
    return kept if kept.count("{") == kept.count("}") else kept[: kept.rfind("{")].rstrip()


def _quote(text: str) -> str:
    """A double-quoted scalar: JSON's escapes are YAML's as well."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f").replace("\x85", "\\x85")


def _single(text: str) -> str:
    return _quote(text) if any(not char.isprintable() for char in text) else "'" + text.replace("'", "''") + "'"
