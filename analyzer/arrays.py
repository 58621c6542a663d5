"""numpy, loaded so that OpenBLAS starts no threads.

Our systems of equations are small, and one waiting thread a core costs more CPU than analyzing a small bundle. The
setting is taken back afterwards, so that programs which we start see the user's environment.
"""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext

__all__ = ["np", "single_threaded"]

_SETTING = "OPENBLAS_NUM_THREADS"
_was_set = _SETTING in os.environ
_was_loaded = "numpy" in sys.modules  # by a notebook
os.environ.setdefault(_SETTING, "1")
try:
    import numpy as np
finally:
    if not _was_set:
        del os.environ[_SETTING]


def single_threaded() -> AbstractContextManager[object]:
    """Return a context in which one thread computes: it solves small matrices before others would stop spinning."""
    if not (_was_set or _was_loaded):
        return nullcontext()
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(1)
    return limits
