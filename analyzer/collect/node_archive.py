"""The archive of one node while it is written: every file with its checksum, everything missing with its reason."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import tarfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, cast

from analyzer.collect.external_tools import run_tool
from analyzer.collect.request import CollectLimits
from analyzer.collect.rights import NO_USERS, Users
from analyzer.collect.safe_open import open_file
from analyzer.collect.timeouts import call_with_timeout, iterate_with_timeout
from analyzer.redact.key_blocks import KeyBlockMasker
from analyzer.redact.memory_masking import mask_stream
from analyzer.redact.secrets import mask_text

CHUNK_BYTES = 1 << 20
READ_TIMEOUT_S = 20.0  # seconds that one read of a file may take
HEADER_NAME, MANIFEST_NAME = "00-collection.json", "manifest.json"  # sorted first among files; written last
FileRange = tuple[int, int]  # where a piece of a file begins and how long it is


class NodeArchive:
    """A tar archive that files are appended to. A source that fails raises nothing: it is listed as missing."""

    def __init__(self, stream: IO[bytes], root: str, limits: CollectLimits, redact: bool = False) -> None:
        self.root, self.limits, self.redact = root, limits, redact
        self.files: list[dict[str, object]] = []
        self.missing: list[dict[str, str]] = []
        self._sink = _ArchiveSink(stream)
        self._tar = tarfile.open(fileobj=cast(IO[bytes], self._sink), mode="w|", format=tarfile.PAX_FORMAT)  # noqa: SIM115  (finish closes it)
        self._names: set[str] = set()
        self._bytes_left = limits.max_total_bytes
        self._deadline = time.monotonic() + limits.max_seconds

    @property
    def seconds_left(self) -> float:
        """Return how many seconds of the time limit are left."""
        return max(0.0, self._deadline - time.monotonic())

    @property
    def bytes_left(self) -> int:
        """Return how many more bytes may be added."""
        return self._bytes_left

    def add_missing(self, what: str, reason: str) -> None:
        """List something that could not be collected, with the reason."""
        self.missing.append({"what": what, "reason": reason})

    def add_bytes(self, name: str, data: bytes | str, origin: str, bounded: bool = True) -> None:
        """Add a small file. `origin` says where it comes from. Only a `bounded` one counts against the size limit."""
        raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
        if self.redact and bounded:
            raw = b"".join(_mask_chunks([raw]))
        if bounded and len(raw) > self._bytes_left:
            self.add_missing(origin, "the size limit is reached")
            return
        self._write_member(name, len(raw), iter([raw]), {"from": origin})

    def add_json(self, name: str, value: object, origin: str, bounded: bool = True) -> None:
        """Add the value as JSON. `origin` is where it comes from, for the manifest; see `add_bytes` for `bounded`."""
        self.add_bytes(name, json.dumps(value, ensure_ascii=False, indent=1) + "\n", origin, bounded)

    def add_tool_output(
        self, name: str, command: Sequence[str], timeout_s: float | None = None, origin: str | None = None
    ) -> bytes:
        """Add what a tool prints, and return it for the caller to parse."""
        origin = origin or " ".join(command)
        if self.seconds_left <= 0:
            self.add_missing(origin, "the time limit is reached")
            return b""
        result = run_tool(command, self.limits, min(timeout_s or self.limits.tool_timeout_s, self.seconds_left))
        if result.problem:
            self.add_missing(origin, result.problem)
        if result.output.strip():
            self.add_bytes(name, result.output, origin)
        elif not result.problem:
            self.add_missing(origin, "its output is empty")
        return result.output

    def add_path(self, name: str, path: Path, text: bool = True, users: Users = NO_USERS) -> None:
        """Add a whole file. `users`: the users who control the path (`safe_open`)."""
        try:
            with call_with_timeout(lambda: open_file(path, users), READ_TIMEOUT_S) as file:
                self.add_file(name, path, file, text=text)
        except OSError as error:
            self.add_missing(str(path), error.strerror or str(error))

    def add_file(
        self,
        name: str,
        path: Path,
        file: IO[bytes],
        ranges: Sequence[FileRange] | None = None,
        text: bool = True,
        header: bytes = b"",
        secrets: Sequence[bytes] = (),
    ) -> None:
        """Add an open file, or `header` and ranges of it in order, with asterisks where one of `secrets` stands.

        With `redact`, secrets in text are masked too. `path` is the file's name in the manifest.
        """
        status = os.fstat(file.fileno())
        wanted_ranges = ranges if ranges is not None else [(0, status.st_size)]
        size = len(header) + sum(length for _, length in wanted_ranges)
        if size > self._bytes_left or self.seconds_left <= 0:
            self.add_missing(
                str(path), f"{size} bytes exceed the size limit" if self.seconds_left else "no time is left"
            )
            return
        entry: dict[str, object] = {"from": str(path), "size_there": status.st_size}
        if ranges is not None:
            entry["pieces"] = [list(piece) for piece in ranges]
        try:
            if self.redact and text:
                data = b"".join(_mask_chunks(iterate_with_timeout(_read_ranges(file, wanted_ranges), READ_TIMEOUT_S)))
                self._write_member(name, len(data), iter([data]), entry, status.st_mtime)
            else:
                chunks: Iterator[bytes] = itertools.chain([header] if header else [], _read_ranges(file, wanted_ranges))
                if secrets:
                    chunks, entry["masked"] = mask_stream(chunks, secrets), len(secrets)
                self._write_member(name, size, iterate_with_timeout(chunks, READ_TIMEOUT_S), entry, status.st_mtime)
        except OSError as error:
            self.add_missing(str(path), error.strerror or str(error))

    def abandon(self) -> None:
        """Discard what tarfile still holds: it writes once more when it is deleted."""
        self._sink.closed = True

    def finish(self, header: dict[str, object]) -> None:
        """Write the manifest. The archive is complete with it and incomplete without."""
        self.add_json(
            MANIFEST_NAME, {**header, "files": self.files, "lacking": self.missing}, "the collector", bounded=False
        )
        self._tar.close()

    def _write_member(
        self, name: str, size: int, chunks: Iterator[bytes], details: dict[str, object], mtime: float | None = None
    ) -> None:
        name = self._unique_name(name)
        first = next(chunks, b"")  # raises before anything is written where the file cannot be read
        info = tarfile.TarInfo(f"{self.root}/{name}")
        info.size, info.mtime, info.mode = size, int(time.time() if mtime is None else mtime), 0o640
        source = _ExactSizeReader(self._chunks_until_deadline(first, chunks), size)
        self._tar.addfile(info, source)
        self._bytes_left -= size
        entry = {"name": name, "size": size, "sha256": source.digest.hexdigest(), **details}
        if source.lost_bytes:
            entry["lost"] = source.lost_bytes
            self.add_missing(
                str(details["from"]), f"{source.lost_bytes} bytes at its end could not be read: {source.problem}"
            )
        self.files.append(entry)

    def _chunks_until_deadline(self, first: bytes, later_chunks: Iterator[bytes]) -> Iterator[bytes]:
        yield first
        for chunk in later_chunks:
            if self.seconds_left <= 0:
                raise TimeoutError("the time limit is reached")
            yield chunk

    def _unique_name(self, name: str) -> str:
        """Return the name, in a numbered folder if the archive has one of that name already."""
        folder, _, last = name.rpartition("/")
        number = 1
        while name in self._names:
            number += 1
            name = f"{folder}/{number}/{last}" if folder else f"{number}/{last}"
        self._names.add(name)
        return name


class ArchiveError(Exception):
    """The archive itself cannot be written. Only this ends a collection."""


class _ArchiveSink:
    """Distinguish an error of the archive from an error of the files that go into it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.closed = False

    def write(self, data: bytes) -> int:
        if self.closed:
            return len(data)
        try:
            return self._stream.write(data)
        except OSError as error:
            raise ArchiveError(error.strerror or str(error)) from error


class _ExactSizeReader:
    """A stream of exactly `size` bytes, as tar needs it. A log that shrinks meanwhile is filled up with line feeds."""

    def __init__(self, chunks: Iterator[bytes], size: int) -> None:
        self._chunks, self._bytes_left = chunks, size
        self._buffer = b""
        self.digest = hashlib.sha256()
        self.lost_bytes = 0
        self.problem = ""

    def read(self, size: int = -1) -> bytes:
        wanted = self._bytes_left if size < 0 else min(size, self._bytes_left)
        while len(self._buffer) < wanted and not self.lost_bytes:
            try:
                self._buffer += next(self._chunks)
            except (StopIteration, OSError) as error:
                self.lost_bytes = self._bytes_left - len(self._buffer)
                self.problem = str(error) or "it shrank while it was read"
        data, self._buffer = self._buffer[:wanted], self._buffer[wanted:]
        data += b"\n" * (wanted - len(data))
        self._bytes_left -= len(data)
        self.digest.update(data)
        return data


def _read_ranges(file: IO[bytes], ranges: Iterable[FileRange]) -> Iterator[bytes]:
    for start, length in ranges:
        file.seek(start)
        while length > 0 and (data := file.read(min(CHUNK_BYTES, length))):
            length -= len(data)
            yield data


def _mask_chunks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Mask secrets line by line, so that none is cut by the end of a chunk. The lines of a private key are masked as a
    block.
    """
    keys = KeyBlockMasker()
    partial_line = b""
    for chunk in chunks:
        lines, end, partial_line = (partial_line + chunk).rpartition(b"\n")
        yield _mask_lines(keys.mask(lines + end))
    yield _mask_lines(keys.mask(partial_line))


def _mask_lines(lines: bytes) -> bytes:
    return b"\n".join(
        mask_text(line.decode("utf-8", "replace")).encode("utf-8", "replace") for line in lines.split(b"\n")
    )
