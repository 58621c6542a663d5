"""Character references of HTML: `&amp;`, `&#65;`, `&#x41;`.

`html.unescape` raises for a reference of some thousands of digits, because Python refuses to convert them.
"""

from __future__ import annotations

import html
import re

_LONG_REFERENCE = re.compile(r"&(?=#[xX]?[0-9a-fA-F]{9})")  # no character has a number of so many digits


def unescape_html(text: str) -> str:
    """Return the text with characters in the place of their references. A reference of too many digits stays text."""
    return html.unescape(escape_long_references(text)) if "&" in text else text


def escape_long_references(text: str) -> str:
    """Return the text in which references of too many digits read as themselves."""
    return _LONG_REFERENCE.sub("&amp;", text) if "&#" in text else text
