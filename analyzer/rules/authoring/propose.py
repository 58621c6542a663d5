"""Propose a pack for one log line: a pattern, a test that fires, and a near miss."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass

import regex

from analyzer.formats import read_line
from analyzer.model import Kind, Severity
from analyzer.reading.source_kinds import guess_kind
from analyzer.rules.authoring.pattern_from_line import MessagePiece, split_message, write_pattern

MAX_LINE_CHARS = 1000  # characters of a line that the test keeps
_FILE_OF_KIND = {
    Kind.KERNEL: "node-1/dmesg.txt",
    Kind.SCHEDULER: "node-1/slurmd.log",
    Kind.SYSTEM: "node-1/messages",
    Kind.WORKER: "node-1/worker-0.log",
    Kind.ENVIRONMENT: "node-1/env.txt",
}
# What a healthy run logs instead. The first word that occurs in the line makes the near miss.
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
# What the severity that the line states lets one propose: role, severity, and why. A line without one may be an error.
_ROLES = {
    Severity.DEBUG: ("context", "info", "the line itself reports no problem"),
    Severity.INFO: ("context", "info", "the line itself reports no problem"),
    Severity.WARNING: ("symptom", "warning", "the line is a warning; `cause` if the job ends of it"),
    Severity.FATAL: ("cause", "fatal", "cause, symptom of something else, or context"),
}
_UNSTATED_ROLE = ("cause", "error", "cause, symptom of something else, or context")
_WORD = re.compile(r"[A-Za-z][A-Za-z-]{2,}")
_UNSPECIFIC_WORDS = frozenset(
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
    """`yaml` is the whole pack, `rule` the id of its rule."""

    rule: str
    pattern: str
    near_miss: str
    yaml: str


def propose_pack(text: str, file: str = "", pack: str = "local", taken_ids: Collection[str] = ()) -> Proposal | None:
    """Return the proposal; None if the line has no words to search for. `taken_ids` are the ids that exist already."""
    text = text.rstrip("\r\n")[:MAX_LINE_CHARS]
    line = read_line(text)
    pieces = split_message(line.message)
    words = [word for piece in pieces if not piece.name for word in _WORD.findall(piece.text)]
    if not words or max(len(piece.text.strip()) for piece in pieces if not piece.name) < 4:
        return None
    rule_id = _free_id("-".join(_specific_words(words)), taken_ids)
    pattern = write_pattern(pieces)
    match = regex.compile(pattern).search(line.message)
    if match is None:  # the message was cut inside a value: use the longest fixed text
        pieces = [MessagePiece(max((piece.text.strip() for piece in pieces if not piece.name), key=len))]
        pattern = write_pattern(pieces)
        match = regex.compile(pattern).search(line.message)
    kind = line.kind or guess_kind(file, text.encode("utf-8", "replace"))
    near_miss = _near_miss(text, pattern, words)
    captures = {name: value for name, value in match.groupdict().items() if value} if match else {}
    return Proposal(
        rule_id,
        pattern,
        near_miss,
        _write_pack(rule_id, pack, kind, line.severity, pattern, pieces, text, near_miss, captures),
    )


def _specific_words(words: list[str]) -> list[str]:
    specific = [word.lower().strip("-") for word in words if word.lower() not in _UNSPECIFIC_WORDS] or [
        word.lower() for word in words
    ]
    return list(dict.fromkeys(specific))[:4]


def _free_id(name: str, taken_ids: Collection[str]) -> str:
    unique, number = name, 2
    while unique in taken_ids:
        unique, number = f"{name}-{number}", number + 1
    return unique


def _near_miss(text: str, pattern: str, words: list[str]) -> str:
    """Return the line as a healthy job would log it; without a known opposite, the line without its most specific
    word.
    """
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


def _write_pack(
    rule_id: str,
    pack: str,
    kind: Kind,
    line_severity: Severity | None,
    pattern: str,
    pieces: list[MessagePiece],
    text: str,
    near_miss: str,
    captures: dict[str, str],
) -> str:
    role, severity, role_comment = (
        _UNSTATED_ROLE if line_severity is None else _ROLES.get(line_severity, _UNSTATED_ROLE)
    )
    file = _FILE_OF_KIND.get(kind, "node-1/worker-0.log")
    source = f"    source: {kind.value}\n" if kind in _FILE_OF_KIND and kind is not Kind.ENVIRONMENT else ""
    title = "".join(f"{{{piece.name}}}" if piece.name else re.sub(r"[{}]", "", piece.text) for piece in pieces)
    captures_line = (
        f"\n        captures: {{{', '.join(f'{name}: {_double_quote(value)}' for name, value in captures.items())}}}"
        if captures
        else ""
    )
    return f"""# Editors complete and check packs by a schema: tf-postmortem rules schema > schema.json
pack: {pack}
version: 0.1.0
rules:
  - id: {rule_id}
    cause: {pack}.{rule_id}          # or an id of `rules/causes.yaml`
    role: {role:<24}# {role_comment}
    severity: {severity}
{source}    match: {_single_quote(pattern)}
    confidence: likely            # proof, strong, likely, possible, weak or faint: how specific these words are
    explains: []                  # its consequences: ids, globs such as peer-*, causes
    title: {_double_quote("{node}: " + _shorten_title(title))}
    summary: {_double_quote(f"TODO: say in a sentence what happened on {{node}}, with {_capture_list(captures)}.")}
    remediation:
      - "TODO: say what the reader should do first."
    references:
      - "TODO: where the message is documented, or the source file that prints it"
    tests:
      - fires: {{{file}: {_double_quote(text)}}}{captures_line}
      - silent: {{{file}: {_double_quote(near_miss)}}}
"""


def _capture_list(captures: dict[str, str]) -> str:
    return ", ".join(f"{{{name}}}" for name in captures) or "what the line says"


def _shorten_title(title: str, width: int = 100) -> str:
    """Return the title, cut at a blank and never inside braces."""
    if len(title) <= width:
        return title
    kept = title[:width].rsplit(" ", 1)[0]
    return kept if kept.count("{") == kept.count("}") else kept[: kept.rfind("{")].rstrip()


def _double_quote(text: str) -> str:
    """Return a double-quoted scalar. JSON's escapes are valid in YAML too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f").replace("\x85", "\\x85")


def _single_quote(text: str) -> str:
    return _double_quote(text) if any(not char.isprintable() for char in text) else "'" + text.replace("'", "''") + "'"
