"""Where each part of a pack stands in its file, by the keys that lead there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import yaml

from analyzer.rules.documents import find_forbidden

_BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")  # YAML 1.1, which libyaml counts lines by
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Position:
    """`line` and `column` are 1-based; `start` and `stop` are offsets into the text, in characters."""

    line: int
    column: int
    start: int
    stop: int


def locate(text: str) -> Mapping[Path, Position]:
    """Each value by its path: `("rules", "host-oom-kill", "tests", "0", "captures", "pid")`; a rule stands by its id.

    Empty where the text is no YAML: then nothing in it can be pointed at.
    """
    try:
        node = None if find_forbidden(text) else yaml.compose(text, Loader=_LOADER)
    except (yaml.YAMLError, RecursionError):
        return {}
    starts = [0, *(found.end() for found in _BREAK.finditer(text))]
    return {} if node is None else dict(_walk(node, (), starts, 0))


def _walk(node: yaml.Node, path: Path, starts: list[int], depth: int) -> Iterator[tuple[Path, Position]]:
    # By line and column: libyaml's own index counts a byte order mark, Python's does not.
    begin, end = node.start_mark, node.end_mark
    yield (
        path,
        Position(
            begin.line + 1,
            begin.column + 1,
            starts[begin.line] + begin.column,
            starts[min(end.line, len(starts) - 1)] + end.column,
        ),
    )
    if depth > 40:
        return
    if isinstance(node, yaml.SequenceNode):
        for number, child in enumerate(node.value):
            name = _id_of(child) if path == ("rules",) else None
            yield from _walk(child, (*path, name or str(number)), starts, depth + 1)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _walk(value, (*path, str(key.value)), starts, depth + 1)


def _id_of(node: yaml.Node) -> str | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == "id" and isinstance(value, yaml.ScalarNode):
                return str(value.value)
    return None
