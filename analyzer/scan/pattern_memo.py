"""Remembers what functions say of a pattern, within a run and, if asked, from one run to the next.

Linting asks the same questions about thousands of patterns that did not change since the last run. The file in the
cache folder belongs to one state of the code: its name is a hash of the modules that answer. Exceptions are not
remembered.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import regex

import analyzer
from analyzer.paths import read_cache, write_cache

MAX_KEPT_ANSWERS = 100_000  # of a file; one with more begins anew
_ANSWERING_PARTS = ("scan", "signals", "rules")  # the parts of the program whose modules answer
Answer = TypeVar("Answer")
Arguments = ParamSpec("Arguments")
_answers: dict[tuple[str, ...], Any] = {}


def remember(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Decorate a function whose answer depends on nothing but the texts among its arguments: a pattern, a hash."""
    return _remember_if(function, lambda answer: True)


def remember_sound(check: Callable[Arguments, Answer | None]) -> Callable[Arguments, Answer | None]:
    """Decorate a check that returns what is wrong with a pattern; only that nothing is wrong (None) is remembered.

    Like `remember`. A fault may depend on the machine's memory or on how long a search took: each run finds it anew.
    """
    return _remember_if(check, lambda fault: fault is None)


def _remember_if(
    function: Callable[Arguments, Answer], is_kept: Callable[[Answer], bool]
) -> Callable[Arguments, Answer]:
    name = f"{function.__module__}.{function.__qualname__}"

    @functools.wraps(function)
    def recall(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        key = name, *(arg for arg in args if isinstance(arg, str))
        if key in _answers:
            return _answers[key]  # type: ignore[no-any-return]
        answer = function(*args, **kwargs)
        if is_kept(answer):
            _answers[key] = answer
        return answer

    return recall


@contextmanager
def answers_kept_in(folder: Path | None) -> Iterator[None]:
    """Know the answers of earlier runs, and write new ones to the cache folder at the end. None: nothing is kept."""
    if folder is None:
        yield
        return
    file = folder / f"{_code_digest()}.patterns"
    kept = _read_answers(file)
    _answers.update(kept)
    yield
    if _answers.keys() - kept.keys():
        write_cache(file, pickle.dumps(_answers if len(_answers) <= MAX_KEPT_ANSWERS else {}))


def _read_answers(file: Path) -> dict[tuple[str, ...], Any]:
    data = read_cache(file)
    answers = pickle.loads(data) if data else {}  # a pickle can run code, but `read_cache` returns only our own files
    return answers if isinstance(answers, dict) else {}


@functools.cache
def _code_digest() -> str:
    """Return a hash of everything that an answer depends on, besides the texts."""
    digest = hashlib.sha256(f"{sys.version} {regex.__version__} {_hyperscan_version()}".encode())
    root = Path(analyzer.__file__).parent
    for part in _ANSWERING_PARTS:
        for module in sorted((root / part).rglob("*.py")):
            digest.update(module.read_bytes())
    return digest.hexdigest()[:32]


def _hyperscan_version() -> str:
    try:
        return version("hyperscan")
    except PackageNotFoundError:
        return "none"
