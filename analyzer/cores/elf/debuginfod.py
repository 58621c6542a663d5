"""Fetch binaries and debug files by build id from debuginfod servers, if DEBUGINFOD_URLS is set, in bounded time.

Protocol: debuginfod(8), `GET URL/buildid/BUILDID/executable` and `/debuginfo`. Callers use a file only if its own build
id is the one that was requested.
"""

from __future__ import annotations

import logging
import os
import re
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.paths import cache_dir, is_private_folder, make_private_folder, open_atomic

if TYPE_CHECKING:
    import urllib.request

SERVERS_VARIABLE = "DEBUGINFOD_URLS"
TOTAL_BUDGET_S = 30.0  # for all requests of a process to one set of servers
REQUEST_TIMEOUT_S = 5.0  # seconds without a byte
MAX_DOWNLOAD_BYTES = 2 << 30
BLOCK_BYTES = 1 << 18

_log = logging.getLogger("analyzer.cores")


@dataclass(slots=True)
class DebuginfodServers:
    """Servers with the seconds that may still be spent on them. A server that fails once is not asked again."""

    urls: list[str]
    seconds_left: float = TOTAL_BUDGET_S
    missing: set[tuple[str, str]] = field(default_factory=set)

    def fetch(self, build_id: str, kind: str) -> Path | None:
        """Return the file from the cache or a server; None if no server has it.

        `kind` is `executable` or `debuginfo`.
        """
        if not re.fullmatch(r"[0-9a-f]{8,128}", build_id) or (build_id, kind) in self.missing:
            return None
        cache = cache_dir()
        if cache is None:
            return None
        target = cache / "debuginfod" / build_id / kind
        if target.exists() and is_private_folder(target.parent):
            return target
        for url in list(self.urls):
            started = time.monotonic()
            try:
                if self.seconds_left > 0 and self._download(f"{url}/buildid/{build_id}/{kind}", target):
                    return target
            except (OSError, ValueError) as error:
                _log.info("%s is not asked again: %s", url, error)
                self.urls.remove(url)
            finally:
                self.seconds_left -= time.monotonic() - started
        self.missing.add((build_id, kind))
        return None

    def _download(self, url: str, target: Path) -> bool:
        """Download a file; return False if the server has none. Raises OSError if the server does not answer or breaks
        off.
        """
        import urllib.error  # imports HTTP and TLS, which few users need

        try:
            response = _make_opener().open(url, timeout=min(REQUEST_TIMEOUT_S, max(self.seconds_left, 0.1)))
        except urllib.error.HTTPError as error:
            error.close()
            return False
        if not make_private_folder(target.parent):
            raise OSError("other users can write to the cache")
        deadline, size = time.monotonic() + self.seconds_left, 0
        with response, open_atomic(target) as out:
            while block := response.read1(BLOCK_BYTES):
                size += len(block)
                if size > MAX_DOWNLOAD_BYTES or time.monotonic() > deadline:
                    raise OSError("too large or too slow")
                out.write(block)
        return True


@cache
def _make_opener() -> urllib.request.OpenerDirector:
    """Return an opener that follows redirects as debuginfod clients do, but never from https to http, or to ftp."""
    import urllib.error
    import urllib.request

    class Redirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(
            self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
        ) -> urllib.request.Request | None:
            if newurl.partition(":")[0].lower() not in ("https", req.type):
                raise urllib.error.URLError(f"the server redirects to {newurl}")
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    return urllib.request.build_opener(Redirects)


def find_servers() -> DebuginfodServers | None:
    """Return the servers that DEBUGINFOD_URLS names; None if it names none."""
    urls = os.environ.get(SERVERS_VARIABLE, "")
    return _servers_at(urls) if urls.strip() else None


@cache
def _servers_at(urls: str) -> DebuginfodServers:
    return DebuginfodServers([url.rstrip("/") for url in urls.split() if url.startswith(("http://", "https://"))])
