"""The files below a page of a web server, by the links on its pages: what a server lists is not to be trusted.

A page may link anywhere, to itself under ever new names, or never end, so pages are bounded in number, depth and size.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit, urlunsplit

from analyzer.bundle.names import find_escape

PAGES, DEPTH = 10_000, 16
FILES = 200_000
LARGEST = 16 << 20  # bytes of one page
LONGEST = 2000  # characters of a link behind the folder: of so many files, all names have room in memory
DEFAULT_PORTS = {"http": 80, "https": 443}
STALL = 60.0  # seconds without a byte
REQUEST = 600.0  # seconds for one answer of at most a block


class SentOnError(OSError):
    """A server redirects what its page links to another origin."""


def is_web(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def web_options(whole: bool, stay: bool) -> dict[str, Any]:
    """How long a server may take: for a `whole` file as long as it gives something, else a while for each answer.

    `stay`: it may not redirect to another origin (scheme, host and port, as RFC 6454 has it). Whoever gave a URL knows
    where it leads, and nobody knows where a page's links do.
    """
    import aiohttp

    total = None if whole else REQUEST  # the driver's own is five minutes
    timeout = aiohttp.ClientTimeout(total=total, sock_connect=STALL, sock_read=STALL)
    return {"client_kwargs": {"timeout": timeout, **({"trace_configs": [_stay_there()]} if stay else {})}}


@cache
def _stay_there() -> Any:
    """One for all: drivers are kept by their options."""
    import aiohttp
    from yarl import URL

    async def check(_session: Any, _context: Any, asked: Any) -> None:
        headers = asked.response.headers
        target = asked.url.join(URL(headers.get("Location") or headers.get("URI", "")))  # aiohttp follows both
        if target.origin() != asked.url.origin():
            raise SentOnError(
                f"the server sends us on to {target.origin()}: that is followed only for a URL that was given itself"
            )

    config = aiohttp.TraceConfig()
    config.on_request_redirect.append(check)
    return config


def list_pages(system: Any, root: str) -> Iterator[tuple[str, str]]:
    """(path below, URL) of the files below `root`, a URL that ends in a slash, sorted.

    Raises what the driver does, and OSError.
    """
    root = normalize(root)
    pending, seen, files = [(root, 0)], {root}, set[str]()
    while pending:
        page, depth = pending.pop()
        for link in _links(system, page):
            if link in seen or not _is_below(root, link):
                continue
            if not link.endswith("/"):
                files.add(link)
            elif depth < DEPTH:
                seen.add(link)
                pending.append((link, depth + 1))
        if len(seen) > PAGES or len(files) > FILES:
            raise SentOnError(f"the server lists more than {PAGES:,} folders or {FILES:,} files")
    yield from ((unquote(link.removeprefix(root)), link) for link in sorted(files))


def _is_below(root: str, link: str) -> bool:
    """`?` begins a link that only sorts the list. `%2e%2e` leads out of the folder as `..` does: clients undo it."""
    below = link.removeprefix(root)
    return link.startswith(root) and len(below) <= LONGEST and "?" not in link and find_escape(unquote(below)) is None


def normalize(url: str) -> str:
    """Scheme and host in lower case, without the port that the scheme has anyway. Raises ValueError."""
    parts = urlsplit(url)
    user, at, place = parts.netloc.rpartition("@")
    if parts.port == DEFAULT_PORTS.get(parts.scheme):
        place = place.rpartition(":")[0]
    return urlunsplit(parts._replace(netloc=user + at + place.lower()))


def _links(system: Any, page: str) -> Iterator[str]:
    from analyzer.bundle.page import find_links  # a parser of HTML is for servers alone

    with system.open(page, "rb", block_size=0) as stream:
        text = b""
        while len(text) < LARGEST and (more := stream.read(min(1 << 16, LARGEST - len(text)))):
            text += more
    for target in find_links(text.decode("utf-8", "replace")):
        try:
            yield normalize(urldefrag(urljoin(page, target)).url)
        except ValueError:  # `http://[x`
            continue
