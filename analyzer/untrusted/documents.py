"""JSON, YAML and CSV of a bundle as plain values: dict with text keys, list, text, number, bool, None.

Values are bounded in size and depth. Whole numbers of more than 18 digits stay text, so that no later `str` fails.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any

from analyzer.untrusted.numbers import read_whole

MAX_DOCUMENT_CHARS = 4 << 20
MAX_DEPTH = 60  # levels of nesting; the description of a pod has a dozen
MAX_VALUES = 500_000  # scalars, lists and mappings of a YAML document


class MalformedError(ValueError):
    """The text is not a valid document of its kind, or exceeds a bound. The message says why, in one line."""


def read_json(text: str) -> object:
    """Return the value of a JSON document. Raises MalformedError."""
    _check_size(text)
    try:
        return json.loads(text, parse_int=_parse_int)
    except (ValueError, RecursionError) as error:
        raise MalformedError(f"not valid JSON: {error}") from error


def make_json_decoder() -> json.JSONDecoder:
    """Return a decoder of values within a text, for `raw_decode`, which raises ValueError or RecursionError."""
    return json.JSONDecoder(parse_int=_parse_int)


def read_yaml(text: str) -> Iterator[object]:
    """Yield the documents of a YAML stream. Raises MalformedError after the last one that can be read.

    Only `null`, `true` and `false` have a type, as in every YAML version; other scalars stay text, whatever their tag.
    Aliases are refused because they can multiply a document's size. Documents are built from the parser's events,
    without recursion.
    """
    import yaml

    _check_size(text)
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        yield from _build_documents(yaml.parse(text, loader))
    except (yaml.YAMLError, UnicodeError) as error:
        raise MalformedError(f"not valid YAML: {' '.join(str(error).split())}") from error


def read_csv_row(row: str, delimiter: str = ",") -> list[str]:
    """Return the cells of one row, which has several lines if a quoted cell has. Raises MalformedError.

    The csv module refuses cells of more than 128 KiB.
    """
    try:
        return next(csv.reader((f"{line}\n" for line in row.split("\n")), delimiter=delimiter), [])
    except csv.Error as error:
        raise MalformedError(f"not valid CSV: {error}") from error


def _check_size(text: str) -> None:
    if len(text) > MAX_DOCUMENT_CHARS:
        raise MalformedError(f"a document of {len(text):,} characters; at most {MAX_DOCUMENT_CHARS:,} are read")


def _parse_int(digits: str) -> int | str:
    number = read_whole(digits)
    return digits if number is None else number


def _build_documents(events: Iterator[Any]) -> Iterator[object]:
    """Yield the documents that PyYAML's parsing events describe."""
    import yaml

    open_collections: list[list[object] | _MappingBuilder] = []
    for count, event in enumerate(events):
        if count > MAX_VALUES:
            raise MalformedError(f"a document of more than {MAX_VALUES:,} values")
        if isinstance(event, yaml.AliasEvent):
            raise MalformedError("a document with aliases (*name)")
        if isinstance(event, yaml.CollectionStartEvent):
            if len(open_collections) >= MAX_DEPTH:
                raise MalformedError(f"a document nested more than {MAX_DEPTH} deep")
            open_collections.append(_MappingBuilder() if isinstance(event, yaml.MappingStartEvent) else [])
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            closed = open_collections.pop()
            value: object = closed.values if isinstance(closed, _MappingBuilder) else closed
        elif isinstance(event, yaml.ScalarEvent):
            value = event.value if event.style else _PLAIN_SCALARS.get(event.value, event.value)
        else:
            continue
        if open_collections:
            open_collections[-1].append(value)
        else:
            yield value


class _MappingBuilder:
    """A mapping under construction: keys and values are appended in turns."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self._key: str | None = None

    def append(self, value: object) -> None:
        if self._key is not None:
            self.values[self._key], self._key = value, None
        elif isinstance(value, dict | list):
            raise MalformedError("a mapping with a key that is not text")
        else:
            self._key = _KEY_TEXTS.get(value, str(value))


_PLAIN_SCALARS: dict[str, object] = {"": None, "~": None, "null": None, "true": True, "false": False}
_KEY_TEXTS: dict[object, str] = {None: "null", True: "true", False: "false"}
