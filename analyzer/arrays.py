"""numpy, loaded so that OpenBLAS starts no threads: our systems are small, and one waiting thread a core costs more CPU
than a small bundle does. The setting is taken back: programs that we start shall see what we saw.
"""

from __future__ import annotations

import os

__all__ = ["np"]

_SETTING = "OPENBLAS_NUM_THREADS"
_said = _SETTING in os.environ
os.environ.setdefault(_SETTING, "1")
try:
    import numpy as np
finally:
    if not _said:
        del os.environ[_SETTING]
