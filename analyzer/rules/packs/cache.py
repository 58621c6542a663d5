"""Cache of the loaded packs: a start reads one small file instead of parsing and compiling hundreds of rules.

The key is the content of all pack files and the version of this program. The cache contains no tests: commands that
run or show tests load the packs themselves.
"""

from __future__ import annotations

import hashlib
import io
import logging
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

_log = logging.getLogger("analyzer.rules")
CACHE_VERSION = 6  # raise it when a field changes its meaning; _dataclass_layout() covers new and removed fields


def load_packs(extra: Sequence[Path], cache: Path | None, user: UserPacks = NO_USER_PACKS) -> Packs:
    """Return the same packs as `load.load_packs`, without tests, from the cache if it knows their content.

    `cache` is the folder of the cache; None: no cache. Raises RuleError if a path of `extra` does not exist. Broken
    rules become `problems` and do not stop the others.
    """
    digest = _digest([rules_dir(), *user.roots, *extra], f"{user.disable} {len(extra)}")
    cache_file = cache / f"{digest}.packs" if cache else None
    packs = _read_cached(cache_file) if cache_file else None
    if packs is None:
        packs = _without_tests(load.load_packs(extra, trust=True, user=user))
        if cache_file:
            write_cache(cache_file, _serialize(packs))
    else:
        _log.debug("rule packs come from the cache file %s", cache_file)
    packs = replace(packs, problems=(*user.problems, *packs.problems))
    load.log_packs(packs, [*user.roots, *extra])
    return packs


def _without_tests(packs: Packs) -> Packs:
    """Return the packs without what only authors need: tests and positions."""
    rules = {name: replace(rule, tests=(), positions={}) for name, rule in packs.rules.items()}
    rules_by_file = {
        pack.file: tuple(rule for rule in rules.values() if rule.file == pack.file) for pack in packs.packs
    }
    return replace(
        packs,
        rules=rules,
        packs=tuple(
            replace(pack, signals=(), rules=rules_by_file[pack.file], broken_rules=(), positions={})
            for pack in packs.packs
        ),
        broken_rules=(),
        signals={name: replace(signal, positions={}) for name, signal in packs.signals.items()},
    )


def _digest(roots: Sequence[Path], settings: str) -> str:
    """Return a hash of everything that the loaded packs depend on."""
    digest = hashlib.sha256(f"{__version__} {CACHE_VERSION} {_dataclass_layout()} {settings}".encode())
    for root in roots:
        for file in load.yaml_files(root):
            digest.update(f"\0{file}\0".encode("utf-8", "surrogateescape"))
            try:
                digest.update(load.read_pack_file(file))
            except OSError:
                digest.update(b"unreadable")
    return digest.hexdigest()[:32]


def _dataclass_layout() -> str:
    """Return the classes and fields of what the cache stores, as part of its key.

    An object that was stored with other fields would load without an error, and fail where a new field is read.
    """
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
    """Writes a dataclass as a call of its class, which loads in half the time."""

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
        packs = (
            pickle.loads(data) if data else None
        )  # a pickle can run code, but `recall` returns only files that this program wrote
    except (AttributeError, ImportError):  # written by another version of this program
        return None
    return packs if isinstance(packs, Packs) else None
