"""The small template language of titles and summaries: `{capture}`, `{capture?}`, `[for {capture}]`; no calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

BUILTIN = frozenset({"node", "task", "count", "file", "line"})
_FIELD = re.compile(r"\{(\w+)(\?)?\}")
_CLAUSE = re.compile(r"\[([^\[\]]*\{\w+\??\}[^\[\]]*)\]")
_ASIDE = re.compile(r"\(([^()]*\{\w+\?\}[^()]*)\)")
_AFTER_COLON = re.compile(r":(?: ?\{\w+\?\})+(?=\.(?: |$)|$)")
_LOWER = re.compile(r"[a-z]+(?:[ ,]|:(?!:))")


def fill(template: str, values: Mapping[str, str]) -> str:
    """Unknown names become `?`. A clause in brackets goes if any of its names is unknown; a part of a parenthesis
    between commas, and what follows a colon, if all they have is optional and unknown."""
    said = _CLAUSE.sub(
        lambda found: found[1] if all(values.get(name) for name, _ in fields(found[1])) else "", template
    )
    said = _ASIDE.sub(lambda found: _aside(found[1], values), said)
    said = _AFTER_COLON.sub(lambda found: "" if _empty(found[0], values) else found[0], said)
    said = _FIELD.sub(lambda found: "" if found[2] and not values.get(found[1]) else found[0], said)
    said = re.sub(r"(?<!\s)\s++(\)|[,.;:](?=\s|$))", r"\1", re.sub(r"\(\s*\)", "", said)).replace("  ", " ").strip()
    return re.sub(r"(?<=\w)\.\.(?= |$)", ".", _FIELD.sub(lambda found: values.get(found[1]) or "?", said))


def state(template: str, values: Mapping[str, str], node: str | None) -> str:
    """A finding's title or summary: begins with a capital unless a name begins it; without a node no place is named."""
    if not node:
        template = _ABOUT_NODE.sub("", template)
        template = re.sub(r"^\{node\}", "The job", template)
    if _LOWER.match(template):
        template = template[0].upper() + template[1:]
    return fill(template, {**values, "node": node or "the job"}).rstrip(" :")


def sentence(said: str) -> str:
    """With a full stop, where no other mark ends it."""
    return said if not said or said[-1] in ".!?…" else f"{said}."


def _aside(inside: str, values: Mapping[str, str]) -> str:
    first, *rest = re.split(r"([,;] )", inside)
    kept = "" if _empty(first, values) else first
    for mark, part in zip(rest[::2], rest[1::2], strict=True):
        if not _empty(part, values):
            kept += f"{mark if kept else ''}{part}"
    return f"({kept})" if kept else ""


def _empty(part: str, values: Mapping[str, str]) -> bool:
    """Whether a part has optional fields, all of them unknown, and no others."""
    found = list(fields(part))
    return bool(found) and all(optional and not values.get(name) for name, optional in found)


_ABOUT_NODE = re.compile(r"\[(?:[^\[\]{]|\{(?!node\}))*+\{node\}[^\[\]]*+\]|^\{node\}: | on \{node\}(?!')")
_BRACES = re.compile(r"\{[^{}_.\[(!:]*+[_.\[(!:][^{}]*+\}|\{\}")


def unfilled(template: str) -> str | None:
    """The first thing in braces that looks like a field of Python's templates and is none of ours: `{x.y}`, `{}`."""
    return next((found[0] for found in _BRACES.finditer(template) if not _FIELD.fullmatch(found[0])), None)


def fields(template: str) -> Iterator[tuple[str, bool]]:
    """(name, optional) of each field."""
    for found in _FIELD.finditer(template):
        yield found[1], bool(found[2])
