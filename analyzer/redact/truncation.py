"""Cut a text without cutting a word: half a name or half a token would be neither found nor masked."""

from __future__ import annotations

from analyzer.redact.secrets import mask_text

MAX_WORD_CHARS = 240  # a longer word is cut in its middle: what is left of a token still has its form
CONTEXT_FACTOR = 4  # times `max_chars`: what is looked at for a secret that only the words behind the cut show


def truncate(text: str, max_chars: int, is_cut: bool = False) -> str:
    """Return at most `max_chars` characters, without the word that would be cut. What is cut ends with an ellipsis.

    Secrets of a text that is cut are masked before, while the words around them still tell that they are secrets:
    `echo 'bob:…' | chpasswd`. `is_cut`: the text is the beginning of a longer one, and its last word may be half one.
    """
    if len(text) <= max_chars and not is_cut:
        return text
    is_cut = is_cut or len(text) > CONTEXT_FACTOR * max_chars
    text = mask_text(text[: CONTEXT_FACTOR * max_chars])
    if len(text) <= max_chars and not is_cut:
        return text
    kept_chars = max_chars - 1
    low = max(0, min(len(text), kept_chars) - MAX_WORD_CHARS)
    for ends in (" \t", "/?&=,;:|\"'"):
        if (end := max(text.rfind(char, low, kept_chars + 1) for char in ends)) > low:
            return f"{text[:end]}…"
    return f"{text[:kept_chars]}…"


def truncate_line(line: bytes, max_chars: int, is_cut: bool = False) -> str:
    """Return what `truncate` does of a line of any length, which is decoded only as far as it is looked at."""
    looked_at = line[: CONTEXT_FACTOR * max_chars]
    return truncate(looked_at.decode("utf-8", "replace"), max_chars, is_cut or len(looked_at) < len(line))
