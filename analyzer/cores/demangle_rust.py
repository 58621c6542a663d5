"""Demangle Rust's own names (RFC 2603, "v0"; the default of the standard library in 2026), and tidy older ones.

Generic arguments are parsed but not shown, so that a crash is equal for all instantiations of a function.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

MAX_DEPTH = 64
MAX_PARSED_PARTS = 5000  # paths and types that are read: nested back references would double without end
BASIC_TYPE_NAMES = "i8 bool char f64 str f32 u8 isize usize i32 u32 i128 u128 _ i16 u16 () ... i64 u64 !"
BASIC_TYPES = dict(zip("abcdefhijlmnopstuvxyz", BASIC_TYPE_NAMES.split(), strict=True))
LEGACY_SIGNS = {"SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ","}
SPECIAL_NAMESPACES = {"C": "{closure}", "S": "{shim}"}


def demangle_rust(name: str) -> str | None:
    """Return the demangled name; None if it is not a v0 name."""
    body = name.removeprefix("_R").split(".", 1)[0]
    if not name.startswith("_R") or not body[:1].isupper():
        return None
    try:
        return _RustNameParser(body).parse_path()
    except (IndexError, ValueError, RecursionError):
        return None


def tidy_legacy_name(name: str) -> str:
    """Return a demangled legacy name without its hash and with its escapes replaced."""
    path = re.sub(r"::h[0-9a-f]{16}$", "", name)
    path = re.sub(r"(?:^|(?<=::))_(?=\$)", "", path)  # an identifier must not begin with a sign
    return re.sub(r"\$(?:u([0-9a-f]{1,6})|(\w{1,2}))\$|\.\.", _unescape, path)


def _unescape(match: re.Match[str]) -> str:
    if match[1]:
        code = int(match[1], 16)
        return chr(code) if 0x20 <= code < 0x7F else match[0]
    return LEGACY_SIGNS.get(match[2], match[0]) if match[2] else "::"


@dataclass(slots=True)
class _RustNameParser:
    text: str
    at: int = 0
    depth: int = 0
    parts: int = 0

    def take_letter(self) -> str:
        letter = self.text[self.at]
        self.at += 1
        return letter

    def accept_letter(self, letter: str) -> bool:
        accepted = self.text[self.at : self.at + 1] == letter
        self.at += accepted
        return accepted

    def parse_number(self) -> int:
        """Parse a base-62 number that ends with an underscore: an empty one is 0, any other is its value plus 1."""
        end = self.text.index("_", self.at)
        digits, self.at = self.text[self.at : end], end + 1
        value = 0
        for digit in digits:
            value = value * 62 + (int(digit, 36) if not digit.isupper() else ord(digit) - ord("A") + 36)
        return value + 1 if digits else 0

    def parse_identifier(self) -> str:
        if self.accept_letter("s"):
            self.parse_number()
        self.accept_letter("u")
        size = int(self.take_letter())
        while size and self.text[self.at].isdigit():  # only zero itself begins with a zero
            size = size * 10 + int(self.take_letter())
        self.accept_letter("_")
        self.at += size
        if self.at > len(self.text):
            raise ValueError("the name is cut")
        return self.text[self.at - size : self.at]

    def parse_nested(self, read: Callable[[str], str]) -> str:
        self.depth, self.parts = self.depth + 1, self.parts + 1
        if self.depth > MAX_DEPTH or self.parts > MAX_PARSED_PARTS:
            raise ValueError("too deep or too long")
        text = read(self.take_letter())
        self.depth -= 1
        return text

    def parse_path(self) -> str:
        return self.parse_nested(self._parse_path_kind)

    def _parse_path_kind(self, kind: str) -> str:
        if kind == "C":
            return self.parse_identifier()
        if kind == "N":
            space, outer, inner = self.take_letter(), self.parse_path(), self.parse_identifier()
            return f"{outer}::{SPECIAL_NAMESPACES.get(space) or inner}"
        if kind in "MX":
            if self.accept_letter("s"):
                self.parse_number()
            self.parse_path()  # the path of the impl
        if kind in "MXY":
            own = self.parse_type()
            return f"<{own}>" if kind == "M" else f"<{own} as {self.parse_path()}>"
        if kind == "I":
            text = self.parse_path()
            while not self.accept_letter("E"):
                self.parse_generic_argument()
            return text
        if kind == "B":
            return self.parse_back_reference(self.parse_path)
        raise ValueError(f"{kind} is not a path")

    def parse_back_reference(self, read: Callable[[], str]) -> str:
        """Parse a back reference, an offset after `_R`. It must point backwards, so that references cannot form a
        circle.
        """
        here, target = self.at - 1, self.parse_number()
        if target >= here:
            raise ValueError("it refers forwards")
        behind, self.at = self.at, target
        text, self.at = read(), behind
        return text

    def parse_generic_argument(self) -> None:
        if self.accept_letter("L"):
            self.parse_number()
        elif self.accept_letter("K"):
            self.parse_constant()
        else:
            self.parse_type()

    def parse_constant(self) -> str:
        if self.accept_letter("B"):
            return self.parse_back_reference(self.parse_constant)
        if not self.accept_letter("p"):
            self.parse_type()
            self.at = self.text.index("_", self.at) + 1
        return "_"

    def parse_type(self) -> str:
        kind = self.text[self.at]
        if kind in "CMXYNI":
            return self.parse_path()
        return self.parse_nested(self._parse_type_kind)

    def _parse_type_kind(self, kind: str) -> str:
        if kind in BASIC_TYPES:
            return BASIC_TYPES[kind]
        if kind == "B":
            return self.parse_back_reference(self.parse_type)
        if kind in "RQ" and self.accept_letter("L"):
            self.parse_number()
        if kind in "RQPOS":
            return {"R": "&{}", "Q": "&mut {}", "P": "*const {}", "O": "*mut {}", "S": "[{}]"}[kind].format(
                self.parse_type()
            )
        if kind == "A":
            text = self.parse_type()
            self.parse_constant()
            return f"[{text}; _]"
        if kind == "T":
            parts = []
            while not self.accept_letter("E"):
                parts.append(self.parse_type())
            return f"({', '.join(parts)})"
        if kind == "F":
            return self.parse_function_type()
        if kind == "D":
            return self.parse_trait_object()
        raise ValueError(f"{kind} is not a type")

    def parse_function_type(self) -> str:
        """Parse binder, `unsafe`, ABI, parameters and result."""
        if self.accept_letter("G"):
            self.parse_number()
        self.accept_letter("U")
        if self.accept_letter("K") and not self.accept_letter("C"):
            self.parse_identifier()
        while not self.accept_letter("E"):
            self.parse_type()
        self.parse_type()
        return "fn"

    def parse_trait_object(self) -> str:
        """Parse binder, traits with their associated types, and lifetime."""
        if self.accept_letter("G"):
            self.parse_number()
        traits = []
        while not self.accept_letter("E"):
            traits.append(self.parse_path())
            while self.accept_letter("p"):
                self.parse_identifier()
                self.parse_type()
        if self.accept_letter("L"):
            self.parse_number()
        return "dyn " + " + ".join(traits)
