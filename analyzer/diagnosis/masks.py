"""Mask the parts of messages that vary between runs and machines: numbers, addresses, paths, identifiers, and names of
the job's hosts.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable

TextMask = Callable[[str], str]
_MASKS = (
    # protobuf marks debug texts with a link
    (re.compile(r"\b(?:goo\.gle/debug\w+|[a-z][a-z0-9+]{1,9}://[^\s'\"<>,;)\]]+)"), "<url>"),
    (re.compile(r"0x[0-9a-fA-F]+"), "<hex>"),
    (re.compile(r"\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"), "<address>"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.I), "<uuid>"),
    (re.compile(r"(?<![\w.])(?:/[\w.+@-]+){2,}"), "<path>"),
    (re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{12,}\b"), "<hex>"),
    (re.compile(r"\d+"), "<n>"),
)


def mask_variables(text: str) -> str:
    """Return the text with everything that varies between runs replaced by words in angle brackets."""
    for pattern, word in _MASKS:
        text = pattern.sub(word, text)
    return text


def make_mask(names: Iterable[str]) -> TextMask:
    """Return a function that masks as `mask_variables` does, and the `names` of machines as `<host>`.

    A name without a digit, dot or dash stays, because the name of a node may be an ordinary word (`worker`, `train`).
    """
    distinctive = sorted(
        {name for name in names if len(name) > 1 and re.search(r"[\d.-]", name)}, key=len, reverse=True
    )
    known_names = frozenset(map(str.lower, distinctive))
    if not known_names:
        return mask_variables
    word = re.compile(r"[A-Za-z0-9][\w-]*(?:\.[\w-]+)*")

    def replace(match: re.Match[str]) -> str:
        token = match[0].lower()
        return "<host>" if token in known_names or token.partition(".")[0] in known_names else match[0]

    return functools.lru_cache(maxsize=65536)(lambda text: mask_variables(word.sub(replace, text)))
