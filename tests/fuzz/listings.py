"""Pages of a web server: whatever they list, only files below the folder are named, and asking comes to an end.

An input is several pages, each behind a line with its path below the folder; an unknown path gives the first of them,
as servers do that answer everything.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from html import escape
from itertools import pairwise
from random import Random
from urllib.parse import urlsplit

from yarl import URL

from analyzer.bundle.web_listing import MAX_DEPTH, MAX_FILES, MAX_PAGES, list_linked_files
from tests.fuzz import odd
from tests.fuzz.prose import respell
from tests.fuzz.target import Target

ROOT = "http://server.example:8000/logs/job%207/"
MOST = 40  # pages that one input may have us ask for: a page that links to itself under ever new names is cut here
_HEAD = re.compile(rb"^==> ([^\n]{0,200}) <==\n", re.M)
_HREF = re.compile(rb"""(?i)href\s*=\s*(["']?)([^"'>\s]*)\1""")
# As nginx, Apache, Python, Caddy and gcsweb write them.
_STYLES = (
    '<html>\r\n<head><title>Index of /logs</title></head>\r\n<body><hr><pre><a href="../">../</a>\r\n{rows}</pre>',
    '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2"><table><tr><th><a href="?C=N;O=D">Name</a></th></tr>{rows}</table>',
    '<!DOCTYPE HTML>\n<html lang="en"><head><meta charset="utf-8"></head><body><ul>\n{rows}</ul>\n</body></html>\n',
    "<div id=list>{rows}</div><script>var a = '<a href=\"x\">'</script><!-- <a href=hidden> -->",
)
_ROWS = (
    '<a href="{0}">{0}</a>  22-Nov-2026 10:00  123\r\n',
    "<tr><td><a href='{0}'>{0}</a></td></tr>",
    "<li><a class=f href={0}>x",
)
_LINKS = (
    "a.log",
    "sub/",
    "./b.log",
    "../",
    "..",
    "/",
    "//other.example/x",
    "//server.example:8000/logs/job%207/c.log",
    "http://[x",
    "http://server.example:8000/logs/job%207/../../etc/passwd",
    "%2e%2e/%2e%2e/private",
    "%252e%252e/x",
    "..%2f..%2fprivate",
    "..%5c..%5cx",
    "sub/%00",
    "sub//",
    "?C=M;O=A",
    "a.log#part",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/plain,x",
    "http://user:secret@server.example:8000/logs/job%207/d",
    "HTTP://SERVER.EXAMPLE:8000/logs/job%207/e",
    "&#x2e;&#46;/x",
    "\u202egol",
    "é.log",
    "%ff.log",
    "a b.log",
    "\\\\server\\x",
    "a\n.log",
    "x" * 5000,
)


@cache
def seeds() -> Sequence[bytes]:
    pages = [
        style.format(rows="".join(row.format(escape(link)) for link in links))
        for style, row in zip((*_STYLES, *_STYLES), _ROWS * 3, strict=False)
        for links in (("a.log", "sub/", "b%20c.log.gz"), ("n1/", "n2/", "core.7"), _LINKS)
    ]
    encoded = [page.encode() for page in pages]
    return [*encoded, *(_join({"": outer, "sub/": inner, "n1/": inner}) for outer, inner in pairwise(encoded))]


def _join(pages: Mapping[str, bytes]) -> bytes:
    return b"".join(b"==> " + path.encode() + b" <==\n" + page for path, page in pages.items())


def relink(data: bytes, chance: Random, _seeds: Sequence[bytes]) -> bytes:
    """One link leads elsewhere."""
    matches = list(_HREF.finditer(data))
    if not matches:
        return data
    match, link = chance.choice(matches), chance.choice((*_LINKS, odd.word(chance), odd.word(chance) + "/"))
    if chance.random() < 0.3:
        link = chance.choice(_LINKS) + chance.choice(_LINKS)
    return data[: match.start(2)] + escape(link).encode("utf-8", "surrogatepass") + data[match.end(2) :]


class _Server:
    """What of a file system of fsspec is asked of a web server: the pages of the input, each said to be asked for."""

    def __init__(self, data: bytes) -> None:
        pieces = _HEAD.split(data)
        self._first = pieces[0] or (pieces[2] if len(pieces) > 2 else b"")
        self._pages = dict(zip(pieces[1::2], pieces[2::2], strict=False))
        self.asked: list[str] = []

    def open(self, page: str, mode: str, block_size: int) -> io.BytesIO:
        assert (mode, block_size) == ("rb", 0)
        self.asked.append(page)
        if len(self.asked) > MOST:
            raise TimeoutError
        return io.BytesIO(self._pages.get(page.removeprefix(ROOT).encode("utf-8", "replace"), self._first))


def check(data: bytes) -> None:
    server = _Server(data)
    with suppress(OSError):
        files = list(list_linked_files(server, ROOT))
        assert len(files) == len(set(files)) <= MAX_FILES and all(len(url) < len(ROOT) + 2001 for _, url in files)
        assert all(url == ROOT + url.removeprefix(ROOT) and ".." not in below.split("/") for below, url in files)
        for _, url in files[:50]:
            _stays(url)
    assert len(server.asked) == len(set(server.asked)) <= MAX_PAGES
    for page in server.asked[:50]:
        assert page.endswith("/") and page.removeprefix(ROOT).count("/") <= 200 * MAX_DEPTH
        _stays(page)


def _stays(url: str) -> None:
    """The address that the client makes of it is still below the folder, and on the same server."""
    with suppress(ValueError):  # such a one it does not ask for
        asked = URL(url)
        assert str(asked.origin()) == "http://server.example:8000" and urlsplit(str(asked)).path.startswith(
            "/logs/job%207/"
        )


TARGET = Target("listings", seeds, check, (relink, relink, respell))
