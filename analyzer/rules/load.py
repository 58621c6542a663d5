"""Finds, reads and checks packs; a broken pack or rule is a problem and never stops the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from analyzer.errors import RuleError
from analyzer.resources import rules_dir
from analyzer.rules.join import join
from analyzer.rules.parse import Reader
from analyzer.rules.places import At, Place, Problem
from analyzer.rules.types import Change, Pack, Packs
from analyzer.rules.user import NONE, UserPacks

Value = TypeVar("Value")


def load_packs(extra: Sequence[Path] = (), builtin: bool = True, trust: bool = False, user: UserPacks = NONE) -> Packs:
    """The built-in packs, the user's, and those under `extra` (files or folders), in this order.

    Raises RuleError if an extra one cannot be found. With `trust` the patterns of the built-in packs are not
    compiled to be checked: lint did that before they were shipped.
    """
    problems: list[Problem] = []
    packs: list[Pack] = []
    tables: dict[str, Mapping[str, Mapping[str, str]]] = {}
    causes: dict[str, Mapping[str, str]] = {}
    changes: list[Change] = []
    bases: dict[str, Place] = {}
    named = _names(extra) if user.roots else frozenset()
    roots = ([rules_dir()] if builtin else []) + [*user.roots, *extra]
    for root in dict.fromkeys(roots):
        for file in yaml_files(root):
            known = len(problems)
            raw = _read_document(_read(file, problems), str(file), problems)
            if raw is None and len(problems) > known:
                continue
            if root in user.roots and root not in extra and isinstance(raw, Place) and raw.get("pack") in named:
                del problems[known:]
                continue  # its author works on it: what was asked for stands for what is installed
            if file.name == "causes.yaml":
                changes.append(_replace(causes, dict(_causes(raw)), str(file), "cause"))
            elif file.parent.name == "tables":
                changes.append(_replace(tables, {file.stem: _table(raw)}, str(file), "table"))
            elif pack := Reader(str(file), problems, trust and root == rules_dir(), bases).read_pack(raw):
                packs.append(pack)
    if not builtin:
        causes.update(_causes(_read_document((rules_dir() / "causes.yaml").read_bytes(), "causes.yaml", [])))
    return join(packs, tables, causes, problems, user.disable, changes)


def _replace(known: dict[str, Value], new: Mapping[str, Value], file: str, what: str) -> Change:
    """Takes `new` in, and says which of those that were known it changed."""
    replaced = tuple(f"{what} {name}" for name, value in new.items() if known.get(name, value) != value)
    known.update(new)
    return Change(file, (), replaced)


def _names(roots: Sequence[Path]) -> frozenset[object]:
    raws = (_read_document(_read(file, []), str(file), []) for root in roots for file in yaml_files(root))
    return frozenset(raw["pack"] for raw in raws if isinstance(raw, Place) and "pack" in raw)


def complain(packs: Packs, extra: Sequence[Path]) -> None:
    """Raises RuleError with every problem of the packs under `extra`; those of other packs are told in the report."""
    files = {str(file) for root in extra for file in yaml_files(root)}
    if theirs := [str(problem) for problem in packs.problems if problem.file in files]:
        raise RuleError("\n".join(theirs), "all else went on; `tf-postmortem rules lint PATH` tells more")


def yaml_files(root: Path) -> Iterator[Path]:
    if root.is_file():
        yield root
    elif root.is_dir():
        # A repository of packs has YAML of other kinds: .pre-commit-config.yaml, .github/
        yield from sorted(
            path
            for path in root.rglob("*.y*ml")
            if path.suffix in (".yaml", ".yml")
            and not any(part.startswith(".") for part in path.relative_to(root).parts)
        )
    else:
        raise RuleError(f"{root}: there is no such rule pack", "a pack is a YAML file, or a folder of them")


def _read(file: Path, problems: list[Problem]) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        problems.append(Problem(str(file), At(), f"cannot be read: {error.strerror}", "look at its owner and its mode"))
        return b""


def _read_document(text: bytes, file: str, problems: list[Problem]) -> object:
    from analyzer.rules.documents import read_yaml  # PyYAML is not imported where all packs come from the cache

    return read_yaml(text, file, problems)


def _causes(raw: object) -> Iterator[tuple[str, Mapping[str, str]]]:
    for group in raw.values() if isinstance(raw, Mapping) else ():
        for name, body in group.items() if isinstance(group, Mapping) else ():
            if isinstance(body, Mapping):
                yield name, {key: str(value) for key, value in body.items()}


def _table(raw: object) -> Mapping[str, Mapping[str, str]]:
    """A table is a mapping of a key to a row, or a list of rows whose first column is the key."""
    rows = raw.get("rows", raw) if isinstance(raw, Place) else raw
    if isinstance(rows, Mapping):
        return {str(key): _row(row) for key, row in rows.items() if isinstance(row, Mapping)}
    if isinstance(rows, list):
        return {str(next(iter(row.values()))): _row(row) for row in rows if isinstance(row, Mapping) and row}
    return {}


def _row(row: Mapping[str, object]) -> Mapping[str, str]:
    return {
        str(key): str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in row.items()
        if value is not None
    }
