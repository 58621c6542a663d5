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
from analyzer.paths import keep, recall
from analyzer.resources import rules_dir
from analyzer.rules import conditions, load, types
from analyzer.rules.types import Packs
from analyzer.rules.user import NONE, UserPacks

LAYOUT = 5  # raise it when the meaning of a pack's types changes; their fields are told by _fields()


def load_packs(extra: Sequence[Path], cache: Path | None, user: UserPacks = NONE) -> Packs:
    """As `load.load_packs`, from the cache where its content is known; what lint checked is trusted.

    Raises RuleError where `extra` names what does not exist. A broken rule is one of `problems`, and the rest goes on.
    """
    digest = _digest([rules_dir(), *user.roots, *extra], f"{user.disable} {len(extra)}")
    kept = cache / f"{digest}.packs" if cache else None
    packs = _read(kept) if kept else None
    if packs is None:
        packs = _lean(load.load_packs(extra, trust=True, user=user))
        if kept:
            keep(kept, _write(packs))
    return replace(packs, problems=(*user.problems, *packs.problems))


def _lean(packs: Packs) -> Packs:
    rules = {name: replace(rule, tests=(), spots={}) for name, rule in packs.rules.items()}
    own = {pack.file: tuple(rule for rule in rules.values() if rule.file == pack.file) for pack in packs.packs}
    return replace(
        packs,
        rules=rules,
        packs=tuple(replace(pack, signals=(), rules=own[pack.file], spots={}) for pack in packs.packs),
        signals={name: replace(signal, spots={}) for name, signal in packs.signals.items()},
    )


def _digest(roots: Sequence[Path], settings: str) -> str:
    said = hashlib.sha256(f"{__version__} {LAYOUT} {_fields()} {settings}".encode())
    for root in roots:
        for file in load.yaml_files(root):
            said.update(f"\0{file}\0".encode("utf-8", "surrogateescape"))
            try:
                said.update(file.read_bytes())
            except OSError:
                said.update(b"unreadable")
    return said.hexdigest()[:32]


def _fields() -> str:
    """An object that was kept with other fields would load, and fail where the new ones are asked for."""
    kinds = [*vars(types).values(), *vars(conditions).values()]
    return str(
        [
            (kind.__name__, [field.name for field in fields(kind)])
            for kind in kinds
            if isinstance(kind, type) and is_dataclass(kind)
        ]
    )


class _Pickler(pickle.Pickler):
    """Writes a dataclass as a call of its class, which is read in half the time."""

    def reducer_override(self, value: object) -> Any:
        if is_dataclass(value) and not isinstance(value, type):
            return type(value), tuple(getattr(value, field.name) for field in fields(value))
        return NotImplemented


def _write(packs: Packs) -> bytes:
    file = io.BytesIO()
    _Pickler(file).dump(packs)
    return file.getvalue()


def _read(kept: Path) -> Packs | None:
    try:
        data = recall(kept)
        packs = pickle.loads(data) if data else None  # a pickle runs code: `recall` gives only what we wrote ourselves
    except (AttributeError, ImportError):  # another version of this program wrote it
        return None
    return packs if isinstance(packs, Packs) else None
