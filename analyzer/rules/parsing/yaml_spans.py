"""The span of each part of a pack in its file, by the keys that lead to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import yaml

from analyzer.rules.parsing.yaml_documents import find_forbidden_yaml

_LINE_BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")  # YAML 1.1, as libyaml counts lines
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
KeyPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A part of a file. `line` and `column` are 1-based; `start` and `stop` are offsets in characters."""

    line: int
    column: int
    start: int
    stop: int


def locate(text: str) -> Mapping[KeyPath, SourceSpan]:
    """Return the span of each value by its path: `("rules", "host-oom-kill", "tests", "0", "captures", "pid")`.

    A rule's part of the path is its id. The result is empty if the text is not valid YAML.
    """
    try:
        root = None if find_forbidden_yaml(text) else yaml.compose(text, Loader=_LOADER)
    except (yaml.YAMLError, RecursionError):
        return {}
    line_starts = [0, *(line_break.end() for line_break in _LINE_BREAK.finditer(text))]
    return {} if root is None else dict(_walk(root, (), line_starts, 0))


def _walk(node: yaml.Node, path: KeyPath, line_starts: list[int], depth: int) -> Iterator[tuple[KeyPath, SourceSpan]]:
    # From line and column: libyaml's own index counts a byte order mark, and Python's does not.
    start, end = node.start_mark, node.end_mark
    yield (
        path,
        SourceSpan(
            start.line + 1,
            start.column + 1,
            line_starts[start.line] + start.column,
            line_starts[min(end.line, len(line_starts) - 1)] + end.column,
        ),
    )
    if depth > 40:
        return
    if isinstance(node, yaml.SequenceNode):
        for index, child in enumerate(node.value):
            name = _rule_id(child) if path == ("rules",) else None
            yield from _walk(child, (*path, name or str(index)), line_starts, depth + 1)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _walk(value, (*path, str(key.value)), line_starts, depth + 1)


def _rule_id(node: yaml.Node) -> str | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == "id" and isinstance(value, yaml.ScalarNode):
                return str(value.value)
    return None
