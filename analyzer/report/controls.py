"""Characters of untrusted text that could control what shows it."""

from __future__ import annotations

import re

UNSAFE_CHARS = re.compile(
    # C0 without tab and line feed, DEL and C1; marks that reorder or hide text (CVE-2021-42574); lone surrogates,
    # which UTF-8 cannot hold; U+2028 and U+2029, which end a line in JavaScript.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e007f\ud800-\udfff]"
)


def show_controls(text: str) -> str:
    """Return log text with visible pictures for characters that could control a terminal, reorder a line or break a
    parser.
    """
    return UNSAFE_CHARS.sub(_control_picture, text)


def _control_picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)  # the Unicode control pictures: ␀, ␛, ␍
    return "␡" if code == 0x7F else f"‹U+{code:04X}›"
