"""Name the machines of logs in one file, one after the other, each under a header with the machine.

    ==> /var/log/train/gpu07.log <==                               tail and head of several files
    ==> ssh gpu07 dmesg | tail -40 <==                             or a script that imitates them
    gpu07 | CHANGED | rc=0 >>                                      ansible
    Container: container_e12_17160_0042_01_000003 on gpu07_45454   yarn logs
    [2] 09:12:32 [FAILURE] gpu07 Exited with error code 1          parallel-ssh
    ----------------                                               dshbak (pdsh, clush): the name between two rules
    gpu07                                                          gpu[01-06] (6): several machines: assigned to none
    ----------------

Each line below a header gets the prefix of `kubectl logs`, so that it belongs to the machine's stream.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from analyzer.formats.records.head_lines import head_lines
from analyzer.formats.records.line_by_line import split_at_line_feeds
from analyzer.formats.records.path_names import count_shared_parts, host_of_path
from analyzer.formats.records.typed_commands import find_target

MAX_HEAD_LINES = 30  # of a head, in which a single header must be
_TAIL_HEADER = re.compile(rb"==> (\S.{0,500}) <==\s*$").match
_HOST_HEADER = re.compile(
    rb"(?P<ansible>[A-Za-z0-9][\w.-]{0,200}) \| (?:CHANGED|SUCCESS|FAILED|UNREACHABLE!?)"
    rb"(?: \| rc=-?\d{1,4} >>| => \{?)\s*$"
    rb"|Container: container_\w{1,80} on (?P<yarn>[\w.-]{1,200}?)_\d{1,5}\s*$"
    rb"|\[\d{1,5}\] \d\d:\d\d:\d\d \[(?:SUCCESS|FAILURE)\] (?:\w{1,40}@)?(?P<pssh>[A-Za-z0-9][\w.-]{0,200})"
    rb"(?::\d{1,5})?(?: (?:Exited|Timed|Killed|Interrupted)\b.{0,100})?\s*$"
).match
_HOST_MARKS = (b" | rc=", b" => {", b": container_", b" [FAILURE] ", b" [SUCCESS] ")  # each header has one of these
_RULE = re.compile(rb"-{8,}\s*$").match
_NAME = re.compile(rb"([A-Za-z0-9][\w.-]{0,200}(?:[\[,][\w.,\[\]-]{1,400})?)(?: \(\d{1,6}\))?\s*$").match


def find_section_headers(head: bytes) -> int | None:
    """Return the number of parts at the ends of headers' paths that name no machine; None if there are no sections.

    If two machines have a header, the text before the first one may be long: output of an earlier command.
    """
    lines = head_lines(head)
    if not _has_header(lines[:MAX_HEAD_LINES]) and not _names_several_hosts(head, lines):
        return None
    paths = (match[1].decode("utf-8", "replace") for line in lines if (match := _TAIL_HEADER(line)))
    return count_shared_parts(paths)


def _names_several_hosts(head: bytes, lines: Sequence[bytes]) -> bool:
    if not any(mark in head for mark in _HOST_MARKS):  # as in nearly all files
        return False
    return len(set(filter(None, map(_host_of_header, lines)))) > 1


def _host_of_header(line: bytes) -> str | None:
    """Return the machine in a header line of a tool that prints no rules around it."""
    match = _HOST_HEADER(line)
    return (match["ansible"] or match["yarn"] or match["pssh"]).decode() if match else None


def _has_header(lines: Sequence[bytes]) -> bool:
    return any(_TAIL_HEADER(line) or _HOST_HEADER(line) for line in lines) or any(
        _RULE(above) and _NAME(line) and _RULE(below)
        for above, line, below in zip(lines, lines[1:], lines[2:], strict=False)
    )


class SectionPrefixer:
    """A `LineConverter` that puts the machine's name before each line."""

    name = "sections"

    def __init__(self, shared_parts: int = 0) -> None:
        """Make a converter. `shared_parts` is the number of parts at the ends of paths that name no machine."""
        self._shared_parts = shared_parts
        self._prefix = b""
        self._header_lines: list[
            bytes
        ] = []  # a rule, or a rule and a name; the next line shows whether they are a header

    def convert(self, lines: bytes) -> bytes:
        return b"".join(map(self._add_line, split_at_line_feeds(lines)))

    def finish(self) -> bytes:
        held, self._header_lines = self._header_lines, []
        return b"".join(self._add_prefix(line) for line in held)

    def note(self) -> str:
        return ""

    def _add_line(self, line: bytes) -> bytes:
        if self._header_lines:
            return self._continue_header(line)
        if _RULE(line):
            self._header_lines = [line]
            return b""
        if match := _TAIL_HEADER(line):
            title = match[1].decode("utf-8", "replace")
            self._prefix = pod_prefix(find_target(title) or host_of_path(title, self._shared_parts))
        elif host := _host_of_header(line):
            self._prefix = pod_prefix(host)
        else:
            return self._add_prefix(line)
        return line

    def _continue_header(self, line: bytes) -> bytes:
        """Convert a line after a rule, or after a rule and a name."""
        if len(self._header_lines) == 1 and _NAME(line):
            self._header_lines.append(line)
            return b""
        if len(self._header_lines) == 2 and _RULE(line) and (match := _NAME(self._header_lines[1])):
            held, self._header_lines = self._header_lines, []
            self._prefix = pod_prefix(match[1].decode())
            return b"".join([*held, line])
        return self.finish() + self._add_line(line)

    def _add_prefix(self, line: bytes) -> bytes:
        return self._prefix + line if line.strip() else line


def pod_prefix(name: str) -> bytes:
    return f"[pod/{name}/-] ".encode() if re.fullmatch(r"[\w.-]{1,200}", name) else b""
