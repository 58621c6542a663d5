"""Frames of Python tracebacks: of the user's code or of a library."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

# Code of Python, TensorFlow or another package, also if it runs from a source tree (bazel's runfiles).
_LIBRARY = re.compile(
    r"site-packages|dist-packages|/lib(?:64)?/python\d|[\\/]Lib[\\/](?!.*train)|^<(?!stdin|ipython|module|console)"
    r"|/tensorflow(?:_core|_estimator)?/(?:python|contrib|compiler|core)/|/tensorflow_core/"
    r"|/keras/(?:src|engine|utils|api|optimizers|layers|callbacks|backend|saving)/"
    r"|/horovod/(?:tensorflow|torch|common|runner|spark|keras|_keras|ray)/|/torch/(?:nn|distributed|utils|autograd|_)"
    r"|__autograph_generated_file|/(?:multiprocessing|concurrent|asyncio|importlib|runpy)[/.]"
)

_find_package = re.compile(r"(?:site|dist)-packages[\\/]([A-Za-z_]\w*)").search


@dataclass(frozen=True, slots=True)
class TracebackFrame:
    """One frame: the file, the line in it (0: unknown) and the function (empty: unknown)."""

    file: str
    line: int
    function: str

    @property
    def is_library(self) -> bool:
        return _LIBRARY.search(self.file) is not None


def find_user_frame(frames: Iterable[TracebackFrame]) -> TracebackFrame | None:
    """Return the innermost frame of the user's own code, or None. `frames` go from the outermost to the innermost."""
    user_frame = None
    for frame in frames:
        if not frame.is_library:
            user_frame = frame
    return user_frame


def find_failed_import(frames: Iterable[TracebackFrame]) -> str | None:
    """Return the installed package whose import ended in an exception inside of libraries, or None.

    `frames` go from the outermost to the innermost. Code that runs when a module is imported is in `<module>`.
    """
    package = None
    for frame in frames:
        if not frame.is_library:
            package = None
        elif package is None and frame.function == "<module>" and (match := _find_package(frame.file)):
            package = match[1]
    return package
