"""Shows a value of native code as text by its type in the debug information, as gdb's `info locals` does.

Every list, text and depth is bounded. A value that is not understood is shown as `<…>`; nothing is made up.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from elftools.common.exceptions import DWARFError

from analyzer.cores.elf.memory import ProcessMemory

MAX_VALUE_CHARS = 200
MAX_ELEMENTS = 8  # of an array or a vector
MAX_MEMBERS = 12  # of a class
MAX_DEPTH = 3  # of classes in classes
MAX_TEXT_BYTES = 120
MAX_STEPS = 300  # types that are looked at for one variable
MAX_QUALIFIERS = 32  # typedefs, const and the like around a type
MAX_ENUMERATORS = 1000
UNREADABLE, INCOMPLETE = "<not in the core>", "<incomplete type>"

QUALIFIER_TAGS = frozenset(
    f"DW_TAG_{name}_type" for name in ("const", "volatile", "restrict", "atomic", "immutable")
) | {"DW_TAG_typedef"}
POINTER_TAGS = frozenset(("DW_TAG_pointer_type", "DW_TAG_ptr_to_member_type", "DW_TAG_unspecified_type"))
REFERENCE_TAGS = frozenset(("DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"))
CLASS_TAGS = frozenset(("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"))
# DW_ATE_*
BOOLEAN, FLOAT, SIGNED, SIGNED_CHAR, UNSIGNED, UNSIGNED_CHAR, UTF = 2, 4, 5, 6, 7, 8, 16
FLOATS = {2: "<e", 4: "<f", 8: "<d"}


@dataclass(slots=True)
class ValuePlace:
    """Where a value is: at an address, or in `raw`, the bytes of a register."""

    memory: ProcessMemory
    address: int | None = None
    raw: bytes = b""

    def read(self, size: int) -> bytes | None:
        if self.address is not None:
            return self.memory.read(self.address, size)
        return self.raw[:size] if size <= len(self.raw) else None

    def move(self, offset: int) -> ValuePlace:
        """Return the place of a member, `offset` bytes further."""
        if self.address is not None:
            return ValuePlace(self.memory, self.address + offset)
        return ValuePlace(self.memory, None, self.raw[offset:])


def describe_value(type_entry: Any, place: ValuePlace) -> str:
    """Return the value as text of at most MAX_VALUE_CHARS. `type_entry`: the entry of its type; None: void.

    Raises what pyelftools raises for damaged debug information.
    """
    text = _ValueWriter(place.memory).describe(type_entry, place, 0)
    return text if len(text) <= MAX_VALUE_CHARS else text[: MAX_VALUE_CHARS - 1] + "…"


def find_type(entry: Any) -> Any:
    """Return the entry of the type that an entry states; None: void."""
    return entry.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in entry.attributes else None


def name_of(entry: Any) -> str:
    """Return the name that an entry states; empty if it has none."""
    value = entry.attributes["DW_AT_name"].value if "DW_AT_name" in entry.attributes else b""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _strip_qualifiers(entry: Any) -> Any:
    for _ in range(MAX_QUALIFIERS):
        if entry is None or entry.tag not in QUALIFIER_TAGS:
            return entry
        entry = find_type(entry)
    raise DWARFError("a type without an end")


def _number(entry: Any, name: str, default: int = 0) -> int:
    """Return an attribute that is a constant; the default if it is missing or an expression."""
    attribute = entry.attributes.get(name)
    return attribute.value if attribute is not None and isinstance(attribute.value, int) else default


@dataclass(slots=True)
class _ValueWriter:
    """Writes one variable; `steps` counts the types that were looked at for it."""

    memory: ProcessMemory
    steps: int = 0

    def describe(self, type_entry: Any, place: ValuePlace, depth: int) -> str:
        self.steps += 1
        entry = _strip_qualifiers(type_entry)
        if self.steps > MAX_STEPS or depth > MAX_DEPTH:
            return "…"
        if entry is None:
            return "<void>"
        if entry.tag == "DW_TAG_base_type":
            return _describe_base(entry, place)
        if entry.tag == "DW_TAG_enumeration_type":
            return _describe_enumerator(entry, place)
        if entry.tag in POINTER_TAGS:
            return self._describe_pointer(entry, place)
        if entry.tag in REFERENCE_TAGS:
            target = self._read_word(place)
            return (
                UNREADABLE
                if target is None
                else self.describe(find_type(entry), ValuePlace(self.memory, target), depth)
            )
        if entry.tag == "DW_TAG_array_type":
            return self._describe_array(entry, place, depth)
        if entry.tag in CLASS_TAGS:
            return self._describe_class(entry, place, depth)
        return f"<{entry.tag.removeprefix('DW_TAG_')}>"

    def _read_word(self, place: ValuePlace) -> int | None:
        raw = place.read(self.memory.word_size)
        return None if raw is None else int.from_bytes(raw, "little")

    def _describe_pointer(self, entry: Any, place: ValuePlace) -> str:
        value = self._read_word(place)
        if value is None:
            return UNREADABLE
        target = _strip_qualifiers(find_type(entry))
        is_text = target is not None and target.tag == "DW_TAG_base_type" and _number(target, "DW_AT_byte_size") == 1
        if value and is_text and _number(target, "DW_AT_encoding") in (SIGNED_CHAR, UNSIGNED_CHAR):
            raw = self.memory.read_string(value, MAX_TEXT_BYTES)
            return f"{value:#x} {_quote(raw)}" if raw or self.memory.read(value, 1) is not None else f"{value:#x}"
        return f"{value:#x}"

    def _describe_array(self, entry: Any, place: ValuePlace, depth: int) -> str:
        counts = [
            _number(child, "DW_AT_count", _number(child, "DW_AT_upper_bound", -1) + 1)
            for child in islice(entry.iter_children(), MAX_ELEMENTS)
            if child.tag == "DW_TAG_subrange_type"
        ]
        element = _strip_qualifiers(find_type(entry))
        size = _number(element, "DW_AT_byte_size") if element is not None else 0
        is_text = size == 1 and _number(element, "DW_AT_encoding") in (SIGNED_CHAR, UNSIGNED_CHAR)
        if is_text and len(counts) == 1:
            raw = place.read(min(counts[0], MAX_TEXT_BYTES))
            return UNREADABLE if raw is None else _quote(raw.split(b"\0")[0])
        return self._describe_rows(element, size, place, counts, depth)

    def _describe_rows(self, element: Any, size: int, place: ValuePlace, counts: Sequence[int], depth: int) -> str:
        """Return `{{1, 2}, {3, 4}}` for consecutive elements, in rows of `counts` elements."""
        if not counts:
            return self.describe(element, place, depth + 1)
        count, row_bytes = counts[0], size * math.prod(counts[1:])
        if row_bytes <= 0 or count < 0:
            return INCOMPLETE
        shown = min(count, MAX_ELEMENTS) if self.steps <= MAX_STEPS else 0
        rows = (place.move(index * row_bytes) for index in range(shown))
        parts = [self._describe_rows(element, size, row, counts[1:], depth) for row in rows]
        more = [f"… {count - shown:,} more"] if count > shown else []
        return "{" + ", ".join([*parts, *more]) + "}"

    def _describe_class(self, entry: Any, place: ValuePlace, depth: int) -> str:
        name, size = name_of(entry), _number(entry, "DW_AT_byte_size")
        if "DW_AT_declaration" in entry.attributes:
            return INCOMPLETE
        first, second = self._read_word(place), self._read_word(place.move(self.memory.word_size))
        if name.startswith("basic_string<char,") and size == 32:  # libstdc++: the text's address, its length
            if first is None or second is None:
                return UNREADABLE
            raw = self.memory.read(first, min(second, MAX_TEXT_BYTES))
            return UNREADABLE if raw is None else _quote(raw) + ("…" if second > MAX_TEXT_BYTES else "")
        if name.startswith("vector<") and size == 24 and not name.startswith("vector<bool"):
            return self._describe_vector(entry, first, second, depth)
        members = list(islice(self._describe_members(entry, place, depth), MAX_MEMBERS + 1))
        more = ["…"] if len(members) > MAX_MEMBERS else []
        return "{" + ", ".join([*members[:MAX_MEMBERS], *more]) + "}"

    def _describe_vector(self, entry: Any, first: int | None, end: int | None, depth: int) -> str:
        """Return the elements of libstdc++'s std::vector: the addresses of the first element and of the end."""
        parameters = (child for child in entry.iter_children() if child.tag == "DW_TAG_template_type_param")
        parameter = next(parameters, None)
        element = _strip_qualifiers(find_type(parameter)) if parameter is not None else None
        size = _number(element, "DW_AT_byte_size", 0) if element is not None else 0
        if first is None or end is None or not size or end < first or (end - first) % size:
            return UNREADABLE
        count = (end - first) // size
        shown = self._describe_rows(element, size, ValuePlace(self.memory, first), [count], depth)
        return f"vector of {count:,}: {shown}" if count else "vector of 0"

    def _describe_members(self, entry: Any, place: ValuePlace, depth: int) -> Iterator[str]:
        for child in entry.iter_children():
            if self.steps > MAX_STEPS:
                return
            is_base = child.tag == "DW_TAG_inheritance"
            if not is_base and (child.tag != "DW_TAG_member" or "DW_AT_external" in child.attributes):
                continue
            offset = child.attributes.get("DW_AT_data_member_location")
            member_type = find_type(child)
            name = f"<{name_of(member_type)}>" if is_base and member_type is not None else name_of(child)
            if offset is not None and not isinstance(offset.value, int):
                yield f"{name} = <virtual base>"
            elif "DW_AT_bit_size" in child.attributes:
                yield f"{name} = {_describe_bits(child, place)}"
            else:
                value = self.describe(member_type, place.move(offset.value if offset is not None else 0), depth + 1)
                yield f"{name} = {value}" if name else value


def _describe_base(entry: Any, place: ValuePlace) -> str:
    size, encoding = _number(entry, "DW_AT_byte_size"), _number(entry, "DW_AT_encoding")
    raw = place.read(size)
    if raw is None or not size:
        return UNREADABLE
    if encoding == FLOAT:
        return repr(struct.unpack(FLOATS[size], raw)[0]) if size in FLOATS else f"<{name_of(entry)}>"
    value = int.from_bytes(raw, "little", signed=encoding in (SIGNED, SIGNED_CHAR))
    if encoding == BOOLEAN and value in (0, 1):
        return "true" if value else "false"
    if encoding in (SIGNED_CHAR, UNSIGNED_CHAR, UTF) and 32 <= value < 127:
        return f"{value} {chr(value)!r}"
    return str(value)


def _describe_enumerator(entry: Any, place: ValuePlace) -> str:
    size = _number(entry, "DW_AT_byte_size")
    raw = place.read(size)
    if raw is None or not size:
        return UNREADABLE
    values = {int.from_bytes(raw, "little"), int.from_bytes(raw, "little", signed=True)}
    for child in islice(entry.iter_children(), MAX_ENUMERATORS):
        if child.tag == "DW_TAG_enumerator" and child.attributes["DW_AT_const_value"].value in values:
            return name_of(child)
    return str(max(values))


def _describe_bits(member: Any, place: ValuePlace) -> str:
    """Return a bit field as an unsigned number. Bit fields before DWARF 4 count from the other end and are not read."""
    start, size = _number(member, "DW_AT_data_bit_offset", -1), _number(member, "DW_AT_bit_size")
    raw = place.move(start // 8).read((start % 8 + size + 7) // 8) if start >= 0 and 0 < size <= 64 else None
    return "<bit field>" if raw is None else str(int.from_bytes(raw, "little") >> start % 8 & (1 << size) - 1)


def _quote(raw: bytes) -> str:
    return json.dumps(raw.decode("utf-8", "backslashreplace"), ensure_ascii=False)
