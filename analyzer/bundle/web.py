"""Settings for files on web servers: time limits, and no redirect to another origin for files that a page links."""

from __future__ import annotations

from functools import cache
from typing import Any
from urllib.parse import urlsplit, urlunsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
STALL_TIMEOUT_S = 60.0  # seconds without a byte
REQUEST_TIMEOUT_S = 600.0  # seconds for one answer of at most a block


class UntrustedListingError(OSError):
    """A server's listing redirects to another origin, or has too many folders or files."""


def is_web(url: str) -> bool:
    """Return whether `url` is an http or https URL."""
    return url.lower().startswith(("http://", "https://"))


def web_options(whole_file: bool, same_origin: bool) -> dict[str, Any]:
    """Return the options of fsspec's HTTP driver: time limits and the redirects that it follows.

    `whole_file`: the file comes in one answer, which may take any time as long as bytes keep coming; otherwise each
    answer has REQUEST_TIMEOUT_S seconds. `same_origin`: refuse a redirect to another origin (scheme, host and port,
    RFC 6454). The user knows where a given URL leads, but no one has checked the links of a page.
    """
    import aiohttp

    total = None if whole_file else REQUEST_TIMEOUT_S  # the driver's own limit is five minutes
    timeout = aiohttp.ClientTimeout(total=total, sock_connect=STALL_TIMEOUT_S, sock_read=STALL_TIMEOUT_S)
    return {"client_kwargs": {"timeout": timeout, **({"trace_configs": [_same_origin_trace()]} if same_origin else {})}}


@cache
def _same_origin_trace() -> Any:
    """Return the hook that checks redirects. It is cached because fsspec caches drivers by their options."""
    import aiohttp
    from yarl import URL

    async def check(_session: Any, _context: Any, request: Any) -> None:
        headers = request.response.headers
        target = request.url.join(URL(headers.get("Location") or headers.get("URI", "")))  # aiohttp follows both
        if target.origin() != request.url.origin():
            raise UntrustedListingError(
                f"the server redirects to {target.origin()}: redirects to another host, port or scheme are followed "
                "only for a URL that you give yourself"
            )

    config = aiohttp.TraceConfig()
    config.on_request_redirect.append(check)
    return config


def normalize_url(url: str) -> str:
    """Return `url` with scheme and host in lower case and without the scheme's default port. Raises ValueError."""
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    if parts.port == DEFAULT_PORTS.get(parts.scheme):
        host = host.rpartition(":")[0]
    return urlunsplit(parts._replace(netloc=user + at + host.lower()))
