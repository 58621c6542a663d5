"""Read YAML with positions. Duplicate keys, tags, aliases and documents that are too large or deep are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

import yaml

from analyzer.rules.parsing.yaml_values import PackProblem, YamlList, YamlMapping
from analyzer.signals.types import SourcePosition

MAX_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 40
MAX_VALUES = 200_000  # scalars, lists and mappings in a file; a pack of 100 rules has 5,000
# A longer number stays text: `1:1:1:…` (base 60) takes quadratic time, and 0xfff… cannot be printed.
MAX_NUMBER_CHARS = 40
_YAML_TAG_PREFIX = "tag:yaml.org,2002:"
_ALLOWED_TAGS = (None, "!", f"{_YAML_TAG_PREFIX}map", f"{_YAML_TAG_PREFIX}seq", f"{_YAML_TAG_PREFIX}str")
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER = yaml.SafeLoader("")
_LINE_BREAK = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")  # YAML 1.1, 5.4
_TEXT_AFTER_BRACES = re.compile(r":\s+[{\[][^}\]]*[}\]]\s*[^\s#,}\]]")
NO_TAGS_ADVICE = "packs contain plain texts, numbers, lists and mappings: write the value without a tag"


def read_yaml(text: bytes, file: str, problems: list[PackProblem]) -> object:
    """Return the document as YamlMapping, YamlList, str, int, float, bool and None; None if it is not valid.

    Problems are appended to `problems`, never raised.
    """
    if len(text) > MAX_BYTES:
        reason = f"the file has more than {MAX_BYTES:,} bytes"
        problems.append(PackProblem(file, SourcePosition(), reason, "split it into packs, one for each topic"))
        return None
    try:
        if forbidden := find_forbidden_yaml(text):
            problems.append(PackProblem(file, *forbidden))
            return None
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        position, reason = _position_of_mark(error.problem_mark), f"{error.problem or error}"
        problems.append(
            PackProblem(file, position, f"not valid YAML: {reason}", _syntax_advice(reason, _line_at(text, position)))
        )
        return None
    except (yaml.YAMLError, RecursionError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        problems.append(
            PackProblem(file, _first_undecodable(text), f"not valid YAML: {reason}", "write it as UTF-8 text")
        )
        return None
    return None if node is None else _convert(node, file, problems)


def _line_at(text: bytes, position: SourcePosition) -> str:
    """Return the text of the line; empty if the position is after the end of the text."""
    lines = _LINE_BREAK.split(text.decode(errors="replace"))
    return lines[position.line - 1] if position.line <= len(lines) else ""


def _syntax_advice(reason: str, line: str) -> str:
    if "tab" in reason.split() or "\t" in line[: -len(line.lstrip()) or None]:
        return "indent with spaces: YAML does not allow tabs"
    if "escape character" in reason:
        return "write patterns in single quotes: in double quotes, YAML interprets the backslash"
    if _TEXT_AFTER_BRACES.search(line):
        return "put a text that begins with { or [ in quotes"
    return "check the quotes, colons and indentation here and in the line before"


class _YamlMark(Protocol):
    """A position of PyYAML, which has two classes for it, one of them in C."""

    line: int
    column: int


def _position_of_mark(mark: _YamlMark | None) -> SourcePosition:
    return SourcePosition(mark.line + 1, mark.column + 1) if mark else SourcePosition()


def _first_undecodable(text: bytes) -> SourcePosition:
    """Return the position of the first bytes that are not UTF-8."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        before = text[: error.start]
        return SourcePosition(before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
    return SourcePosition()


def find_forbidden_yaml(text: bytes | str) -> tuple[SourcePosition, str, str] | None:
    """Return what would make the document too large or deep: its position, a sentence and an advice. None if nothing
    does.

    Call it before a document is composed, because libyaml's composer is recursive. Raises yaml.YAMLError.
    """
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=_LOADER)):
        position = _position_of_mark(event.start_mark)
        if count > MAX_VALUES:
            return position, f"the file has more than {MAX_VALUES:,} values", "split it into packs, one for each topic"
        if isinstance(event, yaml.AliasEvent):
            return position, "aliases (*name) are not allowed in rule packs", "write the value out"
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if (tag := getattr(event, "tag", None)) not in _ALLOWED_TAGS:
            return position, f"the tag {str(tag).replace(_YAML_TAG_PREFIX, '!!')} is not allowed", NO_TAGS_ADVICE
        if depth > MAX_DEPTH:
            return (
                position,
                f"nested more than {MAX_DEPTH} deep",
                "no condition needs that depth: split it into several rules",
            )
    return None


def _convert(node: yaml.Node, file: str, problems: list[PackProblem]) -> object:
    if isinstance(node, yaml.SequenceNode):
        items = YamlList()
        for child in node.value:
            items.append(_convert(child, file, problems))
            items.positions.append(_position_of_mark(child.start_mark))
        return items
    if isinstance(node, yaml.MappingNode):
        mapping = YamlMapping(_position_of_mark(node.start_mark))
        for key, key_position, value in _key_value_pairs(node, file, problems):
            if key in mapping:
                text = f"the key {key!r} occurs twice (first in line {mapping.key_position(key).line})"
                problems.append(PackProblem(file, key_position, text, "the second would replace the first: keep one"))
            mapping.set_value(key, _convert(value, file, problems), key_position, _position_of_mark(value.start_mark))
        return mapping
    if not isinstance(node, yaml.ScalarNode):
        return None
    scalar = _convert_scalar(node)
    if isinstance(scalar, bool) and node.value.lower() not in ("true", "false"):
        text = f"some YAML readers take {node.value} for {str(scalar).lower()}, others for a text"
        advice = f"write {str(scalar).lower()}, or quote it: '{node.value}'"
        problems.append(PackProblem(file, _position_of_mark(node.start_mark), text, advice))
    return scalar


def _key_value_pairs(
    node: yaml.MappingNode, file: str, problems: list[PackProblem]
) -> Iterator[tuple[str, SourcePosition, yaml.Node]]:
    for key, value in node.value:
        key_position = _position_of_mark(key.start_mark)
        if isinstance(key, yaml.ScalarNode):
            yield str(key.value), key_position, value
        else:
            advice = "quote it if it begins with [ or {"
            problems.append(PackProblem(file, key_position, "a key must be a plain word", advice))


def _convert_scalar(node: yaml.ScalarNode) -> object:
    convert = _SCALAR_CONVERTERS.get(node.tag.rpartition(":")[2])
    if convert is None or len(node.value) > MAX_NUMBER_CHARS:
        return node.value
    try:
        return convert(node)
    except ValueError:
        return node.value


_SCALAR_CONVERTERS: Mapping[str, Callable[[yaml.ScalarNode], object]] = {
    "int": _RESOLVER.construct_yaml_int,
    "float": _RESOLVER.construct_yaml_float,
    "bool": _RESOLVER.construct_yaml_bool,
    "null": lambda _: None,
}
