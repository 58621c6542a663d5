"""The written incident as plain JSON values: dicts, lists, texts and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct


def fields_to_dict(value: Struct) -> dict[str, Any]:
    """Return the fields by name, in the order of the type. Fields that are UNSET are left out."""
    fields = ((name, getattr(value, name)) for name in value.__struct_fields__)
    return {name: each for name, each in fields if each is not UNSET}


def to_plain(value: Any) -> Any:
    """Return `value` as plain JSON values."""
    if isinstance(value, Struct):
        return {name: to_plain(each) for name, each in fields_to_dict(value).items()}
    if isinstance(value, Mapping):
        return {key: to_plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(each) for each in value]
    return value
