"""YAML with line numbers: duplicate keys, tags, aliases and bombs are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

import yaml

from analyzer.rules.places import At, Items, Place, Problem

MAX_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 40
MAX_VALUES = 200_000  # scalars, lists and mappings of a file; a pack of 100 rules has 5,000
# A longer number is text: `1:1:1:…` (base 60) takes the square of its length, and 0xfff… cannot be printed.
MAX_NUMBER_CHARS = 40
_YAML = "tag:yaml.org,2002:"
_PLAIN = (None, "!", f"{_YAML}map", f"{_YAML}seq", f"{_YAML}str")
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
        if fault := find_forbidden(text):
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


def find_forbidden(text: bytes | str) -> tuple[At, str, str] | None:
    """What would make the document large or deep: its place, a sentence and an advice. Raises yaml.YAMLError.

    To be asked before a document is composed: libyaml's composer recurses.
    """
    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=_LOADER)):
        at = _at(event.start_mark)
        if count > MAX_VALUES:
            return at, f"the file has more than {MAX_VALUES:,} values", "split it into packs of a topic each"
        if isinstance(event, yaml.AliasEvent):
            return at, "aliases (*name) are not allowed in rule packs", "write the value out"
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if (tag := getattr(event, "tag", None)) not in _PLAIN:
            return at, f"the tag {str(tag).replace(_YAML, '!!')} is not allowed", PLAINLY
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
    return _scalar(node) if isinstance(node, yaml.ScalarNode) else None


def _pairs(node: yaml.MappingNode, file: str, problems: list[Problem]) -> Iterator[tuple[str, At, yaml.Node]]:
    for key, value in node.value:
        at = _at(key.start_mark)
        if isinstance(key, yaml.ScalarNode):
            yield str(key.value), at, value
        else:
            advice = "quote it if it begins with [ or {"
            problems.append(Problem(file, at, "a key must be a plain word", advice))


def _scalar(node: yaml.ScalarNode) -> object:
    make = _TYPED.get(node.tag.rpartition(":")[2])
    if make is None or len(node.value) > MAX_NUMBER_CHARS:
        return node.value
    try:
        return make(node)
    except ValueError:
        return node.value


_TYPED: Mapping[str, Callable[[yaml.ScalarNode], object]] = {
    "int": _RESOLVER.construct_yaml_int,
    "float": _RESOLVER.construct_yaml_float,
    "bool": _RESOLVER.construct_yaml_bool,
    "null": lambda _: None,
}
