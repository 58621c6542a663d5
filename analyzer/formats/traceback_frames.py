"""Frames of Python tracebacks, and whose they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

# Code that came with Python, TensorFlow or another package; also that of a source tree run in place (bazel's runfiles).
_LIBRARY = re.compile(
    r"site-packages|dist-packages|/lib(?:64)?/python\d|[\\/]Lib[\\/](?!.*train)|^<(?!stdin|ipython|module|console)"
    r"|/tensorflow(?:_core|_estimator)?/(?:python|contrib|compiler|core)/|/tensorflow_core/"
    r"|/keras/(?:src|engine|utils|api|optimizers|layers|callbacks|backend|saving)/"
    r"|/horovod/(?:tensorflow|torch|common|runner|spark|keras|_keras|ray)/|/torch/(?:nn|distributed|utils|autograd|_)"
    r"|__autograph_generated_file|/(?:multiprocessing|concurrent|asyncio|importlib|runpy)[/.]"
)


@dataclass(frozen=True, slots=True)
class TracebackFrame:
    file: str
    line: int
    function: str

    @property
    def is_library(self) -> bool:
        return _LIBRARY.search(self.file) is not None


def find_user_frame(frames: Iterable[TracebackFrame]) -> TracebackFrame | None:
    """The last of the frames that is the user's own code; frames come outermost first."""
    user_frame = None
    for frame in frames:
        if not frame.is_library:
            user_frame = frame
    return user_frame
