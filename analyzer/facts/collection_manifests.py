"""What `tf-postmortem collect` says of a node's part: whether it is complete, and what the node's clocks read.

A part is a folder with 00-collection.json (written first) and manifest.json (written last) in it. Files below a folder
whose beginning was seen are checked against the manifest's SHA-256 while they pass by: nothing is read twice.
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
MAX_MANIFEST_BYTES = 16 << 20  # bytes of a manifest: some ten thousand files
_COMPRESSED = re.compile(r"\.(?:gz|zst|zstd|xz|bz2|lz4|z)$", re.I)  # a member's stream is what they hold
# reasons that say only that a machine is not another, or what was asked for
_EXPECTED_REASONS = ("not installed", "not there", "no such file", "it printed nothing", "not changed since")
MAX_NUMBER = 1e15  # bytes; seconds are far fewer
MAX_NAMED_ITEMS = 5  # files or lacks that a note names
Json = Mapping[str, Any]


@dataclass(slots=True)
class _StreamDigest:
    size: int = 0
    digest: Any = field(default_factory=hashlib.sha256)

    def differs_from(self, entry: Json) -> bool:
        """A reader may stop early (the core reader does): what it did not read says nothing."""
        size = _read_number(entry.get("size")) or 0
        return self.size > size or (self.size == size and self.digest.hexdigest() != entry.get("sha256"))


def is_collection_file(path: str) -> bool:
    """Whether the file's name is that of a part's beginning or end."""
    return path.rpartition("/")[2] in (HEADER_FILE, MANIFEST_FILE)


@dataclass(slots=True)
class CollectionManifests:
    """Sees every member of the bundle on its way to the reader."""

    headers: dict[str, Json] = field(default_factory=dict)  # by folder, which ends in "/"
    manifests: dict[str, Json] = field(default_factory=dict)
    _digests: dict[str, _StreamDigest] = field(default_factory=dict)

    def verify_stream(self, path: str, stream: SupportsRead) -> SupportsRead:
        """The same stream; hashed on its way where a manifest will ask for it."""
        if any(path.startswith(folder) for folder in self.headers) and not _COMPRESSED.search(path):
            return _HashingReader(stream, self._digests.setdefault(path, _StreamDigest()))
        return stream

    def read_collection_file(self, path: str, raw: bytes, mtime: float | None) -> SourceResult | None:
        """The beginning or the end of a part as a source: its clocks and its host. None: it is another's file.

        Its lines are no log: what the collector could not get would look like errors of the job.
        """
        folder, name = path[: path.rfind("/") + 1], path.rpartition("/")[2]
        said = _load_collection(raw.decode("utf-8", "replace"))
        if said is None:
            return None
        (self.headers if name == HEADER_FILE else self.manifests)[folder] = said
        result = SourceResult(path, Kind.ENVIRONMENT, mtime, len(raw), raw.count(b"\n"))
        result.streams[""] = 1
        host = said.get("host")
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
        _read_clocks(said, result)
        return result

    def notes(self) -> Iterator[str]:
        """What is wrong with the parts, in sentences."""
        for folder, said in self.headers.items():
            if folder not in self.manifests:
                yield (
                    f"the part of {said.get('host')} is incomplete: it has no {MANIFEST_FILE}, which the collector writes last; "
                    "the archive was cut off or the collector was stopped"
                )
        for hosts in self._hosts_with_same_boot():
            yield (
                f"the parts of {join_names(hosts, MAX_NAMED_ITEMS)} come from one machine and share its kernel log: what the kernel says "
                "of a process may belong to any of them"
            )
        for folder, manifest in self.manifests.items():
            yield from self._compare_files(folder, manifest)
            yield from _describe_missing_facts(manifest)

    def _hosts_with_same_boot(self) -> Iterator[list[str]]:
        by_boot: dict[str, set[str]] = {}
        for said in self.manifests.values():
            if said.get("boot_id"):
                by_boot.setdefault(str(said["boot_id"]), set()).add(str(said.get("host")))
        yield from (sorted(hosts) for hosts in by_boot.values() if len(hosts) > 1)

    def _compare_files(self, folder: str, manifest: Json) -> Iterator[str]:
        missing, differing = [], []
        for entry in _file_entries(manifest):
            name = str(entry.get("name"))
            passed = self._digests.get(folder + name)
            if folder not in self.headers or name == HEADER_FILE or _COMPRESSED.search(name):
                continue
            if passed is None:
                missing.append(name)
            elif passed.differs_from(entry):
                differing.append(name)
        host = manifest.get("host")
        if missing:
            yield f"the part of {host} is incomplete: {join_names(missing, MAX_NAMED_ITEMS)} stood in its manifest and is not in the bundle"
        if differing:
            yield f"the part of {host} is not as it was collected: {join_names(differing, MAX_NAMED_ITEMS)} differs from its manifest"


class _HashingReader:
    def __init__(self, inner: SupportsRead, passed: _StreamDigest) -> None:
        self._inner, self._digest = inner, passed

    def read(self, size: int = -1, /) -> bytes:
        data = self._inner.read(size)
        self._digest.size += len(data)
        self._digest.digest.update(data)
        return data


def _load_collection(text: str) -> Json | None:
    try:
        said = read_json(text)
    except MalformedError:
        return None
    return said if isinstance(said, dict) and said.get("collection") == 1 else None


def _file_entries(manifest: Json) -> list[Json]:
    found = manifest.get("files")
    return [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []


def _describe_missing_facts(manifest: Json) -> Iterator[str]:
    found = manifest.get("lacking")
    lacks = [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
    told = [
        f"{entry.get('what')} ({entry.get('reason')})"
        for entry in lacks
        if not str(entry.get("reason", "")).lower().startswith(_EXPECTED_REASONS)
    ]
    if told:
        yield f"the collector on {manifest.get('host')} could not get {join_names(told, MAX_NAMED_ITEMS)}"


def _read_clocks(said: Json, result: SourceResult) -> None:
    """Wall clock less CLOCK_MONOTONIC is when the kernel's log counts from (printk's clock stops in suspend too)."""
    clocks = said.get("end") or said.get("begin")
    if not isinstance(clocks, dict):
        return
    wall, monotonic, zone = (_read_number(clocks.get(name)) for name in ("wall", "monotonic", "zone"))
    if wall is not None and monotonic is not None:
        result.boot_time = wall - monotonic
        if zone is not None:
            result.zones.append((wall + zone, wall))
    sync = said.get("sync")
    error = _read_number(sync.get("max_error")) if isinstance(sync, dict) and sync.get("synchronized") is True else None
    if error is not None:
        captures = {"ahead": "0 s", "within": f"{error:.6f} s", "daemon": "the kernel's clock discipline"}
        text = f"the kernel says that its clock is synchronized within {error:.6f} s"
        result.events.append(Event(CLOCK_SIGNAL, Locus(result.file, 1), text, kind=Kind.ENVIRONMENT, captures=captures))
        result.stamps.append(())


def _read_number(value: object) -> float | None:
    """JSON may hold 1e999, NaN and whole numbers of any length: none of them is a time or a size."""
    return float(value) if isinstance(value, int | float) and abs(value) < MAX_NUMBER else None
