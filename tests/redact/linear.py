"""Whether a function takes time in proportion to its input: by CPU time of two sizes, the best of several tries."""

from __future__ import annotations

import time
from collections.abc import Callable

SMALL, TIMES = 1 << 14, 8  # bytes, and how many times as many the large input has
MOST = 3.0 * TIMES  # where it grows with the square: TIMES squared
TRIES = 3


def assert_linear(run: Callable[[bytes], object], piece: bytes) -> None:
    small, large = piece * (SMALL // len(piece)), piece * (SMALL * TIMES // len(piece))
    quick, slow = _best(run, small), _best(run, large)
    assert slow < MOST * max(quick, 5e-4), f"{piece[:60]!r}: {quick:.4f} s, and {slow:.4f} s for {TIMES} times as much"


def _best(run: Callable[[bytes], object], data: bytes) -> float:
    spent = []
    for _ in range(TRIES):
        started = time.process_time()
        run(data)
        spent.append(time.process_time() - started)
        if spent[-1] < 5e-4:
            break
    return min(spent)
