"""Every regular expression of the package, the place that compiles it, and whether it is only tried at a text's start.

Run as a program in a fresh process, because it must see the modules being imported: it prints one JSON list.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import re._constants as sre  # type: ignore[import-not-found]
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from analyzer.rules.linting.backtracking import parse_tree

ROOT = Path(__file__).parents[2]
CALLS = frozenset({"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"})
LAZY = "compile_on_use"
ANCHORED = frozenset({"match", "fullmatch"})
Compiled = tuple[str | bytes, int, str]  # pattern, flags, engine


@dataclass(frozen=True, slots=True)
class PackagePattern:
    """`anchored`: only ever called as `match` or `fullmatch`."""

    pattern: str
    flags: int
    engine: str  # "re" | "regex"
    place: str  # path:line of the call that compiles it
    anchored: bool
    is_bytes: bool


def collect() -> tuple[list[PackagePattern], list[str]]:
    """(all patterns, the places of those that are only known when they are called)."""
    compiled = _watch_imports()
    trees = {path: ast.parse(path.read_text()) for path in sorted((ROOT / "analyzer").rglob("*.py"))}
    methods = _methods_by_name(trees)
    unique_patterns: dict[PackagePattern, None] = {}
    unknown = []
    for path, tree in trees.items():
        where = path.relative_to(ROOT)
        for call in _pattern_calls(tree):
            place = f"{where}:{call.lineno}"
            patterns = compiled.get((str(path), call.lineno)) or _evaluate(call, _module_of(path))
            if not patterns:
                unknown.append(place)
            anchored = _methods_of(call, tree, path, methods) <= ANCHORED
            for pattern, flags, engine in patterns:
                text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
                unique_patterns[PackagePattern(text, flags, engine, place, anchored, isinstance(pattern, bytes))] = None
    return list(unique_patterns), unknown


def _watch_imports() -> Mapping[tuple[str, int], list[Compiled]]:
    """Imports the whole package and notes what is compiled meanwhile, by (file, line)."""
    import regex

    seen: dict[tuple[str, int], list[Compiled]] = defaultdict(list)

    def watch(module: ModuleType, engine: str, name: str) -> None:
        original = getattr(module, name)

        def compile_and_note(pattern, flags=0, *args, **named):  # type: ignore[no-untyped-def]
            frame = sys._getframe(1)
            if isinstance(pattern, str | bytes):
                seen[frame.f_code.co_filename, frame.f_lineno].append((pattern, int(flags), engine))
            return original(pattern, flags, *args, **named)

        setattr(module, name, compile_and_note)

    watch(re, "re", "compile")
    watch(regex, "regex", "compile")
    import analyzer
    from analyzer.redact import lazy_patterns

    watch(lazy_patterns, "re", LAZY)

    for info in pkgutil.walk_packages(analyzer.__path__, "analyzer."):
        if not info.name.endswith("__main__"):
            importlib.import_module(info.name)
    return seen


def _module_of(path: Path) -> ModuleType | None:
    return sys.modules.get(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))


def _pattern_calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re" | "regex"), attr=method)):
                if method in CALLS or method == "compile":
                    yield node
            case ast.Call(func=ast.Name(id=name)) if name == LAZY:
                yield node


def _evaluate(call: ast.Call, module: ModuleType | None) -> list[Compiled]:
    """The pattern of a call inside a function, where constants and names of the module make it up."""
    flags = next((word.value for word in call.keywords if word.arg == "flags"), None)
    if isinstance(call.func, ast.Name):
        return []
    assert isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)
    position = {"compile": 1, "search": 2, "match": 2, "fullmatch": 2, "findall": 2, "finditer": 2}.get(call.func.attr)
    if flags is None and position is not None and len(call.args) > position:
        flags = call.args[position]
    try:
        pattern = eval(ast.unparse(call.args[0]), vars(module) if module else {})
        return [(pattern, int(eval(ast.unparse(flags), vars(module))) if flags else 0, call.func.value.id)]
    except (NameError, AttributeError):
        return []


def _methods_by_name(trees: Mapping[Path, ast.AST]) -> Mapping[tuple[Path | None, str], set[str]]:
    """Which attributes of a name are read; a name without an underscore may be imported, so it counts everywhere."""
    methods: dict[tuple[Path | None, str], set[str]] = defaultdict(set)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                methods[_key(path, node.value.id)].add(node.attr)
    return methods


def _key(path: Path, name: str) -> tuple[Path | None, str]:
    return (path if name.startswith("_") else None), name


def _methods_of(
    call: ast.Call, tree: ast.AST, path: Path, methods: Mapping[tuple[Path | None, str], set[str]]
) -> set[str]:
    """How a pattern is called; `search` where that cannot be seen."""
    if isinstance(call.func, ast.Attribute) and call.func.attr != "compile":
        return {call.func.attr}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.value is call:
            return {node.attr}
        if isinstance(node, ast.Assign) and node.value is call and isinstance(node.targets[0], ast.Name):
            return methods[_key(path, node.targets[0].id)] & CALLS or {"search"}
    return {"search"}


def captures_unbounded_number(pattern: PackagePattern) -> bool:
    """Whether a group takes digits alone, and any number of them."""
    return any(_is_number(list(body)) for body in _groups(parse_tree(pattern.pattern)))


def _groups(node: Any) -> Iterator[Any]:
    if isinstance(node, tuple) and len(node) == 2 and node[0] is sre.SUBPATTERN and node[1][0] is not None:
        yield node[1][3]
    if isinstance(node, list | tuple | re._parser.SubPattern):  # type: ignore[attr-defined]
        for inside in node:
            yield from _groups(inside)


def _is_number(body: list[Any]) -> bool:
    return (
        len(body) == 1 and body[0][0] in _REPEATS and body[0][1][1] is sre.MAXREPEAT and list(body[0][1][2]) == _DIGIT
    )


_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_DIGIT = [(sre.IN, [(sre.CATEGORY, sre.CATEGORY_DIGIT)])]


if __name__ == "__main__":
    patterns, unknown = collect()
    json.dump({"patterns": [asdict(pattern) for pattern in patterns], "unknown": unknown}, sys.stdout)
