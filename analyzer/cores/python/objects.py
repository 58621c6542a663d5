"""Show Python objects of a core as text: numbers, strings and the beginnings of containers.

Containers are read to MAX_DEPTH, and no text is longer than MAX_VALUE_CHARS. The layouts are those of 64-bit builds of
CPython 3.8 to 3.14 without Py_DEBUG, from the headers of each version. The only types of other libraries are NumPy's
arrays and scalars, whose layout is part of NumPy's public C interface.
"""

from __future__ import annotations

import re
import struct

from analyzer.cores.elf.memory import ProcessMemory

MAX_VALUE_CHARS = 200
MAX_ITEMS = 5  # shown items of a container
MAX_DEPTH = 2  # of nested containers
MAX_SCANNED_ENTRIES = 64  # entries of a dict that are searched for ones that are not deleted
MAX_DIGITS = 10  # of an int, 30 bits each
MAX_DIMENSIONS = 64
MAX_LENGTH = 1 << 48

TYPE_AT, SIZE_AT, BODY_AT = 8, 16, 24  # PyObject.ob_type, PyVarObject.ob_size, what follows it
TYPE_NAME_AT, TYPE_FLAGS_AT = 24, 168
BYTES_AT = 32
DICT_KEYS_AT, DICT_VALUES_AT = 32, 40
EXCEPTION_ARGUMENTS_AT = 24
ARRAY_DIMENSIONS_AT, ARRAY_SHAPE_AT, ARRAY_DTYPE_AT, DTYPE_TYPE_AT = 24, 32, 56, 16
LAYOUT_OF_FLAG = {24: "int", 25: "list", 26: "tuple", 27: "bytes", 28: "str", 29: "dict", 30: "exception"}
SCALAR_FORMATS = {"float": "d", "numpy.float64": "d", "numpy.float32": "f", "numpy.float16": "e", "numpy.int64": "q",
                  "numpy.int32": "i", "numpy.int16": "h", "numpy.int8": "b", "numpy.uint8": "B"}  # fmt: skip
BRACKETS = {"list": ("[", "]"), "tuple": ("(", ")"), "dict": ("{", "}")}
TYPE_NAME = re.compile(rb"[\w.<>\[\], -]{1,100}")


class ObjectReader:
    """Describes objects of one interpreter. `version` is (major, minor)."""

    def __init__(self, memory: ProcessMemory, version: tuple[int, int], ascii_at: int, wide_at: int) -> None:
        self._memory = memory
        self.version = version
        self._ascii_at, self._wide_at = ascii_at, wide_at  # where the characters of a str begin
        self._tuple_items_at = 32 if version >= (3, 14) else BODY_AT  # from 3.14 on a tuple keeps its hash
        self._types: dict[int, tuple[str, str] | None] = {}

    def describe(self, at: int) -> str:
        """Return the object at an address as text; for an unknown type, its name and the address."""
        text = self._describe(at, 0)
        return text if len(text) <= MAX_VALUE_CHARS else text[: MAX_VALUE_CHARS - 1] + "…"

    def read_names(self, at: int | None, limit: int) -> list[str]:
        """Return the strings of a tuple, at most `limit`. Other items give an empty text."""
        size = self._memory.read_word(at + SIZE_AT) if at else None
        if not at or size is None:
            return []
        items = (self._memory.read_word(at + self._tuple_items_at + 8 * index) for index in range(min(size, limit)))
        return [self.read_str(item)[0] or "" if item else "" for item in items]

    def read_str(self, at: int, limit: int = MAX_VALUE_CHARS) -> tuple[str | None, int]:
        """Return the first `limit` characters of a str and its length. The text is None if the str is not compact."""
        length, state = self._memory.read_word(at + 16), self._memory.read_number(at + 32, 4)
        if length is None or state is None or not 0 <= length <= MAX_LENGTH or not state & 0x20:
            return None, 0
        width, shown = state >> 2 & 7, min(length, limit)
        if state & 0x40:
            codec, raw = "ascii", self._memory.read(at + self._ascii_at, shown)
        else:
            codec = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}.get(width, "")
            raw = self._memory.read(at + self._wide_at, shown * width) if codec else None
        return (None if raw is None else raw.decode(codec, "replace")), length

    def dereference_cell(self, at: int) -> int | None:
        """Return the object in a cell (None if it is empty), or the object itself if it is not a cell."""
        kind = self._read_type(at)
        return (self._memory.read_word(at + 16) or None) if kind and kind[0] == "cell" else at

    def _describe(self, at: int, depth: int) -> str:
        kind = self._read_type(at)
        if kind is None:
            return f"<unreadable object at {at:#x}>"
        name, layout = kind
        text = self._describe_as(layout, name, at, depth)
        if text is None:
            return f"<{name} at {at:#x}>"
        return text if name in (layout, "bool") or layout in ("", "exception") else f"{name}({text})"

    def _describe_as(self, layout: str, name: str, at: int, depth: int) -> str | None:
        """Return an object of a known layout as text; None for an unknown layout."""
        if name == "NoneType":
            return "None"
        if name == "numpy.ndarray":
            return self._describe_array(at)
        if letter := SCALAR_FORMATS.get(name):
            raw = self._memory.read(at + 16, struct.calcsize(letter))
            number = repr(struct.unpack("<" + letter, raw)[0]) if raw is not None else None
            return f"{name}({number})" if number and name != "float" else number
        if layout == "int":
            return self._describe_int(at, name)
        if layout in ("str", "bytes"):
            return self._describe_text(at, layout)
        if layout in ("list", "tuple"):
            return self._describe_sequence(at, layout, depth)
        if layout == "dict":
            return self._describe_dict(at, depth)
        if layout == "exception":
            arguments = self._memory.read_word(at + EXCEPTION_ARGUMENTS_AT)
            text = self._describe_sequence(arguments, "tuple", depth) if arguments else None
            return f"{name}{text}" if text else None
        return None

    def _read_type(self, at: int) -> tuple[str, str] | None:
        """Return (name, layout) of the type of the object at an address; the layout is empty if it is unknown."""
        kind = self._memory.read_word(at + TYPE_AT)
        if not kind:
            return None
        if kind not in self._types:
            name_at, flags = self._memory.read_word(kind + TYPE_NAME_AT), self._memory.read_word(kind + TYPE_FLAGS_AT)
            name = self._memory.read_string(name_at, 128) if name_at and flags is not None else b""
            layouts = [layout for bit, layout in LAYOUT_OF_FLAG.items() if (flags or 0) >> bit & 1]
            is_known = TYPE_NAME.fullmatch(name) is not None
            self._types[kind] = (name.decode("ascii", "replace"), layouts[0] if layouts else "") if is_known else None
        return self._types[kind]

    def _describe_int(self, at: int, name: str) -> str | None:
        size = self._memory.read_number(at + SIZE_AT, 8, signed=True)
        if size is None:
            return None
        # Up to 3.11 the sign of the size is that of the number; later its low bits are: 0 positive, 1 zero, 2 negative.
        count, is_negative = (abs(size), size < 0) if self.version < (3, 12) else (size >> 3, size & 3 == 2)
        if not 0 <= count <= MAX_LENGTH:
            return None
        if count > MAX_DIGITS:
            return f"<int of {count * 30} bits>"
        digits = [self._memory.read_number(at + BODY_AT + 4 * index, 4) or 0 for index in range(count)]
        value = sum(digit << 30 * index for index, digit in enumerate(digits))
        return str(bool(value)) if name == "bool" else str(-value if is_negative else value)

    def _describe_text(self, at: int, layout: str) -> str | None:
        text: str | bytes | None
        if layout == "str":
            text, length = self.read_str(at)
        else:
            length = self._memory.read_word(at + SIZE_AT) or 0
            text = self._memory.read(at + BYTES_AT, min(length, MAX_VALUE_CHARS))
        if text is None:
            return None
        return repr(text) if len(text) == length else f"{text[: MAX_VALUE_CHARS // 2]!r}… {length:,} in all"

    def _describe_sequence(self, at: int, layout: str, depth: int) -> str | None:
        length = self._memory.read_word(at + SIZE_AT)
        first = at + self._tuple_items_at if layout == "tuple" else self._memory.read_word(at + BODY_AT)
        if length is None or length > MAX_LENGTH or first is None:
            return None
        shown = [self._memory.read_word(first + 8 * index) for index in range(min(length, MAX_ITEMS))]
        items = [self._describe_item(item, depth) for item in shown if item] if depth < MAX_DEPTH else []
        return _enclose(items, length, layout)

    def _describe_item(self, at: int, depth: int) -> str:
        text = self._describe(at, depth + 1)
        return text if len(text) <= MAX_VALUE_CHARS // 2 else text[: MAX_VALUE_CHARS // 2] + "…"

    def _describe_dict(self, at: int, depth: int) -> str | None:
        length, keys = self._memory.read_word(at + 16), self._memory.read_word(at + DICT_KEYS_AT)
        if length is None or length > MAX_LENGTH or not keys:
            return None
        items: list[str] = []
        is_split = self._memory.read_word(at + DICT_VALUES_AT) != 0  # an instance's attributes: values are elsewhere
        for key, value in [] if is_split or depth >= MAX_DEPTH else self.list_entries(keys, min(length, MAX_ITEMS)):
            items.append(f"{self._describe_item(key, depth)}: {self._describe_item(value, depth)}")
        return _enclose(items, length, "dict")

    def list_keys(self, keys: int, limit: int) -> list[int]:
        """Return the addresses of the first keys of a dict's table, whose values may be elsewhere."""
        places = self._list_entry_places(keys, limit)
        return [key for key in map(self._memory.read_word, places) if key]

    def list_entries(self, keys: int, limit: int) -> list[tuple[int, int]]:
        """Return the addresses of the first keys and values of a dict's table."""
        entries: list[tuple[int, int]] = []
        for at in self._list_entry_places(keys, MAX_SCANNED_ENTRIES):
            key, value = self._memory.read_word(at), self._memory.read_word(at + 8)
            if key and value:
                entries.append((key, value))
            if len(entries) >= limit:
                break
        return entries

    def _list_entry_places(self, keys: int, limit: int) -> list[int]:
        """Return the addresses of the keys in the first entries of a table; the value follows
        (Objects/dictobject.c).
        """
        read = self._memory.read_number
        if self.version >= (3, 11):
            index_bits, is_general, count = read(keys + 9, 1), read(keys + 10, 1) == 0, read(keys + 24, 8)
            start, width = keys + 32 + (1 << min(index_bits or 0, 48)), 24 if is_general else 16
        else:
            slots, count = read(keys + 8, 8) or 0, read(keys + 32, 8)
            index_bytes = next((size for size in (1, 2, 4) if slots < 1 << 8 * size), 8)
            start, width, is_general = keys + 40 + slots * index_bytes, 24, True
        first = start + (8 if is_general else 0)  # a general entry begins with the hash
        return [first + width * index for index in range(min(count or 0, limit))]

    def _describe_array(self, at: int) -> str | None:
        count, shape = (
            self._memory.read_number(at + ARRAY_DIMENSIONS_AT, 4),
            self._memory.read_word(at + ARRAY_SHAPE_AT),
        )
        dtype = self._memory.read_word(at + ARRAY_DTYPE_AT)
        scalar = self._memory.read_word(dtype + DTYPE_TYPE_AT) if dtype else None
        name_at = self._memory.read_word(scalar + TYPE_NAME_AT) if scalar else None
        if count is None or shape is None or not 0 <= count <= MAX_DIMENSIONS or not name_at:
            return None
        sizes = [self._memory.read_number(shape + 8 * index, 8, signed=True) for index in range(count)]
        name = self._memory.read_string(name_at, 128).decode("ascii", "replace").removeprefix("numpy.")
        return f"<numpy.ndarray {name} ({', '.join(map(str, sizes))}{',' if count == 1 else ''})>"


def _enclose(items: list[str], length: int, layout: str) -> str:
    opening, closing = BRACKETS[layout]
    if len(items) < length:
        items = [*items, f"… {length:,} in all"]
    comma = "," if layout == "tuple" and length == 1 else ""
    return f"{opening}{', '.join(items)}{comma}{closing}"
