"""The header and manifest that `tf-postmortem collect` writes for each node: completeness, checksums, clock readings.

A node's archive is a folder that holds 00-collection.json (written first) and manifest.json (written last). Once the
header of a folder was seen, the files below it are hashed while they are read, so that they can be compared with the
SHA-256 sums of the manifest. Nothing is read twice.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from analyzer.bundle.peek import SupportsRead
from analyzer.facts.fact_files import TF_CONFIG_SIGNAL
from analyzer.model import Event, Kind, Locus
from analyzer.reading.source_result import SourceResult
from analyzer.untrusted.documents import MalformedError, read_json
from analyzer.wording import join_names

CLOCK_SIGNAL = "file.clock"  # feeds `clock`
HEADER_FILE, MANIFEST_FILE = "00-collection.json", "manifest.json"
MAX_MANIFEST_BYTES = 16 << 20  # enough for some ten thousand files
_COMPRESSED = re.compile(
    r"\.(?:gz|zst|zstd|xz|bz2|lz4|z)$", re.I
)  # the stream holds the decompressed bytes: no checksum
# Reasons that a collection gives for what such a machine need not have, or for what the user did not ask for.
_EXPECTED_REASONS = ("not installed", "not there", "no such file", "it printed nothing", "not changed since")
MAX_NUMBER = 1e15  # of bytes; seconds since the epoch are far fewer
MAX_NAMED_ITEMS = 5  # in one note
Json = Mapping[str, Any]


@dataclass(slots=True)
class _StreamDigest:
    """Size in bytes and SHA-256 of what was read of one file."""

    size: int = 0
    digest: Any = field(default_factory=hashlib.sha256)

    def differs_from(self, entry: Json) -> bool:
        """Whether what was read contradicts the manifest's entry.

        A reader may stop early, as the core reader does. Fewer bytes than the entry states prove nothing.
        """
        size = _read_number(entry.get("size")) or 0
        return self.size > size or (self.size == size and self.digest.hexdigest() != entry.get("sha256"))


def is_collection_file(path: str) -> bool:
    """Whether the file is named like a collection's header or manifest."""
    return path.rpartition("/")[2] in (HEADER_FILE, MANIFEST_FILE)


@dataclass(slots=True)
class CollectionManifests:
    """Headers and manifests of all nodes' archives, and the checksums of the files below them.

    Every member of the bundle passes through `verify_stream` on its way to the reader.
    """

    headers: dict[str, Json] = field(default_factory=dict)  # by folder, with a final "/"
    manifests: dict[str, Json] = field(default_factory=dict)
    _digests: dict[str, _StreamDigest] = field(default_factory=dict)

    def verify_stream(self, path: str, stream: SupportsRead) -> SupportsRead:
        """Return the stream, wrapped so that it is hashed if a manifest is expected to list it."""
        if any(path.startswith(folder) for folder in self.headers) and not _COMPRESSED.search(path):
            return _HashingReader(stream, self._digests.setdefault(path, _StreamDigest()))
        return stream

    def read_collection_file(self, path: str, raw: bytes, mtime: float | None) -> SourceResult | None:
        """Return a header or manifest as a source with its host and clock readings; None if the file is neither.

        Its lines are not read as a log: what the collector could not get would look like errors of the job.
        """
        folder, name = path[: path.rfind("/") + 1], path.rpartition("/")[2]
        document = _load_collection(raw.decode("utf-8", "replace"))
        if document is None:
            return None
        (self.headers if name == HEADER_FILE else self.manifests)[folder] = document
        result = SourceResult(file=path, kind=Kind.ENVIRONMENT, mtime=mtime, bytes=len(raw), lines=raw.count(b"\n"))
        result.streams[""] = 1
        host = document.get("host")
        if isinstance(host, str) and host:
            result.events.append(
                Event(
                    TF_CONFIG_SIGNAL,
                    Locus(path, 1),
                    f"collected on {host}",
                    kind=Kind.ENVIRONMENT,
                    captures={"host": host},
                )
            )
            result.stamps.append(())
        _read_clocks(document, result)
        return result

    def notes(self) -> Iterator[str]:
        """Yield a sentence for each problem of the nodes' archives."""
        for folder, header in self.headers.items():
            if folder not in self.manifests:
                yield (
                    f"the collection of {header.get('host')} is incomplete: it has no {MANIFEST_FILE}, which the "
                    "collector writes last; the archive was cut off or the collector was stopped"
                )
        for hosts in self._hosts_with_same_boot():
            yield (
                f"the collections of {join_names(hosts, MAX_NAMED_ITEMS)} come from one machine and share its kernel "
                "log: a kernel message about a process may belong to any of them"
            )
        for folder, manifest in self.manifests.items():
            yield from self._compare_files(folder, manifest)
            yield from _describe_missing_facts(manifest)

    def _hosts_with_same_boot(self) -> Iterator[list[str]]:
        by_boot: dict[str, set[str]] = {}
        for manifest in self.manifests.values():
            if manifest.get("boot_id"):
                by_boot.setdefault(str(manifest["boot_id"]), set()).add(str(manifest.get("host")))
        yield from (sorted(hosts) for hosts in by_boot.values() if len(hosts) > 1)

    def _compare_files(self, folder: str, manifest: Json) -> Iterator[str]:
        missing, differing = [], []
        for entry in _file_entries(manifest):
            name = str(entry.get("name"))
            digest = self._digests.get(folder + name)
            if folder not in self.headers or name == HEADER_FILE or _COMPRESSED.search(name):
                continue
            if digest is None:
                missing.append(name)
            elif digest.differs_from(entry):
                differing.append(name)
        host = manifest.get("host")
        if missing:
            names = join_names(missing, MAX_NAMED_ITEMS)
            yield f"the collection of {host} is incomplete: the bundle lacks {names} of its manifest"
        if differing:
            names = join_names(differing, MAX_NAMED_ITEMS)
            yield f"the collection of {host} was changed: {names} differs from its manifest"


class _HashingReader:
    """Passes a stream's bytes on and hashes them."""

    def __init__(self, inner: SupportsRead, digest: _StreamDigest) -> None:
        self._inner, self._digest = inner, digest

    def read(self, size: int = -1, /) -> bytes:
        data = self._inner.read(size)
        self._digest.size += len(data)
        self._digest.digest.update(data)
        return data


def _load_collection(text: str) -> Json | None:
    try:
        document = read_json(text)
    except MalformedError:
        return None
    return document if isinstance(document, dict) and document.get("collection") == 1 else None


def _file_entries(manifest: Json) -> list[Json]:
    files = manifest.get("files")
    return [entry for entry in files if isinstance(entry, dict)] if isinstance(files, list) else []


def _describe_missing_facts(manifest: Json) -> Iterator[str]:
    listed = manifest.get("lacking")
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    missing = [
        f"{entry.get('what')} ({entry.get('reason')})"
        for entry in entries
        if not str(entry.get("reason", "")).lower().startswith(_EXPECTED_REASONS)
    ]
    if missing:
        yield f"the collector on {manifest.get('host')} could not get {join_names(missing, MAX_NAMED_ITEMS)}"


def _read_clocks(document: Json, result: SourceResult) -> None:
    """Set the boot time, the zone and the clock event of `result` from a header or manifest.

    The kernel's log counts from wall clock minus CLOCK_MONOTONIC, because printk's clock stops in suspend too.
    """
    clocks = document.get("end") or document.get("begin")
    if not isinstance(clocks, dict):
        return
    wall, monotonic, zone = (_read_number(clocks.get(name)) for name in ("wall", "monotonic", "zone"))
    if wall is not None and monotonic is not None:
        result.boot_time = wall - monotonic
        if zone is not None:
            result.zones.append((wall + zone, wall))
    sync = document.get("sync")
    error = _read_number(sync.get("max_error")) if isinstance(sync, dict) and sync.get("synchronized") is True else None
    if error is not None:
        captures = {"ahead": "0 s", "within": f"{error:.6f} s", "daemon": "the kernel's clock discipline"}
        text = f"the kernel says that its clock is synchronized within {error:.6f} s"
        result.events.append(Event(CLOCK_SIGNAL, Locus(result.file, 1), text, kind=Kind.ENVIRONMENT, captures=captures))
        result.stamps.append(())


def _read_number(value: object) -> float | None:
    """Return a JSON value as a float; None for NaN, infinities and integers too large to be a time or a size."""
    return float(value) if isinstance(value, int | float) and abs(value) < MAX_NUMBER else None
