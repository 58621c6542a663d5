"""Cut a text without cutting a word: half a name or half a token would be neither found nor masked."""

from __future__ import annotations

from analyzer.redact.secrets import mask_text

MAX_WORD_CHARS = 240  # a longer word is cut in its middle: what is left of a token still has its form
CONTEXT_FACTOR = 4  # times `max_chars`: what is looked at for a secret that only the words behind the cut show


def truncate(text: str, max_chars: int) -> str:
    """Return at most `max_chars` characters, without the word that would be cut.

    Secrets of a text that is cut are masked before, while the words around them still tell that they are secrets:
    `echo 'bob:…' | chpasswd`.
    """
    if len(text) <= max_chars:
        return text
    text = mask_text(text[: CONTEXT_FACTOR * max_chars])
    if len(text) <= max_chars:
        return text
    low = max(0, max_chars - MAX_WORD_CHARS)
    for ends in (" \t", "/?&=,;:|\"'"):
        if (end := max(text.rfind(char, low, max_chars + 1) for char in ends)) > low:
            return text[:end]
    return text[:max_chars]
