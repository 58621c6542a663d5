"""YAML with line numbers: duplicate keys, tags, aliases and bombs are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Protocol

import yaml

from analyzer.rules.places import At, Items, Place, Problem

MAX_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 40
_PLAIN = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER = yaml.SafeLoader("")
_BREAK = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")  # YAML 1.1, 5.4
_BRACED = re.compile(r":\s+[{\[][^}\]]*[}\]]\s*[^\s#,}\]]")
PLAINLY = "packs hold plain texts, numbers, lists and mappings: write the value without a tag"


def read_yaml(text: bytes, file: str, problems: list[Problem]) -> object:
    """The document as Place, list, str, int, float, bool and None; problems are appended, never raised."""
    if len(text) > MAX_BYTES:
        advice = f"split it: at most {MAX_BYTES} are read"
        problems.append(Problem(file, At(), f"the file has {len(text)} bytes", advice))
        return None
    try:
        if fault := _forbidden(yaml.parse(text, Loader=_LOADER)):
            problems.append(Problem(file, *fault))
            return None
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        at, said = _at(error.problem_mark), f"{error.problem or error}"
        problems.append(Problem(file, at, f"not valid YAML: {said}", _advise(said, _line(text, at))))
        return None
    except (yaml.YAMLError, RecursionError, UnicodeDecodeError) as error:
        said = " ".join(str(error).split())
        problems.append(Problem(file, _undecodable(text), f"not valid YAML: {said}", "write it as UTF-8 text"))
        return None
    return None if node is None else _convert(node, file, problems)


def _line(text: bytes, at: At) -> str:
    """The line that is meant; none behind the end of a document that ends too early."""
    lines = _BREAK.split(text.decode(errors="replace"))
    return lines[at.line - 1] if at.line <= len(lines) else ""


def _advise(said: str, line: str) -> str:
    if "tab" in said.split() or "\t" in line[: -len(line.lstrip()) or None]:
        return "indent with spaces: YAML takes no tabs"
    if "escape character" in said:
        return "write patterns in single quotes: in double ones a backslash is YAML's own"
    if _BRACED.search(line):
        return "a text that begins with { or [ stands in quotes"
    return "look at the quotes, colons and indentation here and in the line before"


class _Mark(Protocol):
    """PyYAML has two of them, one in C."""

    line: int
    column: int


def _at(mark: _Mark | None) -> At:
    return At(mark.line + 1, mark.column + 1) if mark else At()


def _undecodable(text: bytes) -> At:
    """Where the first bytes stand that are no UTF-8."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        before = text[: error.start]
        return At(before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
    return At()


def _forbidden(events: Iterator[yaml.Event]) -> tuple[At, str, str] | None:
    """What would make the document large or deep when it is put together, where it stands: seen before it is."""
    depth = 0
    for event in events:
        at = _at(event.start_mark)
        if isinstance(event, yaml.AliasEvent):
            return at, "aliases (*name) are not allowed in rule packs", "write the value out"
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if event.tag not in _PLAIN:
                return at, f"the tag {event.tag} is not allowed", PLAINLY
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            return at, f"nested more than {MAX_DEPTH} deep", "no condition needs that; give its parts a rule each"
    return None


def _convert(node: yaml.Node, file: str, problems: list[Problem]) -> object:
    if isinstance(node, yaml.SequenceNode):
        items = Items()
        for child in node.value:
            items.append(_convert(child, file, problems))
            items.places.append(_at(child.start_mark))
        return items
    if isinstance(node, yaml.MappingNode):
        place = Place(_at(node.start_mark))
        for key, at, value in _pairs(node, file, problems):
            if key in place:
                text = f"the key {key!r} stands twice (first in line {place.key_at(key).line})"
                problems.append(Problem(file, at, text, "the second would hide the first: keep one"))
            place.put(key, _convert(value, file, problems), at, _at(value.start_mark))
        return place
    return _scalar(node, file, problems) if isinstance(node, yaml.ScalarNode) else None


def _pairs(node: yaml.MappingNode, file: str, problems: list[Problem]) -> Iterator[tuple[str, At, yaml.Node]]:
    for key, value in node.value:
        at = _at(key.start_mark)
        if isinstance(key, yaml.ScalarNode):
            yield str(key.value), at, value
        else:
            advice = "quote it if it begins with [ or {"
            problems.append(Problem(file, at, "a key must be a plain word", advice))


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
        problems.append(Problem(file, _at(node.start_mark), f"the tag {node.tag} is not allowed", PLAINLY))
        return None
    try:
        return make(node)
    except ValueError:
        return node.value
