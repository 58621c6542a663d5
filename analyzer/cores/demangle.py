"""Demangle Rust names, and C++ names with the C++ runtime of this system."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

MAX_NAME_CHARS = 4096
LEGACY_RUST_NAME = re.compile(r"(?P<hash>17h[0-9a-f]{16}E)(?:\.[\w.]+)?$")  # a C++ name that ends with a hash


@lru_cache(4096)
def demangle(name: str) -> str:
    """Return the demangled name; the name itself if it is not mangled or there is no C++ runtime."""
    if name.startswith("_R"):
        from analyzer.cores.demangle_rust import demangle_rust

        return demangle_rust(name) or name
    if name.startswith("_ZN") and (match := LEGACY_RUST_NAME.search(name)):
        from analyzer.cores.demangle_rust import tidy_legacy_name

        return tidy_legacy_name(demangle_type(name[: match.end("hash")]))
    return demangle_type(name) if name.startswith("_Z") else name


@lru_cache(4096)
def demangle_type(name: str) -> str:
    """Return a demangled C++ name. The name may come from std::type_info, without a prefix."""
    if len(name) > MAX_NAME_CHARS:
        return name
    demangler = _load_demangler()
    if demangler is None:
        return name
    import ctypes  # loads a library: only for names that need it

    status = ctypes.c_int(1)
    result = demangler[0](name.encode("ascii", "replace"), None, None, ctypes.byref(status))
    if not result:
        return name
    text = ctypes.string_at(result).decode("utf-8", "replace")
    demangler[1](result)
    return text if status.value == 0 else name


@cache
def _load_demangler() -> tuple[Any, Any] | None:
    import ctypes

    try:
        library, libc = ctypes.CDLL("libstdc++.so.6"), ctypes.CDLL(None)
        function, free = library.__cxa_demangle, libc.free
    except (OSError, AttributeError):
        return None
    function.restype, function.argtypes = ctypes.c_void_p, [ctypes.c_char_p, *3 * [ctypes.c_void_p]]
    free.restype, free.argtypes = None, [ctypes.c_void_p]
    return function, free
