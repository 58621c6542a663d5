"""Function names without the parts that differ between builds, and the lists of insignificant functions."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

MAX_VARIANT_CHARS = 200  # length of a function name with a CPU variant
NAME_LISTS = Path(__file__).parent / "name_lists"
_OPERATOR = re.compile(r"operator(?:<=>|<<=?|>>=?|<=|>=|->\*?|<|>|\(\))")


def normalize_function(name: str) -> str:
    """Return a function's name without parameters, template arguments, clones, CPU variants, inline namespaces."""
    name = re.sub(
        r"(?<!\s)\s*+\[clone [^][]*+\]|\[abi:[^][]*+\]|::h[0-9a-f]{16}$", "", name
    )  # the last alternative: a hash of Rust
    name = re.sub(r"\.(?:cold|part|isra|constprop|lto_priv|llvm|localalias|avx2|avx512|default)(?:\.[\w.]+)?", "", name)
    name = _replace_impl_block(name)
    name = strip_brackets(name.replace("(anonymous namespace)", "{anonymous}"))
    name = re.sub(r"^.*[\s*&](?=[\w:~{}]*(?:operator.*|[\w~}]+)$)", "", name.removesuffix(" const").rstrip())
    name = re.sub(r"\b(?:lts_\d+|__cxx11|__1|__ndk1|v\d+_\d+_\d+)::", "", name).removeprefix("__GI_")
    variant = _cpu_variant_pattern().fullmatch(name) if len(name) <= MAX_VARIANT_CHARS else None
    return variant["name"] if variant else name


def _replace_impl_block(name: str) -> str:
    """Return `a::B::drop` for Rust's `<a::B<T> as c::Drop>::drop`."""
    depth = 0
    for at, letter in enumerate(name if name.startswith("<") else ""):
        depth += (letter == "<") - (letter == ">" and name[at - 1] != "-")
        if not depth:
            subject = re.sub(r"^(?:&|mut |\*const |\*mut )+", "", strip_brackets(name[1:at]).split(" as ")[0])
            is_path = name.startswith("::", at + 1) and re.fullmatch(r"[\w:]+", subject)
            return subject + name[at + 1 :] if is_path else name
    return name


def strip_brackets(name: str) -> str:
    """Return the name without the contents of <> and () at any depth; operators keep their signs."""
    kept: list[str] = []
    depth = at = 0
    while at < len(name):
        if match := _OPERATOR.match(name, at):
            if not depth:
                kept.append(match[0])
            at += len(match[0])
            continue
        letter = name[at]
        if letter in "<(":
            depth += 1
        elif letter in ">)":
            depth = max(0, depth - 1)
        elif not depth:
            kept.append(letter)
        at += 1
    return "".join(kept)


@cache
def _noise_pattern(name: str) -> re.Pattern[str]:
    lines = (NAME_LISTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return re.compile("|".join(f"(?:{line.strip()})" for line in lines if line.strip() and not line.startswith("#")))


def is_noise(kind: str, name: str) -> bool:
    """Return whether a normalized name is on the list of this kind: skip, abort or outer."""
    return _noise_pattern(kind).fullmatch(name) is not None


@cache
def _cpu_variant_pattern() -> re.Pattern[str]:
    return re.compile(rf"_*(?P<name>\w+?)(?:{_noise_pattern('variants').pattern})+")
