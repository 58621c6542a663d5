"""Steps to take, with the values of the incident in the commands that a reader copies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from analyzer.report.controls import show_controls

# A value goes into a command only if no shell gives its characters a meaning: it comes from a log.
_SAFE_VALUE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/@%+-]{0,200}")
_NAMES = ("PID", "PCI", "DEVICE", "IFACE", "PATH", "SERVER", "MODULE")  # that are captures of the same name
_PLACEHOLDER = re.compile(rf"(?<![\w$/-])(HOST|PORT|ADDRESS|NAME|NODE|{'|'.join(_NAMES)})(?![\w/-])")
_CODE = re.compile(r"`([^`\n]+)`")
_ADDRESS = re.compile(r"(?P<host>[\w.-]+|\[[0-9a-f:]+\]):(?P<port>\d{1,5})")


@dataclass(frozen=True, slots=True)
class StepPart:
    """A piece of a step: plain text, or code; `is_command` says that it is something to run."""

    text: str
    is_code: bool
    is_command: bool = False


def split_step(step: str, captures: Mapping[str, str], node: str) -> list[StepPart]:
    """Return the pieces of a step. Placeholders in its commands are replaced by captured values that are safe."""
    values = _values(captures, node)
    parts = list[StepPart]()
    for index, piece in enumerate(_CODE.split(show_controls(step))):
        if not piece:
            continue
        if index % 2 == 0:
            parts.append(StepPart(piece, False))
            continue
        filled = _PLACEHOLDER.sub(lambda match: values.get(match[1], match[1]), piece)
        parts.append(StepPart(filled, True, is_command=" " in filled.strip() and not filled[0].isupper()))
    return parts


def fill_step(step: str, captures: Mapping[str, str], node: str) -> str:
    """Return the step as text, with its commands filled and between backticks."""
    return "".join(f"`{part.text}`" if part.is_code else part.text for part in split_step(step, captures, node))


def _values(captures: Mapping[str, str], node: str) -> dict[str, str]:
    """Return placeholder → value; values that a shell could misread are left out."""
    address = _ADDRESS.fullmatch(captures.get("address", ""))
    host = captures.get("host") or (address["host"] if address else "") or captures.get("server", "")
    known = {
        "HOST": host,
        "PORT": captures.get("port") or (address["port"] if address else ""),
        "ADDRESS": captures.get("address", ""),
        "NAME": captures.get("name") or host,
        "NODE": node,
        **{name: captures.get(name.lower(), "") for name in _NAMES},
    }
    return {name: value for name, value in known.items() if _SAFE_VALUE.fullmatch(value)}
