"""Packs as they were last checked: a start reads one small file instead of parsing and compiling hundreds of rules.

The key is the content of every pack file and this program's version. The cache holds no tests; whoever runs or
shows those loads the packs themselves.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from analyzer import __version__
from analyzer.paths import read_cache, write_cache
from analyzer.resources import rules_dir
from analyzer.rules import conditions, load, types
from analyzer.rules.packs.user_packs import NO_USER_PACKS, UserPacks
from analyzer.rules.types import Packs
from analyzer.signals import types as signal_types

CACHE_VERSION = 6  # raise it when the meaning of a pack's types changes; their fields are told by _fields()


def load_packs(extra: Sequence[Path], cache: Path | None, user: UserPacks = NO_USER_PACKS) -> Packs:
    """As `load.load_packs`, from the cache where its content is known; what lint checked is trusted.

    Raises RuleError where `extra` names what does not exist. A broken rule is one of `problems`, and the rest goes on.
    """
    digest = _digest([rules_dir(), *user.roots, *extra], f"{user.disable} {len(extra)}")
    cache_file = cache / f"{digest}.packs" if cache else None
    packs = _read_cached(cache_file) if cache_file else None
    if packs is None:
        packs = _without_tests(load.load_packs(extra, trust=True, user=user))
        if cache_file:
            write_cache(cache_file, _serialize(packs))
    return replace(packs, problems=(*user.problems, *packs.problems))


def _without_tests(packs: Packs) -> Packs:
    rules = {name: replace(rule, tests=(), positions={}) for name, rule in packs.rules.items()}
    rules_by_file = {
        pack.file: tuple(rule for rule in rules.values() if rule.file == pack.file) for pack in packs.packs
    }
    return replace(
        packs,
        rules=rules,
        packs=tuple(replace(pack, signals=(), rules=rules_by_file[pack.file], positions={}) for pack in packs.packs),
        signals={name: replace(signal, positions={}) for name, signal in packs.signals.items()},
    )


def _digest(roots: Sequence[Path], settings: str) -> str:
    digest = hashlib.sha256(f"{__version__} {CACHE_VERSION} {_dataclass_layout()} {settings}".encode())
    for root in roots:
        for file in load.yaml_files(root):
            digest.update(f"\0{file}\0".encode("utf-8", "surrogateescape"))
            try:
                digest.update(file.read_bytes())
            except OSError:
                digest.update(b"unreadable")
    return digest.hexdigest()[:32]


def _dataclass_layout() -> str:
    """An object that was kept with other fields would load, and fail where the new ones are asked for."""
    modules = (types, conditions, signal_types)
    classes = [value for module in modules for value in vars(module).values()]
    return str(
        [
            (value.__name__, [field.name for field in fields(value)])
            for value in classes
            if isinstance(value, type) and is_dataclass(value)
        ]
    )


class _Pickler(pickle.Pickler):
    """Writes a dataclass as a call of its class, which is read in half the time."""

    def reducer_override(self, value: object) -> Any:
        if is_dataclass(value) and not isinstance(value, type):
            return type(value), tuple(getattr(value, field.name) for field in fields(value))
        return NotImplemented


def _serialize(packs: Packs) -> bytes:
    file = io.BytesIO()
    _Pickler(file).dump(packs)
    return file.getvalue()


def _read_cached(cache_file: Path) -> Packs | None:
    try:
        data = read_cache(cache_file)
        packs = pickle.loads(data) if data else None  # a pickle runs code: `recall` gives only what we wrote ourselves
    except (AttributeError, ImportError):  # another version of this program wrote it
        return None
    return packs if isinstance(packs, Packs) else None
