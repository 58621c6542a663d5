"""The links of a page in HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser

# Browsers skip what begins so up to the next bracket; Python's parser fails on a word that it does not know there.
_MARKED_SECTION = re.compile(r"<!\[[^>]*>?")


def find_links(text: str) -> list[str]:
    """As they stand there, in order."""
    anchors = _AnchorParser()
    anchors.feed(_MARKED_SECTION.sub("", text))
    return anchors.targets


class _AnchorParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.targets += [value.strip() for name, value in attrs if name == "href" and value]
