"""Remote files (`s3://`, `gs://`, `hdfs://`, `https://`), read forward through fsspec in one pass.

fsspec is an extra, and each protocol has a driver of its own; both are imported when the first URL is opened.
Credentials and options are those of the driver's own environment and of fsspec's configuration files.
"""

from __future__ import annotations

import importlib
import io
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NewType
from urllib.parse import unquote, urlsplit

from analyzer.bundle.meter import Meter
from analyzer.bundle.stream import ForwardStream
from analyzer.bundle.types import DamageError
from analyzer.bundle.web import UntrustedListingError, is_web, web_options
from analyzer.errors import InputError, UsageError

Url = NewType("Url", str)
Input = Path | Url

REQUEST_BYTES = 8 << 20  # of one request; the next block is fetched while this one is read
READ_BYTES = 256 * 1024  # of one read: at most this much is lost if a transfer breaks
MAX_CACHED_BLOCKS = 4  # kept in memory
SLOW_TRANSFER_AFTER_S, MIN_BYTES_PER_S = (
    300.0,
    1000,
)  # seconds after which a transfer of fewer bytes a second is given up
NO_RANGES_NOTE = "the server does not support byte ranges, so a broken transfer cannot be resumed"
_URL = re.compile(r"[a-z][a-z0-9+.-]+(?:::[a-z][a-z0-9+.-]+)*://", re.IGNORECASE)
REACH_ADVICE = "check the address, the network and your credentials, or download the file first"
_DRIVER_PACKAGES = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "abfs": "adlfs",
    "az": "adlfs",
    "hdfs": "hdfs-native",
}
DRIVER_ERRORS = Exception  # drivers raise errors of any kind
_MTIME_KEYS = ("mtime", "LastModified", "last_modified", "modified", "updated", "created")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file that was listed or named. `size` is in bytes, `mtime` in seconds UTC; None if the listing does not state
    them.

    `path`: the driver's name of the file, without the host or account, which it takes from `url`; empty if `url` names
    the file.
    """

    url: Url
    path: str = ""
    size: int | None = None
    mtime: float | None = None
    is_linked: bool = False  # from a page of a web server


def parse_input(text: str) -> Input:
    """Return a URL for `s3://bucket/logs` and the like, else a path. Raises UsageError for an empty name, which would
    be `.`.
    """
    if not text:
        raise UsageError(
            "the name of an input is empty", "a variable in the command may be empty; use . for this folder"
        )
    return Url(text) if _URL.match(text) else Path(text)


def local_path(source: Input) -> Path | None:
    """Return where an input is on this machine, or None. `file://` URLs name local files."""
    if isinstance(source, Path):
        return source
    protocol, _, path = source.rpartition("::")[2].partition("://")
    return Path(unquote(path)) if protocol.lower() in ("file", "local") else None


def printable_url(url: str) -> str:
    """Return `url` without user, password and query, which may hold secrets such as a signature."""
    return re.sub(r"://[^/@]*@", "://", url).partition("?")[0]


def url_file_name(url: str) -> str:
    """Return the last part of the URL, like a file name."""
    return unquote(urlsplit(printable_url(url)).path.rstrip("/").rpartition("/")[2]) or printable_url(url)


def list_remote(url: Url) -> Iterator[tuple[str, RemoteFile]]:
    """Yield (path below, file) of all files below a folder, sorted; for a single file, one pair with an empty path.

    The page of a web server counts as a folder if the URL ends in a slash. Raises InputError.
    """
    system, root = _open_filesystem(url, same_origin=is_web(url) and url.endswith("/"))
    with _as_input_errors(url):
        info = system.info(root)
        if not _is_folder(url, info):
            yield "", RemoteFile(url, "", info.get("size"), _mtime(info))
        elif is_web(url):
            from analyzer.bundle.web_listing import list_linked_files  # only servers need a parser of HTML

            for below, page in list_linked_files(system, root):
                yield below, RemoteFile(Url(page), is_linked=True)
        else:
            for path, details in sorted(system.find(root, detail=True).items()):
                below = path.removeprefix(root.rstrip("/")).lstrip("/")
                yield below, RemoteFile(url, path, details.get("size"), _mtime(details))


def why_unreachable(url: Url) -> str | None:
    """Return why nothing can be read there, or None. Raises InputError if the driver is missing."""
    system, root = _open_filesystem(url)
    try:
        with _as_input_errors(url):
            system.info(root)
    except InputError as error:
        return error.message
    return None


@contextmanager
def open_remote(remote: RemoteFile) -> Iterator[tuple[Any, str | None]]:
    """Return a binary file object, and a note for the report on how it is read or None. Raises OSError."""
    try:
        system, root = _open_filesystem(remote.url, same_origin=remote.is_linked)
        path = remote.path or root
        ranges = not is_web(remote.url) or _supports_ranges(system, path)
        if not ranges:
            system, _ = _open_filesystem(remote.url, whole_file=True, same_origin=remote.is_linked)
        file = system.open(path, "rb", **(_read_ahead_options(remote.url) if ranges else {"block_size": 0}))
    except InputError as error:
        raise OSError(0, error.message) from error
    except DRIVER_ERRORS as error:
        # For a refused redirect the driver itself says only "not found".
        shown = error.__cause__ if isinstance(error.__cause__, UntrustedListingError) else error
        raise OSError(0, _error_text(shown)) from error
    with file:
        yield file, None if ranges else NO_RANGES_NOTE


def _read_ahead_options(url: Url) -> Mapping[str, Any]:
    """Return the options that fetch the next blocks. HDFS drivers read ahead themselves, and hdfs-native fails with
    them.
    """
    if url.lower().startswith("hdfs://"):
        return {}
    return {"block_size": REQUEST_BYTES, "cache_type": "background", "cache_options": {"maxblocks": MAX_CACHED_BLOCKS}}


def _supports_ranges(system: Any, path: str) -> bool:
    """Return whether a server supports byte ranges, by asking for the second byte.

    Not all servers say so in their headers. If the answer is the whole file, it is not read.
    """
    try:
        with system.open(path, "rb", block_size=1, cache_type="none") as file:
            file.seek(1)
            return bool(file.read(1))
    except ValueError:
        return False


def open_transfer(file: Any, size: int | None, meter: Meter) -> ForwardStream:
    """Return a stream of an fsspec file object. Errors of the driver are DamageError. `size`: None if unknown."""

    def take(count: int) -> None:
        if size is None:
            meter.count_input(count)
        meter.count_read(count)

    started, ended = time.monotonic(), False

    def give(count: int) -> bytes:
        nonlocal ended
        if ended:  # some drivers raise if they are called again
            return b""
        try:
            data: bytes = file.read(min(count, READ_BYTES))
        except DRIVER_ERRORS as error:
            raise DamageError(f"the transfer stopped: {_error_text(error)}") from error
        if not data and size is not None and (lost := size - file.tell()) > 0:
            raise DamageError(f"the transfer ended {lost:,} bytes too early")
        if (
            data
            and (seconds := time.monotonic() - started) > SLOW_TRANSFER_AFTER_S
            and file.tell() < MIN_BYTES_PER_S * seconds
        ):
            raise DamageError(f"the transfer was aborted: {file.tell():,} bytes in {seconds:,.0f} s")
        ended = not data
        take(len(data))
        return data

    def jump(count: int) -> bool:
        if size is None or count < REQUEST_BYTES or file.tell() + count > size:
            return False
        try:
            file.seek(count, io.SEEK_CUR)
        except DRIVER_ERRORS:  # reading the bytes is slower and works, too
            return False
        take(count)
        return True

    if size is not None:
        meter.count_input(size)
    return ForwardStream(give, jump, size)


def _open_filesystem(url: Url, whole_file: bool = False, same_origin: bool = False) -> tuple[Any, str]:
    """Return fsspec's file system and the path in it. Raises InputError if fsspec or the driver is missing."""
    protocol = url.partition(":")[0].lower()
    try:
        core = importlib.import_module("fsspec.core")
    except ImportError:
        raise InputError(f"{protocol}:// inputs need fsspec", "pip install 'tf-postmortem[remote]'") from None
    try:
        system, path = core.url_to_fs(url, **(web_options(whole_file, same_origin) if is_web(url) else {}))
    except ImportError as error:
        package = _DRIVER_PACKAGES.get(protocol)
        hint = f"pip install {package}" if package else "pip install 'tf-postmortem[remote]'"
        raise InputError(f"{protocol}:// inputs need a driver: {error}", hint) from None
    except (ConnectionError, TimeoutError) as error:  # the FTP driver connects here
        raise InputError(
            f"{printable_url(url)}: the server does not answer: {_error_text(error)}", REACH_ADVICE
        ) from None
    except DRIVER_ERRORS as error:
        raise InputError(
            f"{printable_url(url)}: {_error_text(error)}", "give a path, or a URL that fsspec has a driver for"
        ) from None
    return system, path


def _error_text(error: BaseException) -> str:
    """Return the text of an error without the number that Python puts before a system error.

    asyncio words a refused connection as `Connect call failed ('127.0.0.1', 1)`; the system's own words are plainer.
    """
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)
    return str(error) or type(error).__name__


@contextmanager
def _as_input_errors(url: Url) -> Iterator[None]:
    """Raise errors of the driver as InputError with a sentence that names the URL."""
    try:
        yield
    except FileNotFoundError as error:
        if isinstance(error.__cause__, OSError):  # aiohttp's error of a connection; an answer such as 404 has none
            raise InputError(
                f"{printable_url(url)}: the server does not answer: {_error_text(error.__cause__)}", REACH_ADVICE
            ) from None
        raise InputError(
            f"{printable_url(url)}: no such file, or access is denied", "check the path and your credentials"
        ) from None
    except DRIVER_ERRORS as error:
        text = _error_text(error).replace(url, printable_url(url))
        raise InputError(f"{printable_url(url)}: {text}", REACH_ADVICE) from error


def _is_folder(url: Url, info: Mapping[str, Any]) -> bool:
    return url.endswith("/") if is_web(url) else info.get("type") == "directory"


def _mtime(info: Mapping[str, Any]) -> float | None:
    for name in _MTIME_KEYS:
        value = info.get(name)
        if isinstance(value, datetime):
            return value.timestamp()
        if isinstance(value, int | float) and value > 0:
            return float(value)
    return None
