"""Reading members: each file is a core, a fact file, samples, a log, or named as not readable."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.bundle import STOPPED_REASON, BundleLimits, InputFile, Loss, Member, open_input_files
from analyzer.bundle.documents import (
    SOURCE_HEAD_BYTES,
    describe_document,
    describe_settings_text,
    describe_source_code,
)
from analyzer.bundle.own_outputs import describe_own_output
from analyzer.bundle.unsupported import HEAD_BYTES, describe_unsupported
from analyzer.core_dump import CoreDump
from analyzer.core_store import CoreStore, StoredCore
from analyzer.cores import is_apport, is_core
from analyzer.engine.event_budget import EventBudget, new_event_budget
from analyzer.engine.monitor import ProgressMonitor, StreamObserver
from analyzer.engine.parts import unread_source
from analyzer.engine.shards import ONLY_SHARD, ArchiveWalk, Shard, WalkLog
from analyzer.facts.address_tables import read_host_lines, read_noted_hosts
from analyzer.facts.boot_time import is_boot_file, read_boot_time
from analyzer.facts.collection_manifests import MAX_MANIFEST_BYTES, CollectionManifests, is_collection_file
from analyzer.facts.fact_files import (
    SMALL_FILE_BYTES,
    assign_to_pods,
    is_fact_file,
    is_large_fact_file,
    read_fact_events,
    read_pod_events,
)
from analyzer.facts.kubectl_describe import read_described_pods
from analyzer.facts.listed_hosts import read_listed_hosts
from analyzer.facts.pod_listings import MAX_LISTING_BYTES, Pod, may_list_pods, read_pods
from analyzer.facts.pod_tables import read_pod_table
from analyzer.facts.settings import read_settings
from analyzer.formats.unwrap import decode_plain_text
from analyzer.model import Kind, Source, SourceStatus
from analyzer.reading import Peekable, ReadPlan, SourceResult, read_source
from analyzer.reading.settings_texts import keep_settings
from analyzer.reading.source_results import SourceResults
from analyzer.samples import is_sample_file, read_samples
from analyzer.scratch import scratch_folder
from analyzer.untrusted.documents import MalformedError

HASH_CHUNK_BYTES = 1 << 20  # bytes read at a time of members that are only checksummed, for the collector's manifest
_log = logging.getLogger("analyzer.engine")


@dataclass(slots=True)
class IngestResult:
    """Everything that was read, before the sources are assembled to one timeline."""

    results: SourceResults = field(default_factory=SourceResults)
    cores: list[CoreDump] = field(default_factory=list)
    other_sources: list[Source] = field(default_factory=list)  # cores, losses
    notes: list[str] = field(default_factory=list)
    event_budget: EventBudget = field(default_factory=EventBudget)
    manifests: CollectionManifests = field(default_factory=CollectionManifests)  # what the collector states
    walk_log: WalkLog = field(default_factory=WalkLog)

    def add_source(self, result: SourceResult) -> None:
        """Add the result of one more source, and compact what is kept."""
        result.compact()
        if self.results.append(result):
            self.event_budget.add(self.results.with_events)
            self.results.compact()

    def finish(self) -> None:
        """Trim the events to the budget when all sources are there, and note what was left out."""
        self.event_budget.tighten_to_fit(self.results.with_events)
        self.notes += self.event_budget.describe()

    def merge(self, later: IngestResult) -> None:
        """Append what another process read. Parts are merged in the order of their files."""
        self.event_budget.tighten_to(later.event_budget.level, self.results.with_events)
        for result in later.results:
            self.add_source(result)
        self.cores += later.cores
        self.other_sources += later.other_sources
        self.notes += later.notes


def read_input_files(
    files: Iterable[InputFile | Loss],
    plan: ReadPlan,
    limits: BundleLimits,
    sysroots: Sequence[Path] = (),
    monitor: ProgressMonitor | None = None,
    scratch: Path | None = None,
    shard: Shard = ONLY_SHARD,
) -> IngestResult:
    """Read all members of `files`, or those that belong to `shard`.

    Private copies are made in a folder below `scratch`, which is removed at the end. `sysroots`: folders with binaries
    that serve to read cores. `monitor` is told of progress and may stop the reading.
    """
    walk = ArchiveWalk(shard)
    ingested = IngestResult(
        event_budget=new_event_budget(planned.signal for planned in plan.signals), walk_log=walk.log
    )
    observer = StreamObserver(monitor or ProgressMonitor())
    with scratch_folder(scratch) as folder:
        core_store = CoreStore(folder, sysroots)
        for item in open_input_files(files, limits, folder, observer):
            if isinstance(item, Loss):
                _log.debug("%s is not read: %s", item.path, item.reason)
                ingested.other_sources.append(unread_source(item))
                continue
            observer.path = item.path
            _read_member(item, plan, ingested, core_store, walk)
        with closing(core_store.read_cores()) as cores:
            while core_store.waiting and not observer.monitor.should_stop():
                _add_core(*next(cores), ingested)
        ingested.other_sources += [
            unread_source(Loss(stored.member, stored.size, STOPPED_REASON, "skipped")) for stored in core_store.waiting
        ]
    ingested.notes += [*observer.notes, *ingested.manifests.notes()]
    ingested.manifests = CollectionManifests()  # done with, and its open checksums cannot be pickled
    return ingested


def _read_member(
    member: Member, plan: ReadPlan, ingested: IngestResult, core_store: CoreStore, walk: ArchiveWalk
) -> None:
    """Classify one member by its first bytes and read it as what it is."""
    verified = ingested.manifests.verify_stream(member.path, member.stream)
    stream = Peekable(verified)
    head = stream.peek(4096)
    is_dump, is_elf = is_core(head) or is_apport(head), head.startswith(b"\x7fELF")
    is_binary = is_elf or _is_binary(head)
    may_be_image = not is_elf and (is_binary or head.startswith(b"\0"))  # disk images may begin with zeros
    longer_head = stream.peek(HEAD_BYTES) if may_be_image else head
    unsupported = describe_own_output(head, member.path) or describe_document(head)
    if unsupported is None and not is_elf:
        unsupported = describe_unsupported(longer_head, member.path, not is_binary)
    is_binary = is_binary or unsupported is not None
    if not walk.is_ours(member, is_log=not (is_dump or is_binary or is_collection_file(member.path))):
        with suppress(OSError):  # the process that reads this member reports what breaks
            while verified is not member.stream and stream.read(HASH_CHUNK_BYTES):
                pass
        return
    if is_dump:
        _log.debug("%s is a core dump", member.path)
        try:
            core_store.add_core(member, stream)
        except OSError as error:
            reason = f"it could not be kept on the scratch disk: {error.strerror or error}"
            ingested.other_sources.append(unread_source(Loss(member.path, member.size, reason)))
        for stored, core in core_store.read_over_budget():
            _add_core(stored, core, ingested)
        return
    if is_binary:
        problem = core_store.add_binary(member, stream) if is_elf else unsupported or "a binary file, not a core dump"
        _log.debug("%s is not read as text: %s", member.path, problem)
        left = member.stream.bytes_left()
        size = member.stream.position + (left or 0)
        unread = None if left is None else left + len(longer_head) - len(head)
        ingested.other_sources.append(
            Source(
                file=member.path,
                node=None,
                kind=Kind.UNKNOWN,
                bytes=size,
                status="not-understood",
                problem=problem,
                unread=unread,
            )
        )
        return
    result = read_text_member(member.path, stream, member.size, plan, ingested, member.mtime)
    result.unread = member.stream.bytes_left()
    ingested.add_source(result)
    walk.record_result()


def read_text_member(
    path: str, stream: Peekable, size: int | None, plan: ReadPlan, ingested: IngestResult, mtime: float | None = None
) -> SourceResult:
    """Read a file that is no core: a collector's manifest, resource samples, a fact file, a source or a log.

    `size`: in bytes, None if unknown. `mtime`: seconds UTC, None if unknown.
    """
    head = stream.peek(SOURCE_HEAD_BYTES)
    source, settings = describe_source_code(head, path), describe_settings_text(head, path)
    result = _read_facts_or_log(path, stream, size, plan, ingested, mtime)
    if reason := source or settings:
        _log.debug("%s is not a log but %s", path, reason)
        return keep_settings(result, plan, reason, with_facts=source is None)
    return result


def _read_facts_or_log(
    path: str, stream: Peekable, size: int | None, plan: ReadPlan, ingested: IngestResult, mtime: float | None
) -> SourceResult:
    if is_collection_file(path) and (
        result := ingested.manifests.read_collection_file(path, stream.peek(MAX_MANIFEST_BYTES), mtime)
    ):
        _log.debug("%s is a file of the collector", path)
        return result
    if is_sample_file(head := stream.peek(4096)):
        _log.debug("%s holds resource samples", path)
        return read_samples(path, stream, mtime, head)
    if size is None:  # compressed
        size = len(stream.peek(SMALL_FILE_BYTES + 1))
    if size <= SMALL_FILE_BYTES or is_large_fact_file(path, size):
        return _read_small_file(path, stream, plan, ingested, mtime)
    return read_source(path, stream, plan, mtime)


def read_small_text(path: str, raw: bytes, plan: ReadPlan, ingested: IngestResult, mtime: float | None = None) -> None:
    """Read a text that is in memory as if it were a member of a bundle, and add its result to `ingested`."""
    ingested.add_source(read_text_member(path, Peekable(io.BytesIO(raw)), len(raw), plan, ingested, mtime))


def _read_small_file(
    path: str, stream: Peekable, plan: ReadPlan, ingested: IngestResult, mtime: float | None
) -> SourceResult:
    """Read a file that may state facts or settings of its node, beside being a log."""
    raw = stream.peek(MAX_LISTING_BYTES)
    text = decode_plain_text(raw)
    pods, problem = _list_pods(path, text)
    facts = [
        *(read_fact_events(path, text) if is_fact_file(path, len(raw)) else ()),
        *read_pod_events(path, pods),
        *read_listed_hosts(path, text),
        *read_host_lines(path, text),
    ]
    result = read_source(path, stream, plan, mtime)
    result.settings = [setting for pod in pods for setting in pod.settings] or [
        *read_settings(text),
        *read_pod_table(text),
    ]
    result.events = assign_to_pods(result.events, pods) if pods else result.events
    result.facts += facts
    if (facts or result.settings) and result.status == "not-understood":
        result.status, result.problem = "read", None
    result.facts += read_noted_hosts(path, text)
    if is_boot_file(path):
        result.boot_time = read_boot_time(text, mtime)
    if problem and not result.problem:
        result.status, result.problem = "partly-read", problem
    return result


def _list_pods(path: str, text: str) -> tuple[list[Pod], str | None]:
    """Return the pods of a listing, and why it could not be read to its end or None.

    The first lines of any log may look like YAML, so only a file named like a listing has the problem.
    """
    pods: list[Pod] = []
    try:
        pods.extend(read_pods(text))
    except MalformedError as error:
        is_listing = may_list_pods(path, len(text))
        return pods, f"this list of pods cannot be read completely: {error}" if is_listing else None
    return pods or read_described_pods(text), None


def _add_core(stored: StoredCore, core: CoreDump, ingested: IngestResult) -> None:
    ingested.cores.append(core)
    problem = "; ".join(stored.notes) or None
    status: SourceStatus = "partly-read" if stored.notes else "read"
    if stored.dropped_bytes >= stored.size > 0:
        status = "failed"
    ingested.other_sources.append(
        Source(
            file=stored.member,
            node=None,
            kind=Kind.CORE,
            bytes=stored.size,
            status=status,
            problem=problem,
            unread=stored.dropped_bytes,
        )
    )


def _is_binary(head: bytes) -> bool:
    """Return whether a file is binary: many control bytes, or some and much that is not UTF-8 (pictures, compressed
    data).

    UTF-16 is text although every other byte is NUL. Old encodings are text too: they have no control bytes.
    """
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or not head:
        return False
    control = len(head) - len(head.translate(None, _CONTROL_BYTES))
    nul = head.count(0)
    broken = head.decode("utf-8", "replace").count("\ufffd")
    return (
        control > len(head) * 0.1
        or (nul > len(head) * 0.6 and nul < len(head))
        or (control > len(head) * 0.03 and broken > len(head) * 0.15)
    )


_CONTROL_BYTES = bytes(code for code in range(1, 32) if code not in (7, 8, 9, 10, 11, 12, 13, 27))
