"""Find, read and check packs. A broken pack or rule becomes a problem and never stops the others."""

from __future__ import annotations

import errno
import logging
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from analyzer.errors import RuleError
from analyzer.incident import Cause
from analyzer.resources import rules_dir
from analyzer.rules.packs.merge import merge_packs
from analyzer.rules.packs.user_packs import NO_USER_PACKS, UserPacks
from analyzer.rules.parsing.pack import PackReader
from analyzer.rules.parsing.yaml_values import PackProblem, YamlMapping
from analyzer.rules.types import Pack, PackChange, Packs
from analyzer.signals.types import SourcePosition

_log = logging.getLogger("analyzer.rules")
Value = TypeVar("Value")


def load_packs(
    extra: Sequence[Path] = (), builtin: bool = True, trust: bool = False, user: UserPacks = NO_USER_PACKS
) -> Packs:
    """Return the built-in packs, the user's packs, and the packs under `extra` (files or folders), merged in this
    order.

    With `trust`, the patterns of the built-in packs are not compiled to check them: lint did that before they were
    shipped. Raises RuleError if a path of `extra` does not exist.
    """
    problems: list[PackProblem] = []
    packs: list[Pack] = []
    tables: dict[str, Mapping[str, Mapping[str, str]]] = {}
    causes: dict[str, Cause] = {}
    changes: list[PackChange] = []
    bases: dict[str, YamlMapping] = {}
    requested_names = _pack_names(extra) if user.roots else frozenset()
    roots = ([rules_dir()] if builtin else []) + [*user.roots, *extra]
    for root in dict.fromkeys(roots):
        for file in yaml_files(root):
            problems_before = len(problems)
            raw = _read_document(_read_bytes(file, problems), str(file), problems)
            if raw is None and len(problems) > problems_before:
                continue
            if (
                root in user.roots
                and root not in extra
                and isinstance(raw, YamlMapping)
                and raw.get("pack") in requested_names
            ):
                del problems[problems_before:]
                continue  # --rules names a pack of this name: it replaces the installed one
            if file.name == "causes.yaml":
                changes.append(_update_and_record(causes, dict(_read_causes(raw)), str(file), "cause"))
            elif file.parent.name == "tables":
                changes.append(_update_and_record(tables, {file.stem: _read_table(raw)}, str(file), "table"))
            elif pack := PackReader(str(file), problems, trust and root == rules_dir(), bases).read_pack(raw):
                packs.append(pack)
    if not builtin:
        causes.update(_read_causes(_read_document((rules_dir() / "causes.yaml").read_bytes(), "causes.yaml", [])))
    return merge_packs(packs, tables, causes, problems, user.disable, changes)


def log_packs(packs: Packs, roots: Sequence[Path]) -> None:
    """Log what was loaded. `roots` are the folders and files besides the built-in packs."""
    _log.info(
        "%d rules and %d signals loaded from %d packs in %s",
        len(packs.rules),
        len(packs.signals),
        len(packs.packs),
        ", ".join(map(str, [rules_dir(), *roots])),
    )
    for change in packs.changes:
        _log.info("rule packs: %s", change)
    for problem in packs.problems:
        _log.info("rule packs: %s", problem)
    if _log.isEnabledFor(logging.DEBUG):
        for pack in packs.packs:
            _log.debug("pack %s %s from %s: %d rules", pack.name, pack.version, pack.file, len(pack.rules))


def _update_and_record(existing: dict[str, Value], new: Mapping[str, Value], file: str, label: str) -> PackChange:
    """Add `new` to `existing`, and return which of the existing entries it changed."""
    replaced = tuple(f"{label} {name}" for name, value in new.items() if existing.get(name, value) != value)
    existing.update(new)
    return PackChange(file, (), replaced)


def _pack_names(roots: Sequence[Path]) -> frozenset[object]:
    raws = (_read_document(_read_bytes(file, []), str(file), []) for root in roots for file in yaml_files(root))
    return frozenset(raw["pack"] for raw in raws if isinstance(raw, YamlMapping) and "pack" in raw)


def raise_problems(packs: Packs, extra: Sequence[Path]) -> None:
    """Raise RuleError with all problems of the packs under `extra`, if there are any.

    The report lists the problems of all other packs.
    """
    files = {str(file) for root in extra for file in yaml_files(root)}
    if messages := [str(problem) for problem in packs.problems if problem.file in files]:
        raise RuleError(
            "\n".join(messages),
            "the analysis continued without them; `tf-postmortem rules lint PATH` shows the details",
        )


def yaml_files(root: Path) -> Iterator[Path]:
    """Yield the pack files under `root`, or `root` itself if it is a file. Raises RuleError if it does not exist."""
    if root.is_file():
        yield root
    elif root.is_dir():
        # A repository of packs contains other YAML files too: .pre-commit-config.yaml, .github/
        yield from sorted(
            path
            for path in root.rglob("*.y*ml")
            if path.suffix in (".yaml", ".yml")
            and not any(part.startswith(".") for part in path.relative_to(root).parts)
        )
    else:
        raise RuleError(f"{root}: no such rule pack", "a pack is a YAML file, or a folder of YAML files")


def read_pack_file(file: Path) -> bytes:
    """Return the bytes of a pack, of a larger file one more than a pack may have: `read_yaml` refuses them.

    Raises OSError, also if it is not a regular file: reading a FIFO would wait for its writer.
    """
    from analyzer.rules.parsing.yaml_documents import MAX_BYTES

    with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        return stream.read(MAX_BYTES + 1)


def _read_bytes(file: Path, problems: list[PackProblem]) -> bytes:
    try:
        return read_pack_file(file)
    except OSError as error:
        problems.append(
            PackProblem(
                str(file),
                SourcePosition(),
                f"cannot be read: {error.strerror}",
                "check the owner and the permissions of the file",
            )
        )
        return b""


def _read_document(text: bytes, file: str, problems: list[PackProblem]) -> object:
    from analyzer.rules.parsing.yaml_documents import read_yaml  # lazy: not needed if all packs come from the cache

    return read_yaml(text, file, problems)


def _read_causes(raw: object) -> Iterator[tuple[str, Cause]]:
    """Yield each cause of a causes.yaml with its id. The groups of the file only order it for people."""
    for group in raw.values() if isinstance(raw, Mapping) else ():
        for name, body in group.items() if isinstance(group, Mapping) else ():
            if isinstance(body, Mapping):
                yield (
                    name,
                    Cause(
                        means=str(body.get("means", "")),
                        blame=str(body["blame"]) if "blame" in body else None,
                        survivable=_is_true(body.get("quiet")),
                        propagated=_is_true(body.get("echo")),
                        sent=_is_true(body.get("sent")),
                        job_wide=_is_true(body.get("of_job")),
                        shown_by_loss=_is_true(body.get("in_loss")),
                        before_start=_is_true(body.get("before_start")),
                        starts_anyway=_is_true(body.get("starts_anyway")),
                        lasting=_is_true(body.get("lasts")),
                        endings=tuple(map(str, ends if isinstance(ends := body.get("ends"), Sequence) else ())),
                    ),
                )


def _is_true(value: object) -> bool:
    """Return whether the value of a flag means true: the YAML boolean, or the quoted word."""
    return str(value).lower() == "true"


def _read_table(raw: object) -> Mapping[str, Mapping[str, str]]:
    """Return the rows of a table by key: from a mapping of keys to rows, or a list of rows (first column: the key)."""
    rows = raw.get("rows", raw) if isinstance(raw, YamlMapping) else raw
    if isinstance(rows, Mapping):
        return {str(key): _read_row(row) for key, row in rows.items() if isinstance(row, Mapping)}
    if isinstance(rows, list):
        return {str(next(iter(row.values()))): _read_row(row) for row in rows if isinstance(row, Mapping) and row}
    return {}


def _read_row(row: Mapping[str, object]) -> Mapping[str, str]:
    return {
        str(key): str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in row.items()
        if value is not None
    }
