"""Convert the output of the cells of Jupyter notebooks into plain lines.

    "output_type": "stream",
    "text": [
     "Epoch 1/25\\n",                                        becomes   Epoch 1/25
    "text": "Epoch 1/25\\n"                                 also as a single string
    "traceback": [
     "\\u001b[0;31mValueError\\u001b[0m: bad",                becomes   ValueError: bad

Jupyter writes one string a line (https://nbformat.readthedocs.io/en/latest/format_description.html). Line feeds within
a string become carriage returns. Headings and shell commands in the sources of cells are unquoted too, because they say
which machine the output after them is from. Code (`log.info("training done")`) is not a log: its lines become empty,
except those that set the environment.
"""

from __future__ import annotations

import re

from analyzer.formats.records.line_by_line import LineByLine
from analyzer.untrusted.documents import MalformedError, read_json

_begins_notebook = re.compile(rb'\s*\{\s*"cells": \[').match
_begins_output = re.compile(rb'\s*"(?:text|traceback|text/plain)": \[\s*$').match
_is_heading_or_command = re.compile(rb'\s*"(?:source": \[")?(?:!|#{1,6} )').match
_match_cell_type = re.compile(rb'\s*"cell_type": "(\w{1,20})",?\s*$').match
_begins_source = re.compile(rb'\s*"source": \[\s*$').match
_sets_environment = re.compile(rb"TF_CONFIG|environ\b|%env\b").search
_match_lone_text = re.compile(rb'\s*"text": ("(?:[^"\\]|\\.)*+"),?\s{0,8}$', re.DOTALL).match
_begins_other_list = re.compile(rb'\s*"[^"]{1,80}": \[\s*$').match
_ends_list = re.compile(rb"\s*\],?\s*$").match
_ESCAPES = re.compile(r"\x1b\[[0-9;]{0,32}m")


def is_notebook(head: bytes) -> bool:
    """Return whether a file begins like a notebook."""
    return _begins_notebook(head) is not None


class NotebookConverter(LineByLine):
    """A `LineConverter` that unquotes the lines of the cells' outputs."""

    name = "notebook"

    def __init__(self) -> None:
        self._in_output = False
        self._in_code = False  # in the source of a code cell
        self._cell_type = b""
        self._code_lines = 0

    def note(self) -> str:
        return f"{self._code_lines} lines of code in cells were not read as a log." if self._code_lines else ""

    def convert_line(self, line: bytes) -> bytes:
        if cell := _match_cell_type(line):
            self._cell_type = cell[1]
        elif _begins_output(line):
            self._in_output, self._in_code = True, False
        elif _begins_source(line):
            self._in_output, self._in_code = False, self._cell_type == b"code"
        elif _ends_list(line) or _begins_other_list(line):
            self._in_output = self._in_code = False
        elif text := _match_lone_text(line):
            return _unquote(text[1])
        elif self._in_output or _is_heading_or_command(line):
            return _unquote(line)
        elif self._in_code and not _sets_environment(line):
            self._code_lines += 1
            return b""
        return line


def _unquote(line: bytes) -> bytes:
    """Return the text of a JSON string; any other line unchanged."""
    try:
        text = read_json(line.strip().removesuffix(b",").decode("utf-8", "replace"))
    except MalformedError:
        return line
    if not isinstance(text, str):
        return line
    text = _ESCAPES.sub("", text).removesuffix("\n")
    return text.replace("\r\n", "\r").replace("\n", "\r").encode("utf-8", "replace")
