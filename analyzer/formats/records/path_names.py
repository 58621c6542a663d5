"""Find the part of a log's path that names the machine, pod or task that wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from analyzer.bundle.names import strip_extensions

_LOG_KIND = re.compile(
    r"(?:(?:kern(?:el)?|sys|system|messages|dmesg|train(?:ing|er)?|worker|std|err(?:or)?|out(?:put)?|log|job|current|previous)"
    r"[-_.]?)+|\d+",
    re.IGNORECASE,
).fullmatch
_EXTENSION = re.compile(r"log|txt|out|err|stdout|stderr|\d{1,2}").fullmatch


def count_shared_parts(paths: Iterable[str]) -> int:
    """Return how many parts at the end are the same in all paths, as `fit.log` below each machine's folder."""
    distinct = [path.split("/")[::-1] for path in set(paths)]
    if len(distinct) < 2:
        return 0
    positions = enumerate(zip(*distinct, strict=False))
    return next((at for at, parts in positions if len(set(parts)) > 1), 0)


def host_of_path(path: str, shared_parts: int = 0) -> str:
    """Return the innermost part, without the `shared_parts` at the end, that is more than a kind of log."""
    all_parts = path.split("/")
    parts = [strip_extensions(part, _EXTENSION) for part in all_parts[: len(all_parts) - shared_parts] if part]
    return next((part for part in reversed(parts) if part and not _LOG_KIND(part)), parts[-1] if parts else "")
