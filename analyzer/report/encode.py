"""The written incident as plain JSON values: dicts, lists, texts and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct


def fields_to_dict(value: Struct) -> dict[str, Any]:
    """Return the fields by name, in the order of the type. Fields that are UNSET are left out."""
    fields = ((name, getattr(value, name)) for name in value.__struct_fields__)
    return {name: field_value for name, field_value in fields if field_value is not UNSET}


def to_plain(value: Any) -> Any:
    """Return `value` as plain JSON values."""
    if isinstance(value, Struct):
        return {name: to_plain(item) for name, item in fields_to_dict(value).items()}
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return value
