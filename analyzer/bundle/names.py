"""Names of members: printable, unique, and grouped where they are rotations of one log."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import compress

_COMPRESSED = re.compile(r"\.(?:gz|zst|zstd|xz|bz2|lz4|z)$", re.IGNORECASE)
_DATE = r"[-._](?P<date>\d{4}-?\d{2}-?\d{2}(?:[-_T.]?\d{2}[-:]?\d{2}(?:[-:]?\d{2})?)?|\d{10})"
_LOG = r"\.(?:log|txt|out|err|json)"
_ROTATION_SUFFIXES = tuple(  # without the number or date, the name is that of the newest file
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\.(?P<number>\d{1,4})$",  # worker.log.1, syslog.1
        rf"\.(?P<number>\d{{1,4}})(?={_LOG}$)",  # worker.1.log
        rf"{_DATE}$",  # worker.log-20240102, 0.log.20240102-101112
        rf"{_DATE}(?={_LOG}$)",  # worker-2024-01-02.log
    )
)
_CORE_NAME = re.compile(r"(?:^|/)(?:[^/]*\.)?core(?:\.[^/]*)?$")  # core.4242: the number is a pid
_LOG_NAME = re.compile(rf"{_LOG}$|(?:^|/)(?:syslog|messages|dmesg|debug|kern|secure|mcelog)$", re.IGNORECASE)
_NEWEST_ORDER = 10**18


def make_printable(name: str) -> str:
    r"""Return `name` with control, direction and undecodable characters, and odd spaces, as `\x1b` or `\u202e`."""
    return name if name.isprintable() else "".join(char if char.isprintable() else _escape(char) for char in name)


def _escape(char: str) -> str:
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, as `surrogateescape` represents it
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def normalize_name(name: str) -> str:
    """Return `./a//b/` and `/a/b` (`tar -P`) as `a/b`.

    Nothing is unpacked, so a leading slash does no harm; `..` stays for `why_unsafe`.
    """
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def strip_extensions(name: str, is_extension: Callable[[str], object]) -> str:
    """Return `name` without the dot-separated parts at its end that are extensions: `worker.log.1.gz` → `worker`."""
    parts = name.split(".")
    while len(parts) > 1 and is_extension(parts[-1]):
        parts.pop()
    return ".".join(parts)


def why_unsafe(name: str) -> str | None:
    """Return why a member of this name would leave the folder that it is unpacked to, or None."""
    if ".." in re.split(r"[/\\]", name):
        return "its name leaves the bundle with '..'"
    return None


class UniquePaths:
    """Gives each member a path that no earlier one has: the second `a/b` becomes `a/b (2)`."""

    def __init__(self) -> None:
        self._uses: dict[str, int] = {}

    def claim(self, path: str) -> str:
        """Return `path`, or a variant of it that was not claimed before."""
        uses = self._uses.get(path, 0) + 1
        self._uses[path] = uses
        return path if uses == 1 else self.claim(f"{path} ({uses})")


def rotation_key(path: str) -> tuple[str, int]:
    """Return the path without rotation and compression suffixes, and a number that sorts rotations oldest first.

    `w.log.2.gz` < `w.log.1` < `w.log`; `w.log-20240102.gz` (logrotate's dateext) < `w.log-20240103` < `w.log`.
    The number may also be that of a task (`worker.1.log`); `group_rotations` makes that distinction.
    """
    bare = _COMPRESSED.sub("", path)
    if _CORE_NAME.search(bare):
        return bare, _NEWEST_ORDER
    for pattern in _ROTATION_SUFFIXES:
        if match := pattern.search(bare):
            return bare[: match.start()] + bare[match.end() :], _rotation_order(match.groupdict())
    return bare, _NEWEST_ORDER


def _rotation_order(groups: dict[str, str]) -> int:
    if "number" in groups:
        return -int(groups["number"])
    digits = re.sub(r"\D", "", groups["date"])
    return int(digits) if len(digits) == 10 else int(digits.ljust(14, "0"))


def group_rotations(paths: Iterable[str]) -> list[list[str]]:
    """Return groups of paths that are one log, oldest first; most paths are a group of their own.

    `worker.0.log` and `worker.1.log` are two tasks unless `worker.log` exists; the same holds for `worker.0` and
    `worker.1`.
    """
    result: list[list[str]] = []
    for _, rotated, others in _split_by_rotation(paths):
        result += [rotated] if rotated else []
        result += [[path] for path in others]
    return result


def log_names(paths: Iterable[str]) -> dict[str, str]:
    """Return path → the name of the log that it is a part of: `worker.log` for `worker.log.1`, else the path itself."""
    names = {path: path for path in paths}
    for base, rotated, _ in _split_by_rotation(names):
        names |= dict.fromkeys(rotated, base)
    return names


def _split_by_rotation(paths: Iterable[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield (base, paths that are parts of the log `base`, oldest first, other paths with that base)."""
    groups: dict[str, list[tuple[int, str]]] = {}
    for path in paths:
        base, order = rotation_key(path)
        groups.setdefault(base, []).append((order, path))
    for base, members in groups.items():
        has_newest = any(order == _NEWEST_ORDER for order, _ in members)
        is_rotated = [has_newest or _is_surely_rotated(base, *item) for item in members]
        rotated = sorted(compress(members, is_rotated))
        others = [path for (_, path), rotates in zip(members, is_rotated, strict=True) if not rotates]
        yield base, [path for _, path in rotated], others


def _is_surely_rotated(base: str, order: int, path: str) -> bool:
    """Return whether a name is rotated even without the newest file: it has a date, or a number after a log name."""
    return order > 0 or (bool(_LOG_NAME.search(base)) and _COMPRESSED.sub("", path).startswith(base))
