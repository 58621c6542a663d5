"""Files that lie elsewhere (`s3://`, `gs://`, `hdfs://`, `https://`), read forward through fsspec in one pass.

fsspec is an extra, and each protocol has a driver of its own; both are imported when the first URL is opened.
Credentials and options are those of the driver's own environment and of fsspec's configuration files.
"""

from __future__ import annotations

import importlib
import io
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

REQUEST_BYTES = 8 << 20  # bytes of one request; the next block is fetched while this one is read
READ_BYTES = 256 * 1024  # bytes that are asked for at once: so many are lost where a transfer breaks
MAX_CACHED_BLOCKS = 4  # that are kept in memory
SLOW_TRANSFER_AFTER_S, MIN_BYTES_PER_S = (
    300.0,
    1000,
)  # seconds after which a transfer of fewer bytes a second is given up
NO_RANGES_NOTE = "the server gives no byte ranges: it was read in one go, and a transfer that breaks cannot go on"
_URL = re.compile(r"[a-z][a-z0-9+.-]+(?:::[a-z][a-z0-9+.-]+)*://", re.IGNORECASE)
_DRIVER_PACKAGES = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "abfs": "adlfs",
    "az": "adlfs",
    "hdfs": "hdfs-native",
}
DRIVER_ERRORS = Exception  # drivers are other people's code, and each raises what it likes
_MTIME_KEYS = ("mtime", "LastModified", "last_modified", "modified", "updated", "created")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file that was listed or named. `size` in bytes and `mtime` in seconds UTC as far as the listing states them.

    `path`: what the driver calls it, without the host or account that it takes from `url`; empty: as `url` says.
    """

    url: Url
    path: str = ""
    size: int | None = None
    mtime: float | None = None
    is_linked: bool = False  # by a page of a web server


def parse_input(text: str) -> Input:
    """`s3://bucket/logs` and the like, else a path. Raises UsageError for an empty name, which would be this folder."""
    if not text:
        raise UsageError("an input's name is empty", "a variable in the command may have no value; . is this folder")
    return Url(text) if _URL.match(text) else Path(text)


def local_path(source: Input) -> Path | None:
    """Where an input lies on this machine; None where it does not. `file://` URLs name files here."""
    if isinstance(source, Path):
        return source
    protocol, _, path = source.rpartition("::")[2].partition("://")
    return Path(unquote(path)) if protocol.lower() in ("file", "local") else None


def printable_url(url: str) -> str:
    """Without what may be secret: user, password, and the signature in the query."""
    return re.sub(r"://[^/@]*@", "://", url).partition("?")[0]


def url_file_name(url: str) -> str:
    """Its last part, as a file would be called."""
    return unquote(urlsplit(printable_url(url)).path.rstrip("/").rpartition("/")[2]) or printable_url(url)


def list_remote(url: Url) -> Iterator[tuple[str, RemoteFile]]:
    """(path below, file) of all files below a folder, sorted; of a file itself alone, whose path is empty.

    A web server's page counts as a folder where the URL ends in a slash. Raises InputError.
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
            for path, found in sorted(system.find(root, detail=True).items()):
                below = path.removeprefix(root.rstrip("/")).lstrip("/")
                yield below, RemoteFile(url, path, found.get("size"), _mtime(found))


def why_unreachable(url: Url) -> str | None:
    """Why nothing can be read there, or None. Raises InputError where the driver is missing."""
    system, root = _open_filesystem(url)
    try:
        with _as_input_errors(url):
            system.info(root)
    except InputError as error:
        return error.message
    return None


@contextmanager
def open_remote(remote: RemoteFile) -> Iterator[tuple[Any, str | None]]:
    """A binary file object, and what is to be said of how it is read. Raises OSError."""
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
        told = (
            error.__cause__ if isinstance(error.__cause__, UntrustedListingError) else error
        )  # the driver says only "not found"
        raise OSError(0, _error_text(told)) from error
    with file:
        yield file, None if ranges else NO_RANGES_NOTE


def _read_ahead_options(url: Url) -> Mapping[str, Any]:
    """HDFS's drivers read ahead by themselves, and hdfs-native breaks where it is told how much."""
    if url.lower().startswith("hdfs://"):
        return {}
    return {"block_size": REQUEST_BYTES, "cache_type": "background", "cache_options": {"maxblocks": MAX_CACHED_BLOCKS}}


def _supports_ranges(system: Any, path: str) -> bool:
    """Not all servers say so in their headers: the second byte is asked for. An answer with all of them is not read."""
    try:
        with system.open(path, "rb", block_size=1, cache_type="none") as file:
            file.seek(1)
            return bool(file.read(1))
    except ValueError:
        return False


def open_transfer(file: Any, size: int | None, meter: Meter) -> ForwardStream:
    """A file object of fsspec as a stream. What a driver raises is DamageError; `size` None: not stated."""

    def take(count: int) -> None:
        if size is None:
            meter.count_input(count)
        meter.count_read(count)

    started, ended = time.monotonic(), False

    def give(count: int) -> bytes:
        nonlocal ended
        if ended:  # to ask once more is an error for some drivers
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
            raise DamageError(f"the transfer was given up: {file.tell():,} bytes in {seconds:,.0f} s")
        ended = not data
        take(len(data))
        return data

    def jump(count: int) -> bool:
        if size is None or count < REQUEST_BYTES or file.tell() + count > size:
            return False
        try:
            file.seek(count, io.SEEK_CUR)
        except DRIVER_ERRORS:  # reading it is slower and as good
            return False
        take(count)
        return True

    if size is not None:
        meter.count_input(size)
    return ForwardStream(give, jump, size)


def _open_filesystem(url: Url, whole_file: bool = False, same_origin: bool = False) -> tuple[Any, str]:
    """fsspec's file system and the path within. Raises InputError where one of the two packages is missing."""
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
    except (ConnectionError, TimeoutError) as error:  # FTP's driver connects at once
        raise InputError(f"{printable_url(url)}: the server does not answer: {_error_text(error)}") from None
    except DRIVER_ERRORS as error:
        raise InputError(
            f"{printable_url(url)}: {_error_text(error)}", "give a path, or a URL that fsspec has a driver for"
        ) from None
    return system, path


def _error_text(error: BaseException) -> str:
    """Without the number that Python puts before a system's error."""
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


@contextmanager
def _as_input_errors(url: Url) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        if isinstance(error.__cause__, OSError):  # aiohttp's, of a connection; an answer such as 404 is none
            raise InputError(
                f"{printable_url(url)}: the server does not answer: {_error_text(error.__cause__)}"
            ) from None
        raise InputError(f"{printable_url(url)}: there is no such file, or it may not be seen") from None
    except DRIVER_ERRORS as error:
        said = _error_text(error).replace(url, printable_url(url))
        raise InputError(f"{printable_url(url)}: {said}") from error


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
