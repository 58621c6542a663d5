"""Values of a plan, made from what an incident says: the text is a log's, and each value is of the vocabulary.

What is no such value gives the default or nothing. No path, library or host of an incident is a value at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from analyzer.replay.job_modules import vocabulary

_TASK = re.compile(r"[a-z_]{1,32}:\d{1,6}", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}", re.ASCII)


def to_text(value: object, max_chars: int | None = None) -> str:
    """Printable, in one line, at most so many characters (MAX_TEXT of the vocabulary if not given)."""
    text = str(value or "")[: max_chars or vocabulary().MAX_TEXT]
    return "".join(char if char.isprintable() else " " for char in text).strip()


def to_cause(value: object) -> str:
    """The id of a cause, a user's own among them."""
    text = re.sub(r"[^\w.-]", "_", str(value or "")[: vocabulary().MAX_NAME], flags=re.ASCII)
    return text if vocabulary().CAUSE.fits(text) else "unknown"


def to_task(value: object) -> str | None:
    return text if _TASK.fullmatch(text := str(value or "")) else None


def to_signature(value: object) -> str:
    """Empty where it is none."""
    return text if vocabulary().COMMON["incident_signature"].fits(text := str(value or "")) else ""


def to_exception(value: object) -> str:
    """The class's own name, without its module."""
    name = str(value or "").rpartition(".")[2]
    return name if vocabulary().FAULTS["exception"]["exception"].fits(name) else "RuntimeError"


def to_number(value: object, low: int, high: int, default: int) -> int:
    text = str(value if value is not None else "")
    return max(low, min(high, int(text))) if _NUMBER.fullmatch(text) else default


def to_signal(value: object, default: int) -> int:
    number = to_number(value, 0, 10**9, default)
    return number if vocabulary().SIGNAL.fits(number) else default


def root_captures(root: Mapping[str, object]) -> Mapping[str, object]:
    captures = root.get("captures")
    return captures if isinstance(captures, Mapping) else {}
