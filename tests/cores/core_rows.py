"""Cores as incident.json holds them: what the tests of the reader compare with."""

from __future__ import annotations

from typing import Any

from analyzer.core_dump import core_to_json
from analyzer.cores.reader import read_core


def read_core_row(*arguments: Any, **options: Any) -> Any:
    """Return the JSON form of the core that `read_core` reads with these arguments."""
    return core_to_json(read_core(*arguments, **options))
