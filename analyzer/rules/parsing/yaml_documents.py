"""YAML with line numbers: duplicate keys, tags, aliases and bombs are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

import yaml

from analyzer.rules.parsing.yaml_values import PackProblem, YamlList, YamlMapping
from analyzer.signals.types import SourcePosition

MAX_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 40
MAX_VALUES = 200_000  # scalars, lists and mappings of a file; a pack of 100 rules has 5,000
# A longer number is text: `1:1:1:…` (base 60) takes the square of its length, and 0xfff… cannot be printed.
MAX_NUMBER_CHARS = 40
_YAML_TAG_PREFIX = "tag:yaml.org,2002:"
_ALLOWED_TAGS = (None, "!", f"{_YAML_TAG_PREFIX}map", f"{_YAML_TAG_PREFIX}seq", f"{_YAML_TAG_PREFIX}str")
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER = yaml.SafeLoader("")
_LINE_BREAK = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")  # YAML 1.1, 5.4
_TEXT_AFTER_BRACES = re.compile(r":\s+[{\[][^}\]]*[}\]]\s*[^\s#,}\]]")
NO_TAGS_ADVICE = "packs hold plain texts, numbers, lists and mappings: write the value without a tag"


def read_yaml(text: bytes, file: str, problems: list[PackProblem]) -> object:
    """The document as Place, list, str, int, float, bool and None; problems are appended, never raised."""
    if len(text) > MAX_BYTES:
        advice = f"split it: at most {MAX_BYTES} are read"
        problems.append(PackProblem(file, SourcePosition(), f"the file has {len(text)} bytes", advice))
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
    """The line that is meant; none behind the end of a document that ends too early."""
    lines = _LINE_BREAK.split(text.decode(errors="replace"))
    return lines[position.line - 1] if position.line <= len(lines) else ""


def _syntax_advice(reason: str, line: str) -> str:
    if "tab" in reason.split() or "\t" in line[: -len(line.lstrip()) or None]:
        return "indent with spaces: YAML takes no tabs"
    if "escape character" in reason:
        return "write patterns in single quotes: in double ones a backslash is YAML's own"
    if _TEXT_AFTER_BRACES.search(line):
        return "a text that begins with { or [ stands in quotes"
    return "look at the quotes, colons and indentation here and in the line before"


class _YamlMark(Protocol):
    """PyYAML has two of them, one in C."""

    line: int
    column: int


def _position_of_mark(mark: _YamlMark | None) -> SourcePosition:
    return SourcePosition(mark.line + 1, mark.column + 1) if mark else SourcePosition()


def _first_undecodable(text: bytes) -> SourcePosition:
    """Where the first bytes stand that are no UTF-8."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        before = text[: error.start]
        return SourcePosition(before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
    return SourcePosition()


def find_forbidden_yaml(text: bytes | str) -> tuple[SourcePosition, str, str] | None:
    """What would make the document large or deep: its place, a sentence and an advice. Raises yaml.YAMLError.

    To be asked before a document is composed: libyaml's composer recurses.
    """
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=_LOADER)):
        position = _position_of_mark(event.start_mark)
        if count > MAX_VALUES:
            return position, f"the file has more than {MAX_VALUES:,} values", "split it into packs of a topic each"
        if isinstance(event, yaml.AliasEvent):
            return position, "aliases (*name) are not allowed in rule packs", "write the value out"
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if (tag := getattr(event, "tag", None)) not in _ALLOWED_TAGS:
            return position, f"the tag {str(tag).replace(_YAML_TAG_PREFIX, '!!')} is not allowed", NO_TAGS_ADVICE
        if depth > MAX_DEPTH:
            return position, f"nested more than {MAX_DEPTH} deep", "no condition needs that; give its parts a rule each"
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
                text = f"the key {key!r} stands twice (first in line {mapping.key_position(key).line})"
                problems.append(PackProblem(file, key_position, text, "the second would hide the first: keep one"))
            mapping.set_value(key, _convert(value, file, problems), key_position, _position_of_mark(value.start_mark))
        return mapping
    return _convert_scalar(node) if isinstance(node, yaml.ScalarNode) else None


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
