"""The program under the name that people type: `from tf_postmortem import analyze`. All of it is in `analyzer`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import analyzer

if TYPE_CHECKING:
    from analyzer.api import Analysis, analyze

__all__ = ["Analysis", "analyze"]
__version__ = analyzer.__version__


def __getattr__(name: str) -> Any:
    """Import the names when they are used, because pandas takes a second."""
    if name in __all__:
        return getattr(analyzer, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
