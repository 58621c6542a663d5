"""The archive of one node while it is filled: every file with its checksum, every lack with its reason."""

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

from analyzer.collect.commands import ask
from analyzer.collect.patience import wait_for, with_patience
from analyzer.collect.reach import open_file
from analyzer.collect.rights import NO_USERS, Users
from analyzer.collect.wish import Bounds
from analyzer.redact.blocks import KeyBlocks
from analyzer.redact.memory import mask_stream
from analyzer.redact.secrets import mask_text

CHUNK = 1 << 20
SLOW = 20.0  # seconds that one read of a file may take
BEGIN, END = "00-collection.json", "manifest.json"  # sorted first among files; written last
Piece = tuple[int, int]  # where a piece of a file begins and how long it is


class Parcel:
    """Files go in one behind the other. Nothing here raises for what a source does: that is a lack."""

    def __init__(self, stream: IO[bytes], root: str, bounds: Bounds, redact: bool = False) -> None:
        self.root, self.bounds, self.redact = root, bounds, redact
        self.files: list[dict[str, object]] = []
        self.lacking: list[dict[str, str]] = []
        self._sink = _Sink(stream)
        self._tar = tarfile.open(fileobj=cast(IO[bytes], self._sink), mode="w|", format=tarfile.PAX_FORMAT)  # noqa: SIM115  (finish closes it)
        self._names: set[str] = set()
        self._left = bounds.size
        self._deadline = time.monotonic() + bounds.seconds

    @property
    def seconds_left(self) -> float:
        return max(0.0, self._deadline - time.monotonic())

    @property
    def room(self) -> int:
        """Bytes that may still go in."""
        return self._left

    def lack(self, what: str, reason: str) -> None:
        self.lacking.append({"what": what, "reason": reason})

    def add(self, name: str, data: bytes | str, origin: str, bounded: bool = True) -> None:
        """A small file. `origin` says where it comes from."""
        raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
        if self.redact and bounded:
            raw = b"".join(_masked([raw]))
        if bounded and len(raw) > self._left:
            self.lack(origin, "the size limit is reached")
            return
        self._store(name, len(raw), iter([raw]), {"from": origin})

    def add_json(self, name: str, value: object, origin: str, bounded: bool = True) -> None:
        self.add(name, json.dumps(value, ensure_ascii=False, indent=1) + "\n", origin, bounded)

    def add_answer(
        self, name: str, command: Sequence[str], seconds: float | None = None, origin: str | None = None
    ) -> bytes:
        """What a tool prints; its output for whoever wants to read on in it."""
        origin = origin or " ".join(command)
        if self.seconds_left <= 0:
            self.lack(origin, "the time limit is reached")
            return b""
        answer = ask(command, self.bounds, min(seconds or self.bounds.command, self.seconds_left))
        if answer.problem:
            self.lack(origin, answer.problem)
        if answer.output.strip():
            self.add(name, answer.output, origin)
        elif not answer.problem:
            self.lack(origin, "it printed nothing")
        return answer.output

    def add_path(self, name: str, path: Path, text: bool = True, users: Users = NO_USERS) -> None:
        """A file as a whole. `users`: who else had a say in the path (`reach`)."""
        try:
            with wait_for(lambda: open_file(path, users), SLOW) as file:
                self.add_file(name, path, file, text=text)
        except OSError as error:
            self.lack(str(path), error.strerror or str(error))

    def add_file(
        self,
        name: str,
        path: Path,
        file: IO[bytes],
        pieces: Sequence[Piece] | None = None,
        text: bool = True,
        head: bytes = b"",
        secrets: Sequence[bytes] = (),
    ) -> None:
        """An open file, or `head` and pieces of it in order, with asterisks where one of `secrets` stands.

        With `redact`, text loses what looks like a secret too. `path` is what the manifest calls it.
        """
        status = os.fstat(file.fileno())
        wanted = pieces if pieces is not None else [(0, status.st_size)]
        size = len(head) + sum(length for _, length in wanted)
        if size > self._left or self.seconds_left <= 0:
            self.lack(str(path), f"{size} bytes are over the size limit" if self.seconds_left else "no time is left")
            return
        about: dict[str, object] = {"from": str(path), "size_there": status.st_size}
        if pieces is not None:
            about["pieces"] = [list(piece) for piece in pieces]
        try:
            if self.redact and text:
                data = b"".join(_masked(with_patience(_read(file, wanted), SLOW)))
                self._store(name, len(data), iter([data]), about, status.st_mtime)
            else:
                chunks: Iterator[bytes] = itertools.chain([head] if head else [], _read(file, wanted))
                if secrets:
                    chunks, about["masked"] = mask_stream(chunks, secrets), len(secrets)
                self._store(name, size, with_patience(chunks, SLOW), about, status.st_mtime)
        except OSError as error:
            self.lack(str(path), error.strerror or str(error))

    def give_up(self) -> None:
        """What tarfile still holds goes nowhere: it writes once more when it is forgotten."""
        self._sink.closed = True

    def finish(self, said: dict[str, object]) -> None:
        """Writes the manifest; the archive is complete with it and incomplete without."""
        self.add_json(END, {**said, "files": self.files, "lacking": self.lacking}, "the collector", bounded=False)
        self._tar.close()

    def _store(
        self, name: str, size: int, chunks: Iterator[bytes], about: dict[str, object], mtime: float | None = None
    ) -> None:
        name = self._claim(name)
        first = next(chunks, b"")  # raises before anything is written where the file cannot be read
        info = tarfile.TarInfo(f"{self.root}/{name}")
        info.size, info.mtime, info.mode = size, int(time.time() if mtime is None else mtime), 0o640
        source = _Exact(self._chain(first, chunks), size)
        self._tar.addfile(info, source)
        self._left -= size
        entry = {"name": name, "size": size, "sha256": source.digest.hexdigest(), **about}
        if source.lost:
            entry["lost"] = source.lost
            self.lack(str(about["from"]), f"{source.lost} bytes at its end could not be read: {source.problem}")
        self.files.append(entry)

    def _chain(self, first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
        yield first
        for chunk in rest:
            if self.seconds_left <= 0:
                raise TimeoutError("the time limit is reached")
            yield chunk

    def _claim(self, name: str) -> str:
        """A second file of the same name goes into a numbered folder."""
        folder, _, last = name.rpartition("/")
        number = 1
        while name in self._names:
            number += 1
            name = f"{folder}/{number}/{last}" if folder else f"{number}/{last}"
        self._names.add(name)
        return name


class ArchiveError(Exception):
    """The archive itself cannot be written: the one thing that ends a collection."""


class _Sink:
    """Tells an error of the archive from one of the files that go into it."""

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


class _Exact:
    """A stream of exactly `size` bytes, as tar wants it: a log that shrinks meanwhile is filled up with line feeds."""

    def __init__(self, chunks: Iterator[bytes], size: int) -> None:
        self._chunks, self._left = chunks, size
        self._rest = b""
        self.digest = hashlib.sha256()
        self.lost = 0
        self.problem = ""

    def read(self, size: int = -1) -> bytes:
        wanted = self._left if size < 0 else min(size, self._left)
        while len(self._rest) < wanted and not self.lost:
            try:
                self._rest += next(self._chunks)
            except (StopIteration, OSError) as error:
                self.lost = self._left - len(self._rest)
                self.problem = str(error) or "it became shorter"
        data, self._rest = self._rest[:wanted], self._rest[wanted:]
        data += b"\n" * (wanted - len(data))
        self._left -= len(data)
        self.digest.update(data)
        return data


def _read(file: IO[bytes], pieces: Iterable[Piece]) -> Iterator[bytes]:
    for start, length in pieces:
        file.seek(start)
        while length > 0 and (data := file.read(min(CHUNK, length))):
            length -= len(data)
            yield data


def _masked(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Line by line, so that no secret hides behind the end of a chunk; of a private key each line is one."""
    keys = KeyBlocks()
    rest = b""
    for chunk in chunks:
        lines, end, rest = (rest + chunk).rpartition(b"\n")
        yield _mask(keys.mask(lines + end))
    yield _mask(keys.mask(rest))


def _mask(lines: bytes) -> bytes:
    return b"\n".join(
        mask_text(line.decode("utf-8", "replace")).encode("utf-8", "replace") for line in lines.split(b"\n")
    )
