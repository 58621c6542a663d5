"""YAML with line numbers: duplicate keys, tags, aliases and bombs are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import yaml

MAX_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 40
_PLAIN = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER = yaml.SafeLoader("")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a pack, and where; `line` and `column` are 1-based."""

    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.text}"


class Place(dict[str, object]):
    """A YAML mapping that knows where it and its keys stand."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}

    def at(self, key: str) -> int:
        return self.lines.get(key, self.line)


def read_yaml(text: bytes, file: str, problems: list[Problem]) -> object:
    """The document as Place, list, str, int, float, bool and None; problems are appended, never raised."""
    if len(text) > MAX_BYTES:
        problems.append(Problem(file, 1, 1, f"the file has {len(text)} bytes; at most {MAX_BYTES} are read"))
        return None
    try:
        if fault := _forbidden(yaml.parse(text, Loader=_LOADER)):
            problems.append(Problem(file, *fault))
            return None
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        problems.append(Problem(file, *where, f"not valid YAML: {error.problem or error}"))
        return None
    except (yaml.YAMLError, RecursionError, UnicodeDecodeError) as error:
        problems.append(Problem(file, 1, 1, f"not valid YAML: {error}"))
        return None
    return None if node is None else _convert(node, file, problems)


def _forbidden(events: Iterator[yaml.Event]) -> tuple[int, int, str] | None:
    """What would make the document large or deep when it is put together, where it stands: seen before it is."""
    depth = 0
    for event in events:
        mark = event.start_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        if isinstance(event, yaml.AliasEvent):
            return line, column, "aliases (*name) are not allowed in rule packs; write the value out"
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if event.tag not in _PLAIN:
                return line, column, f"the tag {event.tag} is not allowed"
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            return line, column, f"nested more than {MAX_DEPTH} deep"
    return None


def _convert(node: yaml.Node, file: str, problems: list[Problem]) -> object:
    if isinstance(node, yaml.SequenceNode):
        return [_convert(child, file, problems) for child in node.value]
    if isinstance(node, yaml.MappingNode):
        place = Place(node.start_mark.line + 1)
        for key, value in _pairs(node, file, problems):
            if key in place:
                where = value.start_mark.line + 1
                problems.append(
                    Problem(file, where, 1, f"the key {key!r} stands twice (first in line {place.at(key)})")
                )
            place[key] = _convert(value, file, problems)
            place.lines[key] = value.start_mark.line + 1
        return place
    return _scalar(node, file, problems) if isinstance(node, yaml.ScalarNode) else None


def _pairs(node: yaml.MappingNode, file: str, problems: list[Problem]) -> Iterator[tuple[str, yaml.Node]]:
    for key, value in node.value:
        if isinstance(key, yaml.ScalarNode):
            yield str(key.value), value
        else:
            problems.append(Problem(file, key.start_mark.line + 1, 1, "a key must be a plain word"))


def _scalar(node: yaml.ScalarNode, file: str, problems: list[Problem]) -> object:
    tag = node.tag.rpartition(":")[2]
    if tag in ("str", "timestamp", "binary", "value"):
        return node.value
    make: Callable[[yaml.ScalarNode], object] | None = {
        "int": _RESOLVER.construct_yaml_int,
        "float": _RESOLVER.construct_yaml_float,
        "bool": _RESOLVER.construct_yaml_bool,
        "null": lambda _: None,
    }.get(tag)
    if make is None:
        problems.append(
            Problem(file, node.start_mark.line + 1, node.start_mark.column + 1, f"the tag {node.tag} is not allowed")
        )
        return None
    try:
        return make(node)
    except ValueError:
        return node.value
