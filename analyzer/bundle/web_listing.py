"""The files below a page of a web server, found by following its links.

A server's listing is not trusted. A page may link anywhere, link to itself under ever new names, or never end, so pages
are bounded in number, depth and size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from analyzer.bundle.names import why_unsafe
from analyzer.bundle.web import UntrustedListingError, normalize_url
from analyzer.untrusted.references import escape_long_references

MAX_PAGES, MAX_DEPTH = 10_000, 16
MAX_FILES = 200_000
MAX_PAGE_BYTES = 16 << 20  # bytes of one page
MAX_LINK_CHARS = 2000  # characters of a link below the folder; MAX_FILES names of this length still fit in memory
# Browsers skip from here to the next bracket. Python's parser fails if it does not know the word inside.
_MARKED_SECTION = re.compile(r"<!\[[^>]*>?")


def list_linked_files(system: Any, root: str) -> Iterator[tuple[str, str]]:
    """Yield (path below, URL) of the files below `root`, sorted.

    `system` is an fsspec file system; `root` is a URL that ends in a slash. Raises what the driver raises, and OSError.
    """
    root = normalize_url(root)
    pending, seen, files = [(root, 0)], {root}, set[str]()
    while pending:
        page, depth = pending.pop()
        for link in _read_links(system, page):
            if link in seen or not _is_below(root, link):
                continue
            if not link.endswith("/"):
                files.add(link)
            elif depth < MAX_DEPTH:
                seen.add(link)
                pending.append((link, depth + 1))
        if len(seen) > MAX_PAGES or len(files) > MAX_FILES:
            raise UntrustedListingError(f"the server lists more than {MAX_PAGES:,} folders or {MAX_FILES:,} files")
    yield from ((unquote(link.removeprefix(root)), link) for link in sorted(files))


def _is_below(root: str, link: str) -> bool:
    """Return whether `link` names something below `root`.

    A link with `?` only sorts the listing. `%2e%2e` leads out of the folder as `..` does, because clients decode it.
    """
    below = link.removeprefix(root)
    return (
        link.startswith(root)
        and len(below) <= MAX_LINK_CHARS
        and "?" not in link
        and why_unsafe(unquote(below)) is None
    )


def _read_links(system: Any, page: str) -> Iterator[str]:
    with system.open(page, "rb", block_size=0) as stream:
        text = b""
        while len(text) < MAX_PAGE_BYTES and (more := stream.read(min(1 << 16, MAX_PAGE_BYTES - len(text)))):
            text += more
    for target in find_links(text.decode("utf-8", "replace")):
        try:
            yield normalize_url(urldefrag(urljoin(page, target)).url)
        except ValueError:  # `http://[x`
            continue


def find_links(text: str) -> list[str]:
    """Return the targets of all links of an HTML page, as written and in order."""
    parser = _AnchorParser()
    parser.feed(escape_long_references(_MARKED_SECTION.sub("", text)))
    return parser.targets


class _AnchorParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.targets += [value.strip() for name, value in attrs if name == "href" and value]
