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
from analyzer.bundle.stream import Stream
from analyzer.bundle.types import DamageError
from analyzer.bundle.web import SentOnError, is_web, list_pages, web_options
from analyzer.errors import InputError, UsageError

Url = NewType("Url", str)
Input = Path | Url

BLOCK = 8 << 20  # bytes of one request; the next block is fetched while this one is read
ONCE = 256 * 1024  # bytes that are asked for at once: so many are lost where a transfer breaks
BLOCKS = 4  # that are kept in memory
PATIENCE, SLOWEST = 300.0, 1000  # seconds after which a transfer of fewer bytes a second is given up
NO_RANGES = "the server gives no byte ranges: it was read in one go, and a transfer that breaks cannot go on"
_URL = re.compile(r"[a-z][a-z0-9+.-]+(?:::[a-z][a-z0-9+.-]+)*://", re.IGNORECASE)
_PACKAGES = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "abfs": "adlfs",
    "az": "adlfs",
    "hdfs": "hdfs-native",
}
FAILURES = Exception  # drivers are other people's code, and each raises what it likes
_TIMES = ("mtime", "LastModified", "last_modified", "modified", "updated", "created")


@dataclass(frozen=True, slots=True)
class Remote:
    """A file that was listed or named. `size` in bytes and `mtime` in seconds UTC as far as the listing states them.

    `path`: what the driver calls it, without the host or account that it takes from `url`; empty: as `url` says.
    """

    url: Url
    path: str = ""
    size: int | None = None
    mtime: float | None = None
    linked: bool = False  # by a page of a web server


def parse_input(text: str) -> Input:
    """`s3://bucket/logs` and the like, else a path. Raises UsageError for an empty name, which would be this folder."""
    if not text:
        raise UsageError("an input's name is empty", "a variable in the command may have no value; . is this folder")
    return Url(text) if _URL.match(text) else Path(text)


def find_local(given: Input) -> Path | None:
    """Where an input lies on this machine; None where it does not. `file://` URLs name files here."""
    if isinstance(given, Path):
        return given
    protocol, _, path = given.rpartition("::")[2].partition("://")
    return Path(unquote(path)) if protocol.lower() in ("file", "local") else None


def show_url(url: str) -> str:
    """Without what may be secret: user, password, and the signature in the query."""
    return re.sub(r"://[^/@]*@", "://", url).partition("?")[0]


def name_of(url: str) -> str:
    """Its last part, as a file would be called."""
    return unquote(urlsplit(show_url(url)).path.rstrip("/").rpartition("/")[2]) or show_url(url)


def list_remote(url: Url) -> Iterator[tuple[str, Remote]]:
    """(path below, file) of all files below a folder, sorted; of a file itself alone, whose path is empty.

    A web server's page counts as a folder where the URL ends in a slash. Raises InputError.
    """
    system, root = _open_system(url, stay=is_web(url) and url.endswith("/"))
    with _explained(url):
        info = system.info(root)
        if not _is_folder(url, info):
            yield "", Remote(url, "", info.get("size"), _mtime(info))
        elif is_web(url):
            for below, page in list_pages(system, root):
                yield below, Remote(Url(page), linked=True)
        else:
            for path, found in sorted(system.find(root, detail=True).items()):
                below = path.removeprefix(root.rstrip("/")).lstrip("/")
                yield below, Remote(url, path, found.get("size"), _mtime(found))


def check_remote(url: Url) -> str | None:
    """Why nothing can be read there, or None. Raises InputError where the driver is missing."""
    system, root = _open_system(url)
    try:
        with _explained(url):
            system.info(root)
    except InputError as error:
        return error.message
    return None


@contextmanager
def open_remote(remote: Remote) -> Iterator[tuple[Any, str | None]]:
    """A binary file object, and what is to be said of how it is read. Raises OSError."""
    try:
        system, root = _open_system(remote.url, stay=remote.linked)
        path = remote.path or root
        ranges = not is_web(remote.url) or _gives_ranges(system, path)
        if not ranges:
            system, _ = _open_system(remote.url, whole=True, stay=remote.linked)
        file = system.open(path, "rb", **(_ahead(remote.url) if ranges else {"block_size": 0}))
    except InputError as error:
        raise OSError(0, error.message) from error
    except FAILURES as error:
        told = (
            error.__cause__ if isinstance(error.__cause__, SentOnError) else error
        )  # the driver says only "not found"
        raise OSError(0, _say(told)) from error
    with file:
        yield file, None if ranges else NO_RANGES


def _ahead(url: Url) -> Mapping[str, Any]:
    """HDFS's drivers read ahead by themselves, and hdfs-native breaks where it is told how much."""
    if url.lower().startswith("hdfs://"):
        return {}
    return {"block_size": BLOCK, "cache_type": "background", "cache_options": {"maxblocks": BLOCKS}}


def _gives_ranges(system: Any, path: str) -> bool:
    """Not all servers say so in their headers: the second byte is asked for. An answer with all of them is not read."""
    try:
        with system.open(path, "rb", block_size=1, cache_type="none") as file:
            file.seek(1)
            return bool(file.read(1))
    except ValueError:
        return False


def open_transfer(file: Any, size: int | None, meter: Meter) -> Stream:
    """A file object of fsspec as a stream. What a driver raises is DamageError; `size` None: not stated."""

    def take(count: int) -> None:
        if size is None:
            meter.count_input(count)
        meter.take(count)

    started, ended = time.monotonic(), False

    def give(count: int) -> bytes:
        nonlocal ended
        if ended:  # to ask once more is an error for some drivers
            return b""
        try:
            data: bytes = file.read(min(count, ONCE))
        except FAILURES as error:
            raise DamageError(f"the transfer stopped: {_say(error)}") from error
        if not data and size is not None and (lost := size - file.tell()) > 0:
            raise DamageError(f"the transfer ended {lost:,} bytes too early")
        if data and (seconds := time.monotonic() - started) > PATIENCE and file.tell() < SLOWEST * seconds:
            raise DamageError(f"the transfer was given up: {file.tell():,} bytes in {seconds:,.0f} s")
        ended = not data
        take(len(data))
        return data

    def jump(count: int) -> bool:
        if size is None or count < BLOCK or file.tell() + count > size:
            return False
        try:
            file.seek(count, io.SEEK_CUR)
        except FAILURES:  # reading it is slower and as good
            return False
        take(count)
        return True

    if size is not None:
        meter.count_input(size)
    return Stream(give, jump, size)


def _open_system(url: Url, whole: bool = False, stay: bool = False) -> tuple[Any, str]:
    """fsspec's file system and the path within. Raises InputError where one of the two packages is missing."""
    protocol = url.partition(":")[0].lower()
    try:
        core = importlib.import_module("fsspec.core")
    except ImportError:
        raise InputError(f"{protocol}:// inputs need fsspec", "pip install 'tf-postmortem[remote]'") from None
    try:
        system, path = core.url_to_fs(url, **(web_options(whole, stay) if is_web(url) else {}))
    except ImportError as error:
        package = _PACKAGES.get(protocol)
        hint = f"pip install {package}" if package else "pip install 'tf-postmortem[remote]'"
        raise InputError(f"{protocol}:// inputs need a driver: {error}", hint) from None
    except (ConnectionError, TimeoutError) as error:  # FTP's driver connects at once
        raise InputError(f"{show_url(url)}: the server does not answer: {_say(error)}") from None
    except FAILURES as error:
        raise InputError(
            f"{show_url(url)}: {_say(error)}", "give a path, or a URL that fsspec has a driver for"
        ) from None
    return system, path


def _say(error: BaseException) -> str:
    """Without the number that Python puts before a system's error."""
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


@contextmanager
def _explained(url: Url) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        if isinstance(error.__cause__, OSError):  # aiohttp's, of a connection; an answer such as 404 is none
            raise InputError(f"{show_url(url)}: the server does not answer: {_say(error.__cause__)}") from None
        raise InputError(f"{show_url(url)}: there is no such file, or it may not be seen") from None
    except FAILURES as error:
        said = _say(error).replace(url, show_url(url))
        raise InputError(f"{show_url(url)}: {said}") from error


def _is_folder(url: Url, info: Mapping[str, Any]) -> bool:
    return url.endswith("/") if is_web(url) else info.get("type") == "directory"


def _mtime(info: Mapping[str, Any]) -> float | None:
    for name in _TIMES:
        value = info.get(name)
        if isinstance(value, datetime):
            return value.timestamp()
        if isinstance(value, int | float) and value > 0:
            return float(value)
    return None
