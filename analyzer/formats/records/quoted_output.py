"""Convert output of commands on several machines, as JSON strings below the names of the machines, into plain lines.

    ok: [gx-7] => {                              {"gx-7": "step 1 loss 0.5\\nstep 2 loss 0.4",
        "log.stdout_lines": [                     "gx-8": "step 1 loss 0.5\\n…"}
            "step 1 loss 0.5",
    ok: [gx-8] => {"changed": false, "stdout": "step 1 loss 0.5\\nstep 2 …"}

    fatal: [gx-7]: FAILED! => changed=true       the same by Ansible's YAML callback
      stderr_lines:
      - '2026-11-21 05:10:09.1: E tensorflow/…'

Ansible's callbacks and Salt's outputter write these; scripts may write the name as `"host": "gx-7"`. A string becomes
its line, with the machine's prefix. Line feeds in the string become carriage returns. All other text is passed on
unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from analyzer.formats import read_line
from analyzer.formats.records.head_lines import head_text
from analyzer.formats.records.line_by_line import LineByLine
from analyzer.formats.records.sections import pod_prefix
from analyzer.formats.records.writer_names import select_writers, stated_hosts
from analyzer.untrusted.documents import MalformedError, read_json

MAX_HEAD_LINES = 4_000
MAX_STRING_CHARS = 1 << 20
MIN_NAMES = 2
MIN_LOG_LINES = 3
OUTPUT_KEYS = (
    "stdout", "stderr", "msg", "content", "output", "stdout_lines", "stderr_lines", "log", "logs", "text", "lines",
    "tail",
)  # fmt: skip
HOST_KEYS = ("host", "hostname", "node", "machine", "server", "name")
_match_task_result = re.compile(
    r"(?:ok|changed|failed|fatal): \[(?P<host>[\w.-]{1,120})[^\]\n]{0,200}\](?:: [A-Z]{1,20}!)? => (?P<rest>.*)"
).match
_match_string = re.compile(r'\s{0,200}(?:"(?P<key>[\w.-]{1,120})": )?(?P<text>"(?:[^"\\]|\\.)*+"),?\s{0,8}$').match
_match_item = re.compile(r"""\s{1,20}- (?P<text>'(?:[^']|'')*+'|"(?:[^"\\]|\\.)*+"|[^'"\s][^\n]*)\s{0,8}$""").match
_match_opening = re.compile(r'\s{0,200}\{?\s{0,8}"(?P<key>[\w.-]{1,120})":\s{0,8}[\[{]\s{0,8}$').match


def find_quoting_machines(head: bytes) -> frozenset[str]:
    """Return the machines that have strings with log lines below their names; empty if there are fewer than two."""
    is_json = b'"' in head and (b'": ' in head or b"=> {" in head)
    if not is_json and b"=> changed=" not in head:
        return frozenset()
    lines = head_text(head).split("\n", MAX_HEAD_LINES)[:MAX_HEAD_LINES]
    results = frozenset(match["host"] for line in lines if (match := _match_task_result(line)))
    keys = {match["key"] for line in lines if (match := _match_opening(line) or _match_string(line)) and match["key"]}
    keys |= set(filter(None, map(_stated_host, lines)))
    names = results | select_writers(keys, stated_hosts(head))
    if len(names) < MIN_NAMES:
        return frozenset()
    reader = _OutputReader(names)
    texts = (text for line in lines if (text := reader.read(line)) is not None)
    logged = sum(bool(read_line(line).stamps) for text in texts for line in text.split("\n")[:MIN_LOG_LINES])
    return names if logged >= MIN_LOG_LINES else frozenset()


class _OutputReader:
    """Follows the names of machines in the lines of a file."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._is_yaml = False  # the last task result is one of the YAML callback
        self.host = ""

    def read(self, line: str) -> str | None:
        """Return the text of a string with output of the machine `host`; None if the line has none."""
        if match := _match_task_result(line):
            self.host, self._is_yaml = match["host"], not match["rest"].startswith("{")
            return "\n".join(_outputs_of(match["rest"])) or None
        if self._is_yaml and (item := _match_item(line)) and len(line) <= MAX_STRING_CHARS:
            return _unquote(item["text"])
        if (match := _match_opening(line)) and match["key"] in self._names:
            self.host = match["key"]
            return None
        if (name := _stated_host(line)) in self._names:
            self.host = name
            return None
        match = _match_string(line)
        if match is None or len(line) > MAX_STRING_CHARS:
            return None
        key = match["key"]
        if key in self._names:
            self.host = key
        elif not self.host or (key and key.rpartition(".")[2] not in OUTPUT_KEYS):
            return None
        return _decode(match["text"])


def _stated_host(line: str) -> str:
    """Return the name in a line such as `"host": "gx-7",`, else ""."""
    match = _match_string(line)
    return match["text"].strip('"') if match and match["key"] in HOST_KEYS else ""


def _outputs_of(text: str) -> Iterator[str]:
    """Yield the output in a task's result on one line. stdout_lines repeats stdout."""
    try:
        result = read_json(text) if text.endswith("}") and len(text) <= MAX_STRING_CHARS else None
    except MalformedError:
        return
    outputs: Mapping[str, object] = result if isinstance(result, dict) else {}
    for key, value in outputs.items():
        if key.rpartition(".")[2] in OUTPUT_KEYS and isinstance(value, str):
            yield value
        elif key.endswith("_lines") and key.removesuffix("_lines") not in outputs and isinstance(value, list):
            yield from (line for line in value if isinstance(line, str))


def _unquote(text: str) -> str | None:
    """Return the text of a YAML scalar on one line."""
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    return _decode(text) if text.startswith('"') else text


def _decode(text: str) -> str | None:
    try:
        value = read_json(text)
    except MalformedError:
        return None
    return value if isinstance(value, str) else None


class QuotedOutputConverter(LineByLine):
    """A `LineConverter` of such files."""

    name = "quoted-output"

    def __init__(self, names: frozenset[str]) -> None:
        self._reader = _OutputReader(names)

    def convert_line(self, line: bytes) -> bytes:
        text = self._reader.read(line.decode("utf-8", "replace").rstrip("\r"))
        if text is None:
            return line
        plain = text.replace("\r\n", "\r").replace("\n", "\r").rstrip("\r")
        return pod_prefix(self._reader.host) + plain.encode("utf-8", "replace")
