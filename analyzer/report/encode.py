"""The written incident as plain JSON values: dicts, lists, texts and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct


def to_plain(value: Any) -> Any:
    """Return `value` as plain JSON values, keys in the order of the types. Fields that are UNSET are left out."""
    if isinstance(value, Struct):
        fields = ((name, getattr(value, name)) for name in value.__struct_fields__)
        return {name: to_plain(each) for name, each in fields if each is not UNSET}
    if isinstance(value, Mapping):
        return {key: to_plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(each) for each in value]
    return value
