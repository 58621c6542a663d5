"""Mask private keys, which are blocks of lines that end up apart: in context, in events, in templates.

So the body of a block is overwritten when its file is read, in order, before any line is looked at. Each byte becomes
an asterisk, so offsets and line numbers stay. The lines of a report are masked once more, as far as they show that they
belong to a block. Formats: RFC 7468 and 1421 (PEM), RFC 4880 (ASCII armor), RFC 4716 (SSH2), PuTTY's format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

BLOCK_MARKS = (b"PRIVATE KEY", b"Private-Lines:")
_find_mark = re.compile(b"|".join(BLOCK_MARKS)).search  # by their common letter: faster than to look for each
MAX_FOREIGN_LINES = 20  # lines of other writers that may stand in a row within a block: a log has several
MIN_KEY_CHARS = 24  # characters of a line of a body, unless its prefix is that of the line before
_BEGIN = re.compile(rb"BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-{0,5}|Private-Lines: ?\d{1,4}")
_END = re.compile(rb"-{0,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY|Private-MAC:")
_BEGIN_TEXT, _END_TEXT = re.compile(_BEGIN.pattern.decode()), re.compile(_END.pattern.decode())
_BASE64 = rb"A-Za-z0-9+/="
_LAST_WORD = re.compile(rb"(?<![%b])[%b]+(?=[\"',\\rn]{0,6}\s*\Z)" % (_BASE64, _BASE64))
_BASE64_RUN = re.compile(rb"[%b]+" % _BASE64)
_HEADER = re.compile(rb"[A-Z][A-Za-z-]{2,20}: .{0,200}\Z", re.S)  # `Proc-Type: 4,ENCRYPTED`, `Comment: …`
_CHARACTER_CLASSES = {
    **dict.fromkeys(range(65, 91), "A"),
    **dict.fromkeys(range(97, 123), "a"),
    **dict.fromkeys(range(48, 58), "0"),
}
_MIN_CLASS_CHANGES = 0.38  # of neighbours that are of different kinds: 0.65 in noise, 0.2 in names in CamelCase
_LAST_WORD_BYTES = 512  # bytes of a line's end in which its last word is looked for


class KeyBlockMasker:
    """Overwrite the bodies of private keys in a file that is given in order, in pieces of whole lines."""

    def __init__(self) -> None:
        self._in_block = False
        self._foreign_lines = 0  # lines in a row that are no part of the block
        self._line_prefix: bytes | None = None  # the text before the key in the block's lines

    def mask(self, data: bytes) -> bytes:
        """Return as many bytes, with asterisks in the place of the key's text."""
        if not self._in_block and not _find_mark(data):
            return data
        masked = bytearray(data)
        at = 0
        while at < len(data):
            if not self._in_block:
                begin = _BEGIN.search(data, at)
                if begin is None:
                    break
                self._in_block, self._foreign_lines, self._line_prefix = True, 0, None
                at = begin.end()
                stop = end_of_line(data, at)
                at = self._mask_same_line(masked, data, at, stop)
                continue
            stop = end_of_line(data, at)
            self._mask_line(masked, data, at, stop)
            at = stop + 1
        return bytes(masked)

    def _mask_same_line(self, masked: bytearray, data: bytes, at: int, stop: int) -> int:
        """Mask a key that follows its first line on the same line, with line feeds written as a backslash and an n.
        Return the offset to continue at.
        """
        end = _END.search(data, at, stop)
        for word in _BASE64_RUN.finditer(data, at, end.start() if end else stop):
            if end or looks_like_key(word[0]):
                _overwrite(masked, word.start(), word.end())
        if end:
            self._in_block = False
            return end.end()
        return stop + 1

    def _mask_line(self, masked: bytearray, data: bytes, start: int, stop: int) -> None:
        line = data[start:stop]
        if end := _END.search(line):
            for word in _BASE64_RUN.finditer(line, 0, end.start()):
                if looks_like_key(word[0]):
                    _overwrite(masked, start + word.start(), start + word.end())
            self._in_block = False
            return
        last = _last_word(line)
        if last is not None and self._is_key_line(line, last):
            _overwrite(masked, start + last[0], start + last[1])
            self._foreign_lines, self._line_prefix = 0, _prefix_shape(line[: last[0]])
        elif (stripped := line.strip()) and not _HEADER.match(stripped):
            self._foreign_lines += 1
            self._in_block = self._foreign_lines <= MAX_FOREIGN_LINES

    def _is_key_line(self, line: bytes, word: tuple[int, int]) -> bool:
        """Return whether the last word of a line belongs to the key: it looks like one, or has the prefix of the line
        before.
        """
        return looks_like_key(line[word[0] : word[1]]) or self._line_prefix == _prefix_shape(line[: word[0]])


def mask_key_lines(lines: Sequence[str]) -> list[str]:
    """Return consecutive lines with the keys masked. The first line may be inside a block: a last line without a first
    one tells.
    """
    if not any(mark.decode() in line for line in lines for mark in BLOCK_MARKS):
        return list(lines)
    blocks = KeyBlockMasker()
    raw = [line.encode("utf-8", "surrogatepass") for line in lines]
    masked = [blocks.mask(line + b"\n")[:-1] for line in raw]
    for number, line in enumerate(raw):
        if (end := _END.search(line)) and not any(map(_BEGIN.search, raw[: number + 1])):
            _mask_backwards(masked, number, _prefix_shape(line[: end.start()]))
    return [line.decode("utf-8", "surrogatepass") for line in masked]


def mask_key_blocks(text: str, mask: str) -> str:
    """Return the text with `mask` between the first and last line of each block. Incomplete blocks are masked by
    lines.
    """
    parts: list[str] = []
    at = 0
    while (begin := _BEGIN_TEXT.search(text, at)) and (end := _END_TEXT.search(text, begin.end())):
        inside = text[begin.end() : end.start()].strip()
        parts += [text[at : begin.end()], f" {mask} " if inside else ""]
        at = end.start()
    return "".join(parts) + "\n".join(mask_key_lines(text[at:].split("\n")))


def looks_like_key(word: bytes) -> bool:
    """Return whether upper case, lower case and digits are mixed as in no path and no name."""
    kinds = (word.upper() != word, word.lower() != word, any(digit in word for digit in b"0123456789+"))
    return len(word) >= MIN_KEY_CHARS and sum(kinds) >= 3 and word.count(b"/") <= len(word) // 12


def is_noise(word: str) -> bool:
    """Return whether letters of both cases and digits alternate without a pattern, as in no name, however long."""
    kinds = word.translate(_CHARACTER_CLASSES)
    changes = sum(map(str.__ne__, kinds, kinds[1:]))
    return changes > _MIN_CLASS_CHANGES * len(word) and looks_like_key(word.encode())


def _mask_backwards(lines: list[bytes], end: int, prefix: bytes) -> None:
    """Mask the lines above lines[end], the last of a block, as long as their text follows the same prefix."""
    for number in range(end - 1, -1, -1):
        line = lines[number]
        word = _last_word(line)
        if word is None or _prefix_shape(line[: word[0]]) != prefix:
            break
        lines[number] = line[: word[0]] + b"*" * (word[1] - word[0]) + line[word[1] :]


def _last_word(line: bytes) -> tuple[int, int] | None:
    skipped = max(0, len(line) - _LAST_WORD_BYTES)
    match = _LAST_WORD.search(line, skipped)
    return None if match is None else match.span()


def _prefix_shape(prefix: bytes) -> bytes:
    """Return what stands before a key's text, with every number as 0, so that the time of the line does not count."""
    return re.sub(rb"\d+", b"0", prefix)


def end_of_line(data: bytes, at: int) -> int:
    """Return the offset of the line feed at or behind `at`, or that of the end."""
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _overwrite(masked: bytearray, start: int, end: int) -> None:
    masked[start:end] = b"*" * (end - start)
