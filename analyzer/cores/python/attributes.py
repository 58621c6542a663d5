"""Find an attribute of an instance of a Python class, in one of the four places where interpreters keep it.

Layouts are those of 64-bit builds of CPython 3.8 to 3.14 with a global lock (Include/internal/pycore_object.h and
pycore_dict.h, Objects/dictobject.c): a dict with separate keys and values, an array of values before the object (3.11),
the same or a dict, reached through one pointer (3.12), or values after the object's own fields (3.13 on). The keys of
such values are in the class. The layout of 3.14 comes from its headers alone.
"""

from __future__ import annotations

from analyzer.cores.elf.memory import ProcessMemory
from analyzer.cores.python.objects import (
    DICT_KEYS_AT,
    DICT_VALUES_AT,
    TYPE_AT,
    TYPE_FLAGS_AT,
    ObjectReader,
)

TYPE_SIZE_AT, TYPE_DICT_OFFSET_AT = 32, 288  # tp_basicsize, tp_dictoffset
INLINE_VALUES_FLAG, MANAGED_DICT_FLAG = 1 << 2, 1 << 4  # Py_TPFLAGS_…
MANAGED_VALUES_AT, MANAGED_DICT_AT = -32, -24  # before the object; the first in 3.11 alone
VALUES_HEADER_BYTES = 8  # before the array of values (3.13 on)
IS_VALID_AT = 3  # in that header
MAX_ATTRIBUTES = 64


def find_attribute(memory: ProcessMemory, objects: ObjectReader, at: int, name: str) -> int | None:
    """Return the address of the value of an instance's own attribute; None if it has none or cannot be read."""
    kind = memory.read_word(at + TYPE_AT)
    flags = memory.read_word(kind + TYPE_FLAGS_AT) if kind else None
    if not kind or flags is None:
        return None
    if values := _find_values(memory, objects.version, at, kind, flags):
        return _find_value(memory, objects, memory.read_word(kind + _class_keys_at(objects.version)), values, name)
    if flags & MANAGED_DICT_FLAG:
        attributes = memory.read_word(at + MANAGED_DICT_AT)
    else:
        offset = memory.read_number(kind + TYPE_DICT_OFFSET_AT, 8, signed=True)
        attributes = memory.read_word(at + offset) if offset and offset > 0 else None
    return _find_in_dict(memory, objects, attributes, name) if attributes else None


def _find_values(memory: ProcessMemory, version: tuple[int, int], at: int, kind: int, flags: int) -> int | None:
    """Return the address of the array of values that belongs to the object itself; None if it has a dict instead."""
    if version >= (3, 13):
        size = memory.read_word(kind + TYPE_SIZE_AT) if flags & INLINE_VALUES_FLAG else None
        is_valid = size is not None and memory.read_number(at + size + IS_VALID_AT, 1) == 1
        return at + size + VALUES_HEADER_BYTES if size is not None and is_valid else None
    if version < (3, 11) or not flags & MANAGED_DICT_FLAG:
        return None
    if version == (3, 11):
        return memory.read_word(at + MANAGED_VALUES_AT) or None
    tagged = memory.read_word(at + MANAGED_DICT_AT) or 0  # of values, the address less one
    return tagged + 1 if tagged & 1 else None


def _class_keys_at(version: tuple[int, int]) -> int:
    """Return where a class keeps the names of its instances' attributes (PyHeapTypeObject.ht_cached_keys)."""
    return 872 if version == (3, 11) else 880


def _find_in_dict(memory: ProcessMemory, objects: ObjectReader, at: int, name: str) -> int | None:
    keys, values = memory.read_word(at + DICT_KEYS_AT), memory.read_word(at + DICT_VALUES_AT)
    if values:
        header_bytes = VALUES_HEADER_BYTES if objects.version >= (3, 13) else 0
        return _find_value(memory, objects, keys, values + header_bytes, name)
    entries = objects.list_entries(keys, MAX_ATTRIBUTES) if keys else []
    return next((value for key, value in entries if objects.read_str(key)[0] == name), None)


def _find_value(memory: ProcessMemory, objects: ObjectReader, keys: int | None, values: int, name: str) -> int | None:
    """Return the value at the position that the name has among the keys."""
    names = [objects.read_str(key)[0] for key in objects.list_keys(keys, MAX_ATTRIBUTES)] if keys else []
    return memory.read_word(values + 8 * names.index(name)) or None if name in names else None
