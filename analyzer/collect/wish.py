"""What is asked for, and the bounds that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

MIB = 1 << 20


class Bounds(NamedTuple):
    """Of one collection. CPU is bounded by one thread at the lowest priority, for `seconds` at most."""

    seconds: float = 120.0
    size: int = 2048 * MIB  # bytes before compression, all files together
    log: int = 64 * MIB  # bytes of one log; of a longer one its head and its tail
    core: int = 256 * MIB  # bytes of one core that no slim form can be made of, and of its modules together
    command: float = 15.0  # seconds of one tool
    output: int = 8 * MIB  # bytes of one tool's output


class Wish(NamedTuple):
    """`since`: seconds since the epoch, UTC. `job`: (`slurm` or `k8s`, its id). `redact`: mask secrets in logs too."""

    out: Path
    logs: Sequence[str] = ()
    cores: Sequence[str] = ()
    pids: Sequence[int] = ()
    since: float | None = None
    job: tuple[str, str] | None = None
    python: str | None = None
    exit_code: int | None = None
    node: str | None = None
    redact: bool = False
    bounds: Bounds = Bounds()
