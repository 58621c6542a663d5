"""What a collection is asked for, and its limits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

MIB = 1 << 20


class CollectLimits(NamedTuple):
    """The limits of one collection. CPU is limited to one thread at the lowest priority for `max_seconds`."""

    max_seconds: float = 120.0
    max_total_bytes: int = 2048 * MIB  # bytes before compression, all files together
    max_log_bytes: int = 64 * MIB  # bytes of one log; of a longer one its head and its tail
    max_core_bytes: int = 256 * MIB  # bytes of one core that no slim form can be made of, and of its modules together
    tool_timeout_s: float = 15.0  # seconds of one tool
    max_tool_output_bytes: int = 8 * MIB  # bytes of one tool's output


class CollectRequest(NamedTuple):
    """One run of `collect`. `since`: seconds since the epoch, UTC. `job`: (`slurm` or `k8s`, id). `redact`: mask
    secrets in logs too.
    """

    out: Path
    log_patterns: Sequence[str] = ()
    core_patterns: Sequence[str] = ()
    pids: Sequence[int] = ()
    since: float | None = None
    job: tuple[str, str] | None = None
    python: str | None = None
    exit_code: int | None = None
    node: str | None = None
    redact: bool = False
    limits: CollectLimits = CollectLimits()
    verbosity: int = 0  # how often -v was given
    log_file: Path | None = None
