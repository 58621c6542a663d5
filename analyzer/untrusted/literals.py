"""Values as Python prints them, and JSON: `{'worker': ['10.0.0.1:2222'], 'index': 0}`.

`ast.literal_eval` builds a syntax tree a hundred times as large as its text, and turns `0xfff…` into numbers that
cannot be printed again. This reader knows dict, list, tuple, text, number, True, False and None; it takes linear time
and bounds the depth.
"""

from __future__ import annotations

import ast
import re
import warnings

from analyzer.untrusted.documents import MAX_DEPTH, MAX_DOCUMENT_CHARS, MalformedError, read_json
from analyzer.untrusted.numbers import read_whole

_TOKEN = re.compile(
    r"""\s*+(?:(?P<sign>[{}\[\](),:])|(?P<text>[bBuU]?(?:'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+"))|(?P<word>[-+.\w]++))"""
)
_CONSTANTS = {"None": None, "null": None, "True": True, "true": True, "False": False, "false": False}
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_MAX_NUMBER_CHARS = 40


def read_literal(text: str) -> object:
    """Return the value of a literal. Raises MalformedError.

    Whole numbers of more than 18 digits stay text; a tuple is read as a list.
    """
    try:
        return read_json(text)
    except MalformedError:
        reader = _LiteralParser(text)
        value = reader.read_value(0)
        reader.expect_end()
        return value


class _LiteralParser:
    def __init__(self, text: str) -> None:
        if len(text) > MAX_DOCUMENT_CHARS:
            raise MalformedError(f"a literal of {len(text):,} characters")
        self._text, self._position = text, 0

    def read_value(self, depth: int) -> object:
        kind, token = self._next_token()
        if kind == "text":
            return _unquote(token)
        if kind == "word":
            return _read_word(token)
        if token not in _CLOSING or depth >= MAX_DEPTH:
            raise MalformedError(f"{token!r} at {self._position} where a value is expected")
        if token == "{":
            return self._read_dict(depth + 1)
        values, has_comma = self._read_list(_CLOSING[token], depth + 1)
        return values[0] if token == "(" and len(values) == 1 and not has_comma else values

    def expect_end(self) -> None:
        if self._text[self._position :].strip():
            raise MalformedError(f"more text behind the literal at {self._position}")

    def _read_dict(self, depth: int) -> dict[str, object]:
        values: dict[str, object] = {}
        while not self._skip_sign("}"):
            key = self.read_value(depth)
            if isinstance(key, dict | list) or not self._skip_sign(":"):
                raise MalformedError(f"no key and value at {self._position}")
            values[str(key)] = self.read_value(depth)
            self._skip_comma("}")
        return values

    def _read_list(self, closing: str, depth: int) -> tuple[list[object], bool]:
        values: list[object] = []
        has_comma = False
        while not self._skip_sign(closing):
            values.append(self.read_value(depth))
            has_comma = self._skip_comma(closing) or has_comma
        return values, has_comma

    def _skip_comma(self, closing: str) -> bool:
        """Skip a comma and return True, or return False before the closing bracket. Raises MalformedError otherwise."""
        if self._skip_sign(","):
            return True
        if (token := _TOKEN.match(self._text, self._position)) is None or token["sign"] != closing:
            raise MalformedError(f"neither ',' nor {closing!r} at {self._position}")
        return False

    def _skip_sign(self, sign: str) -> bool:
        token = _TOKEN.match(self._text, self._position)
        if token is None or token["sign"] != sign:
            return False
        self._position = token.end()
        return True

    def _next_token(self) -> tuple[str, str]:
        token = _TOKEN.match(self._text, self._position)
        if token is None:
            raise MalformedError(f"no literal at {self._position}")
        self._position = token.end()
        return token.lastgroup or "", token[token.lastgroup or 0]


def _unquote(token: str) -> str:
    quote = token[-1]
    if "\\" not in token:
        return token[token.index(quote) + 1 : -1]
    try:
        with warnings.catch_warnings(action="ignore"):  # about unknown escapes such as "\d"
            value = ast.literal_eval(token)
    except (ValueError, SyntaxError) as error:
        raise MalformedError(f"not a valid string: {error}") from error
    return value if isinstance(value, str) else repr(value)


def _read_word(word: str) -> object:
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    if (number := read_whole(word)) is not None:
        return number
    if word.lstrip("-+").isdecimal():
        return word
    try:
        return float(word[:_MAX_NUMBER_CHARS])
    except ValueError:
        raise MalformedError(f"{word[:_MAX_NUMBER_CHARS]!r} is not a value") from None
