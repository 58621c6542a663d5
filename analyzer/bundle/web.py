"""The files below a page of a web server, by the links on its pages: what a server lists is not to be trusted.

A page may link anywhere, to itself under ever new names, or never end, so pages are bounded in number, depth and size.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin, urlsplit, urlunsplit

from analyzer.bundle.names import why_unsafe

MAX_PAGES, MAX_DEPTH = 10_000, 16
MAX_FILES = 200_000
MAX_PAGE_BYTES = 16 << 20  # bytes of one page
MAX_LINK_CHARS = 2000  # characters of a link behind the folder: of so many files, all names have room in memory
DEFAULT_PORTS = {"http": 80, "https": 443}
STALL_TIMEOUT_S = 60.0  # seconds without a byte
REQUEST_TIMEOUT_S = 600.0  # seconds for one answer of at most a block


class CrossOriginRedirectError(OSError):
    """A server redirects what its page links to another origin."""


def is_web(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


def web_options(whole_file: bool, same_origin: bool) -> dict[str, Any]:
    """How long a server may take: for a `whole` file as long as it gives something, else a while for each answer.

    `stay`: it may not redirect to another origin (scheme, host and port, as RFC 6454 has it). Whoever gave a URL knows
    where it leads, and nobody knows where a page's links do.
    """
    import aiohttp

    total = None if whole_file else REQUEST_TIMEOUT_S  # the driver's own is five minutes
    timeout = aiohttp.ClientTimeout(total=total, sock_connect=STALL_TIMEOUT_S, sock_read=STALL_TIMEOUT_S)
    return {"client_kwargs": {"timeout": timeout, **({"trace_configs": [_same_origin_trace()]} if same_origin else {})}}


@cache
def _same_origin_trace() -> Any:
    """One for all: drivers are kept by their options."""
    import aiohttp
    from yarl import URL

    async def check(_session: Any, _context: Any, asked: Any) -> None:
        headers = asked.response.headers
        target = asked.url.join(URL(headers.get("Location") or headers.get("URI", "")))  # aiohttp follows both
        if target.origin() != asked.url.origin():
            raise CrossOriginRedirectError(
                f"the server sends us on to {target.origin()}: that is followed only for a URL that was given itself"
            )

    config = aiohttp.TraceConfig()
    config.on_request_redirect.append(check)
    return config


def list_linked_files(system: Any, root: str) -> Iterator[tuple[str, str]]:
    """(path below, URL) of the files below `root`, a URL that ends in a slash, sorted.

    Raises what the driver does, and OSError.
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
            raise CrossOriginRedirectError(f"the server lists more than {MAX_PAGES:,} folders or {MAX_FILES:,} files")
    yield from ((unquote(link.removeprefix(root)), link) for link in sorted(files))


def _is_below(root: str, link: str) -> bool:
    """`?` begins a link that only sorts the list. `%2e%2e` leads out of the folder as `..` does: clients undo it."""
    below = link.removeprefix(root)
    return (
        link.startswith(root)
        and len(below) <= MAX_LINK_CHARS
        and "?" not in link
        and why_unsafe(unquote(below)) is None
    )


def normalize_url(url: str) -> str:
    """Scheme and host in lower case, without the port that the scheme has anyway. Raises ValueError."""
    parts = urlsplit(url)
    user, at, place = parts.netloc.rpartition("@")
    if parts.port == DEFAULT_PORTS.get(parts.scheme):
        place = place.rpartition(":")[0]
    return urlunsplit(parts._replace(netloc=user + at + place.lower()))


def _read_links(system: Any, page: str) -> Iterator[str]:
    from analyzer.bundle.html_links import find_links  # a parser of HTML is for servers alone

    with system.open(page, "rb", block_size=0) as stream:
        text = b""
        while len(text) < MAX_PAGE_BYTES and (more := stream.read(min(1 << 16, MAX_PAGE_BYTES - len(text)))):
            text += more
    for target in find_links(text.decode("utf-8", "replace")):
        try:
            yield normalize_url(urldefrag(urljoin(page, target)).url)
        except ValueError:  # `http://[x`
            continue
