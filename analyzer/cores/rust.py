"""Rust's own mangling (RFC 2603, "v0"; the default of the standard library in 2026) in words.

Generic arguments are read over and not shown: a crash is the same crash for every type that a function is made for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MAX_DEPTH = 64
MAX_PARTS = 5000  # paths and types that are read: references to references would double without an end
WORDS = "i8 bool char f64 str f32 u8 isize usize i32 u32 i128 u128 _ i16 u16 () ... i64 u64 !"
BASIC = dict(zip("abcdefhijlmnopstuvxyz", WORDS.split(), strict=True))
SPECIAL = {"C": "{closure}", "S": "{shim}"}


def demangle_rust(name: str) -> str | None:
    """None where the name is no such name."""
    body = name.removeprefix("_R").split(".", 1)[0]
    if not name.startswith("_R") or not body[:1].isupper():
        return None
    try:
        return _Reader(body).path()
    except (IndexError, ValueError, RecursionError):
        return None


@dataclass(slots=True)
class _Reader:
    text: str
    at: int = 0
    depth: int = 0
    parts: int = 0

    def take(self) -> str:
        letter = self.text[self.at]
        self.at += 1
        return letter

    def accept(self, letter: str) -> bool:
        found = self.text[self.at : self.at + 1] == letter
        self.at += found
        return found

    def number(self) -> int:
        """Base 62, ended by an underscore; an empty one is 0, all others stand for one more."""
        end = self.text.index("_", self.at)
        digits, self.at = self.text[self.at : end], end + 1
        value = 0
        for digit in digits:
            value = value * 62 + (int(digit, 36) if not digit.isupper() else ord(digit) - ord("A") + 36)
        return value + 1 if digits else 0

    def identifier(self) -> str:
        if self.accept("s"):
            self.number()
        self.accept("u")
        size = int(self.take())
        while size and self.text[self.at].isdigit():  # no number begins with a zero but zero
            size = size * 10 + int(self.take())
        self.accept("_")
        self.at += size
        if self.at > len(self.text):
            raise ValueError("the name is cut")
        return self.text[self.at - size : self.at]

    def inside(self, read: Callable[[str], str]) -> str:
        self.depth, self.parts = self.depth + 1, self.parts + 1
        if self.depth > MAX_DEPTH or self.parts > MAX_PARTS:
            raise ValueError("too deep or too long")
        text = read(self.take())
        self.depth -= 1
        return text

    def path(self) -> str:
        return self.inside(self._path)

    def _path(self, kind: str) -> str:
        if kind == "C":
            return self.identifier()
        if kind == "N":
            space, outer, inner = self.take(), self.path(), self.identifier()
            return f"{outer}::{SPECIAL.get(space) or inner}"
        if kind in "MX":
            if self.accept("s"):
                self.number()
            self.path()  # where the impl stands
        if kind in "MXY":
            own = self.type()
            return f"<{own}>" if kind == "M" else f"<{own} as {self.path()}>"
        if kind == "I":
            text = self.path()
            while not self.accept("E"):
                self.argument()
            return text
        if kind == "B":
            return self.again(self.path)
        raise ValueError(f"{kind} is no path")

    def again(self, read: Callable[[], str]) -> str:
        """A reference backwards, to an offset behind `_R`; it cannot lead forwards, and thus in no circle."""
        here, target = self.at - 1, self.number()
        if target >= here:
            raise ValueError("it refers forwards")
        behind, self.at = self.at, target
        text, self.at = read(), behind
        return text

    def argument(self) -> None:
        if self.accept("L"):
            self.number()
        elif self.accept("K"):
            self.constant()
        else:
            self.type()

    def constant(self) -> str:
        if self.accept("B"):
            return self.again(self.constant)
        if not self.accept("p"):
            self.type()
            self.at = self.text.index("_", self.at) + 1
        return "_"

    def type(self) -> str:
        kind = self.text[self.at]
        if kind in "CMXYNI":
            return self.path()
        return self.inside(self._type)

    def _type(self, kind: str) -> str:
        if kind in BASIC:
            return BASIC[kind]
        if kind == "B":
            return self.again(self.type)
        if kind in "RQ" and self.accept("L"):
            self.number()
        if kind in "RQPOS":
            return {"R": "&{}", "Q": "&mut {}", "P": "*const {}", "O": "*mut {}", "S": "[{}]"}[kind].format(self.type())
        if kind == "A":
            text = self.type()
            self.constant()
            return f"[{text}; _]"
        if kind == "T":
            parts = []
            while not self.accept("E"):
                parts.append(self.type())
            return f"({', '.join(parts)})"
        if kind == "F":
            return self.function()
        if kind == "D":
            return self.object()
        raise ValueError(f"{kind} is no type")

    def function(self) -> str:
        """Binder, `unsafe`, ABI, parameters, result."""
        if self.accept("G"):
            self.number()
        self.accept("U")
        if self.accept("K") and not self.accept("C"):
            self.identifier()
        while not self.accept("E"):
            self.type()
        self.type()
        return "fn"

    def object(self) -> str:
        """Binder, traits with their associated types, lifetime."""
        if self.accept("G"):
            self.number()
        traits = []
        while not self.accept("E"):
            traits.append(self.path())
            while self.accept("p"):
                self.identifier()
                self.type()
        if self.accept("L"):
            self.number()
        return "dyn " + " + ".join(traits)
