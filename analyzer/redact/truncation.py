"""Cut a text without cutting a word: half a name or half a token would be neither found nor masked."""

from __future__ import annotations

MAX_WORD_CHARS = 240  # a longer word is cut in its middle: what is left of a token still has its form


def truncate(text: str, max_chars: int) -> str:
    """Return at most `max_chars` characters, without the word that would be cut."""
    if len(text) <= max_chars:
        return text
    low = max(0, max_chars - MAX_WORD_CHARS)
    for ends in (" \t", "/?&=,;:|\"'"):
        if (end := max(text.rfind(char, low, max_chars + 1) for char in ends)) > low:
            return text[:end]
    return text[:max_chars]
