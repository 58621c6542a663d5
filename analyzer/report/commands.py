"""Steps to take, with the values of the incident in the commands that a reader copies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzer.report.controls import show_controls
from analyzer.report.document import WrittenRootCause
from analyzer.report.written_evidence import WrittenEvidence

# A value goes into a command only if no shell gives its characters a meaning: it comes from a log.
_SAFE_VALUE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/@%+-]{0,200}")
_NAMES = ("PID", "PCI", "DEVICE", "IFACE", "PATH", "SERVER", "MODULE")  # that are captures of the same name
_PLACEHOLDER = re.compile(rf"(?<![\w$/-])(HOST|PORT|ADDRESS|NAME|NODE|{'|'.join(_NAMES)})(?![\w/-])")
_CODE = re.compile(r"`([^`\n]+)`")
# The address of a connection that failed, as gRPC and Go print it. A server's own address is written otherwise.
_FAILED_ADDRESS = re.compile(
    r"\bipv4:(?P<ipv4>\d{1,3}(?:\.\d{1,3}){3}:\d{1,5})\b"
    r"|\bipv6:(?:%5B|\[)(?P<ipv6>[0-9a-fA-F:]{2,39})(?:%5D|\]):(?P<port>\d{1,5})\b"
    r"|\bdial tcp (?P<dialled>[\w.-]{1,100}:\d{1,5})\b"
)
_MAX_ADDRESS_LINES = 50  # lines of evidence that are searched for an address
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


def fill_steps(root: WrittenRootCause) -> list[str]:
    """Return the steps of a cause as text, with the values of its captures and its lines in the commands."""
    values = collect_step_values(root.captures, root.evidence)
    return [fill_step(step, values, root.node or "") for step in root.remediation]


def collect_step_values(captures: Mapping[str, str], evidence: Sequence[WrittenEvidence]) -> Mapping[str, str]:
    """Return the captures, and the address of the failed connections if the evidence has one and the captures none.

    Rules do not capture it: an error with a task and an address would say that the task runs at that address.
    """
    if not captures.keys().isdisjoint(("address", "host", "server", "port")):
        return captures
    texts = [text for line in evidence for text in (line.text, *(line.block or ()))][:_MAX_ADDRESS_LINES]
    failed = {
        (match["ipv6"], match["port"]) if match["ipv6"] else tuple((match["ipv4"] or match["dialled"]).rsplit(":", 1))
        for text in texts
        for match in _FAILED_ADDRESS.finditer(text)
    }
    if len(failed) != 1:
        return captures
    [(host, port)] = failed
    return {**captures, "address": f"{host}:{port}", "host": host, "port": port}


def _values(captures: Mapping[str, str], node: str) -> dict[str, str]:
    """Return placeholder → value; values that a shell could misread are left out."""
    address = _ADDRESS.fullmatch(captures.get("address", ""))
    host = captures.get("host") or (address["host"] if address else "") or captures.get("server", "")
    values = {
        "HOST": host,
        "PORT": captures.get("port") or (address["port"] if address else ""),
        "ADDRESS": (address["host"] if address else "") or captures.get("address", ""),
        "NAME": captures.get("name") or host,
        "NODE": node,
        **{name: captures.get(name.lower(), "") for name in _NAMES},
    }
    return {name: value for name, value in values.items() if _SAFE_VALUE.fullmatch(value)}
