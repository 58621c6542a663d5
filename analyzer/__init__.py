"""Find out why a distributed TensorFlow training failed, from its logs, kernel logs and core dumps.

`from analyzer import analyze; analyze("bundle.tar.gz")` is the program as a function; see `analyzer.api`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers take it; `typing` takes a tenth of the program's start
if TYPE_CHECKING:
    from analyzer.api import Analysis, analyze

__version__ = "0.1.0"
__all__ = ["Analysis", "__version__", "analyze"]


def __getattr__(name: str) -> object:
    if name in ("Analysis", "analyze"):  # only when asked for: the command line starts without it
        from analyzer import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
