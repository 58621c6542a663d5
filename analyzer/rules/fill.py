"""The small template language of titles and summaries: `{capture}`, `{capture?}`; no attributes, no calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_FIELD = re.compile(r"\{(\w+)(\?)?\}")
BUILTIN = frozenset({"node", "task", "count", "file", "line"})


def fill(template: str, values: Mapping[str, str]) -> str:
    """Unknown names become `?`; optional ones vanish with the space or bracket before them."""
    filled = _FIELD.sub(lambda found: values.get(found[1]) or ("" if found[2] else "?"), template)
    return re.sub(r"\s+([,.;:)])", r"\1", re.sub(r"\(\s*\)", "", filled)).replace("  ", " ").strip()


_BRACES = re.compile(r"\{[^{}]*[_.\[(!:][^{}]*\}|\{\}")


def unfilled(template: str) -> str | None:
    """The first thing in braces that looks like a field of Python's templates and is none of ours: `{x.y}`, `{}`."""
    return next((found[0] for found in _BRACES.finditer(template) if not _FIELD.fullmatch(found[0])), None)


def fields(template: str) -> Iterator[tuple[str, bool]]:
    """(name, optional) of each field."""
    for found in _FIELD.finditer(template):
        yield found[1], bool(found[2])
