"""Cores that several tests read are made once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from crashing import compile_program, crash

MakeCore = Callable[..., Path]


@pytest.fixture(scope="session")
def make_core(tmp_path_factory: pytest.TempPathFactory) -> MakeCore:
    """make_core(how, *flags): the core of crash.c compiled with these flags, dying this way."""
    made: dict[tuple[str, ...], Path] = {}
    built: dict[tuple[str, ...], Path] = {}

    def make(how: str, *flags: str, again: bool = False) -> Path:
        key = (how, *flags)
        if again or key not in made:
            folder = tmp_path_factory.mktemp(how)
            if flags not in built:
                source = "throw.cc" if how == "throw" else "crash.c"
                built[flags] = compile_program(source, tmp_path_factory.mktemp("bin") / "crash", *flags)
            made[key] = crash(folder, [str(built[flags]), how, str(folder / "mapped")])
        return made[key]

    return make
