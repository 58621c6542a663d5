"""Words for what varies between runs and machines: numbers, addresses, paths, identifiers, and the job's own names."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable

TextMask = Callable[[str], str]
_MASKS = (
    (
        re.compile(r"\b(?:goo\.gle/debug\w+|[a-z][a-z0-9+]{1,9}://[^\s'\"<>,;)\]]+)"),
        "<url>",
    ),  # protobuf marks debug texts
    (re.compile(r"0x[0-9a-fA-F]+"), "<hex>"),
    (re.compile(r"\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"), "<address>"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.I), "<uuid>"),
    (re.compile(r"(?<![\w.])(?:/[\w.+@-]+){2,}"), "<path>"),
    (re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{12,}\b"), "<hex>"),
    (re.compile(r"\d+"), "<n>"),
)


def mask_variables(text: str) -> str:
    """The text with everything that varies between runs replaced by words in angle brackets."""
    for pattern, word in _MASKS:
        text = pattern.sub(word, text)
    return text


def make_mask(names: Iterable[str]) -> TextMask:
    """As `mask`, and the `names` of machines become `<host>`.

    A name without a digit, dot or dash is left alone: a node that is called `worker` or `train` is a word like others.
    """
    distinctive = sorted(
        {name for name in names if len(name) > 1 and re.search(r"[\d.-]", name)}, key=len, reverse=True
    )
    known_names = frozenset(map(str.lower, distinctive))
    if not known_names:
        return mask_variables
    word = re.compile(r"[A-Za-z0-9][\w-]*(?:\.[\w-]+)*")

    def replace(found: re.Match[str]) -> str:
        said = found[0].lower()
        return "<host>" if said in known_names or said.partition(".")[0] in known_names else found[0]

    return functools.lru_cache(maxsize=65536)(lambda text: mask_variables(word.sub(replace, text)))
