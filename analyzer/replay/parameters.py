"""Make the values of a plan from an incident. Their text comes from logs, so each must belong to the vocabulary.

A value outside the vocabulary becomes the default or empty. Paths, libraries and hosts of an incident are never values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from analyzer.replay.job_modules import vocabulary

_TASK = re.compile(r"[a-z_]{1,32}:\d{1,6}", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


def to_text(value: object, max_chars: int | None = None) -> str:
    """Return printable text in one line of at most `max_chars` characters (default: MAX_TEXT of the vocabulary)."""
    text = str(value or "")[: max_chars or vocabulary().MAX_TEXT]
    return "".join(char if char.isprintable() else " " for char in text).strip()


def to_cause(value: object) -> str:
    """Return the id of a cause; users may define their own."""
    text = re.sub(r"[^\w.-]", "_", str(value or "")[: vocabulary().MAX_NAME], flags=re.ASCII)
    return text if vocabulary().CAUSE.fits(text) else "unknown"


def to_task(value: object) -> str | None:
    return text if _TASK.fullmatch(text := str(value or "")) else None


def to_signature(value: object) -> str:
    """Return the signature; empty if the text is not one."""
    return text if vocabulary().COMMON["incident_signature"].fits(text := str(value or "")) else ""


def to_exception(value: object) -> str:
    """Return the name of the exception class, without its module."""
    name = str(value or "").rpartition(".")[2]
    return name if vocabulary().FAULTS["exception"]["exception"].fits(name) else "RuntimeError"


def to_number(value: object, low: int, high: int, default: int) -> int:
    """Return the whole number in the value, limited to low..high; `default` if the value is not a number."""
    text = str(value if value is not None else "")
    return max(low, min(high, int(text))) if _NUMBER.fullmatch(text) else default


def to_signal(value: object, default: int) -> int:
    number = to_number(value, 0, 10**9, default)
    return number if vocabulary().SIGNAL.fits(number) else default


def root_captures(root: Mapping[str, object]) -> Mapping[str, object]:
    captures = root.get("captures")
    return captures if isinstance(captures, Mapping) else {}
