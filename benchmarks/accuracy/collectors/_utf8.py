"""Text as programs in Go write it: each byte that is no UTF-8 becomes U+FFFD (https://pkg.go.dev/encoding/json#Marshal)."""

from __future__ import annotations

import json
import re
from typing import Any

_STRAY = re.compile("[\udc80-\udcff]")
_SHORT = re.compile(rb"\\.")
_LONG = {rb"\t": rb"\u0009", rb"\b": rb"\u0008", rb"\f": rb"\u000c"}
_MARKUP = re.compile("[<>&\u2028\u2029]")


def decode(text: bytes) -> str:
    """One U+FFFD for each byte that is no UTF-8."""
    return _STRAY.sub("\ufffd", text.decode("utf-8", "surrogateescape"))


def replace_invalid(text: bytes) -> bytes:
    return decode(text).encode()


def dump_go(value: Any) -> bytes:
    """Compact JSON with `<`, `>` and `&` escaped. Strings may hold bytes that are no UTF-8 as surrogate escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _finish(_MARKUP.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def dump_docker(record: dict[str, str]) -> bytes:
    """As the daemon does, which knows no short form but of line feed and carriage return:
    https://github.com/moby/moby/blob/master/daemon/logger/jsonfilelog/jsonlog/jsonlogbytes.go."""
    return _SHORT.sub(lambda match: _LONG.get(match[0], match[0]), dump_go(record))


def dump(value: Any, indent: int | None = None) -> bytes:
    """JSON as most other programs write it: non-ASCII text as it is, and a space behind commas and colons."""
    return _finish(json.dumps(value, ensure_ascii=False, indent=indent))


def dump_plain(value: Any) -> bytes:
    """Compact JSON, nothing but what must be is escaped."""
    return _finish(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _finish(text: str) -> bytes:
    return _STRAY.sub(r"\\ufffd", text).encode()


def escape_surrogates(text: bytes) -> str:
    """For `dump` and `dump_go`: bytes that are no UTF-8 as surrogate escapes."""
    return text.decode("utf-8", "surrogateescape")
