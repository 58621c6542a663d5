"""Members to results: each file is a core, a fact, samples, a log, or named as what nobody reads."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.bundle import STOPPED, Limits, Loss, Member, Place, open_places
from analyzer.bundle.foreign import LOOK, name_foreign
from analyzer.cores import is_apport, is_core
from analyzer.cores.words import Core
from analyzer.engine.parts import lose
from analyzer.engine.room import Room, make_room
from analyzer.engine.shares import ALL, Share, Walk, Walked
from analyzer.engine.watch import Pulse, Watch
from analyzer.facts.boot import is_boot_file, read_boot
from analyzer.facts.containers import MOST_LISTED, Pod, may_list_pods, read_pods
from analyzer.facts.described import read_described
from analyzer.facts.files import SMALL, give_to_pods, may_be_large, read_facts, read_pod_facts, states_fact
from analyzer.facts.parcels import LARGEST, Parcels, may_be_end
from analyzer.facts.settings import read_settings
from analyzer.formats.unwrap import read_plain
from analyzer.model import Kind, Source, SourceStatus
from analyzer.reading import Peekable, Plan, SourceResult, read_source
from analyzer.reading.results import Results
from analyzer.samples import read_samples, recognize
from analyzer.scratch import scratch_folder
from analyzer.shelf import Shelf, Shelved
from analyzer.untrusted.documents import MalformedError

HASHED = 1 << 20  # bytes at a time of what another walker reads and the collector's manifest asks for


@dataclass(slots=True)
class Intake:
    """Everything that was read, before it is put together."""

    results: Results = field(default_factory=Results)
    cores: list[Core] = field(default_factory=list)
    others: list[Source] = field(default_factory=list)  # cores, losses
    notes: list[str] = field(default_factory=list)
    room: Room = field(default_factory=Room)
    parcels: Parcels = field(default_factory=Parcels)  # what the collector says of the nodes' parts
    walked: Walked = field(default_factory=Walked)

    def take(self, result: SourceResult) -> None:
        """One more source that was read."""
        result.settle()
        if self.results.append(result):
            self.room.admit(self.results.loud)
            self.results.quieten()

    def close(self) -> None:
        """All is there."""
        self.room.close(self.results.loud)
        self.notes += self.room.say()

    def add(self, later: Intake) -> None:
        """Appends what was read elsewhere; parts are added in the order of their files."""
        self.room.adopt(later.room.level, self.results.loud)
        for result in later.results:
            self.take(result)
        self.cores += later.cores
        self.others += later.others
        self.notes += later.notes


def read_places(
    places: Iterable[Place | Loss],
    plan: Plan,
    limits: Limits,
    sysroots: Sequence[Path] = (),
    watch: Watch | None = None,
    scratch: Path | None = None,
    share: Share = ALL,
) -> Intake:
    """Everything in these files, or this share of it.

    Private copies lie in a folder below `scratch`, which is gone at the end.
    """
    walk = Walk(share)
    intake = Intake(room=make_room(ready.signal for ready in plan.ready), walked=walk.walked)
    pulse = Pulse(watch or Watch())
    with scratch_folder(scratch) as folder:
        shelf = Shelf(folder, sysroots)
        for item in open_places(places, limits, folder, pulse):
            if isinstance(item, Loss):
                intake.others.append(lose(item))
                continue
            pulse.path = item.path
            _read_member(item, plan, intake, shelf, walk)
        with closing(shelf.read()) as cores:
            while shelf.waiting and not pulse.watch.stopped():
                _take_core(*next(cores), intake)
        intake.others += [lose(Loss(one.member, one.size, STOPPED, "skipped")) for one in shelf.waiting]
    intake.notes += [*pulse.notes, *intake.parcels.notes()]
    intake.parcels = Parcels()  # its checksums are told, and could not be sent to another process
    return intake


def _read_member(member: Member, plan: Plan, intake: Intake, shelf: Shelf, walk: Walk) -> None:
    watched = intake.parcels.watch(member.path, member.stream)
    stream = Peekable(watched)
    head = stream.peek(4096)
    is_dump, is_elf = is_core(head) or is_apport(head), head.startswith(b"\x7fELF")
    is_binary = is_elf or _is_binary(head)
    may_be_foreign = not is_elf and (is_binary or head.startswith(b"\0"))  # images of disks may begin with nothing
    seen = stream.peek(LOOK) if may_be_foreign else head
    foreign = None if is_elf else name_foreign(seen, member.path, not is_binary)
    is_binary = is_binary or foreign is not None
    if not walk.takes(member, is_log=not (is_dump or is_binary or may_be_end(member.path))):
        with suppress(OSError):  # of what breaks its own reader tells
            while watched is not member.stream and stream.read(HASHED):
                pass
        return
    if is_dump:
        try:
            shelf.put_core(member, stream)
        except OSError as error:
            reason = f"it could not be kept on the scratch disk: {error.strerror or error}"
            intake.others.append(lose(Loss(member.path, member.size, reason)))
        for one, core in shelf.read_early():
            _take_core(one, core, intake)
        return
    if is_binary:
        problem = shelf.put_binary(member, stream) if is_elf else foreign or "a binary file that is no core dump"
        left = member.stream.left()
        size = member.stream.position + (left or 0)
        unread = None if left is None else left + len(seen) - len(head)
        intake.others.append(
            Source(member.path, None, Kind.UNKNOWN, size, "not-understood", problem=problem, unread=unread)
        )
        return
    result = read_text(member.path, stream, member.size, plan, intake, member.mtime)
    result.unread = member.stream.left()
    intake.take(result)
    walk.note()


def read_text(
    path: str, stream: Peekable, size: int | None, plan: Plan, intake: Intake, mtime: float | None = None
) -> SourceResult:
    """A file that is no core: a collector's manifest, resource samples, a fact, or a log. `size` None: unknown."""
    if may_be_end(path) and (part := intake.parcels.read(path, stream.peek(LARGEST), mtime)):
        return part
    if recognize(head := stream.peek(4096)):
        return read_samples(path, stream, mtime, head)
    if size is None:  # compressed: known only once it is read
        size = len(stream.peek(SMALL + 1))
    if size <= SMALL or may_be_large(path, size):
        return _read_fact(path, stream, plan, intake, mtime)
    return read_source(path, stream, plan, mtime)


def read_small(path: str, raw: bytes, plan: Plan, intake: Intake, mtime: float | None = None) -> None:
    """A text that lies in memory, read as a member of a bundle would be."""
    intake.take(read_text(path, Peekable(io.BytesIO(raw)), len(raw), plan, intake, mtime))


def _read_fact(path: str, stream: Peekable, plan: Plan, intake: Intake, mtime: float | None) -> SourceResult:
    raw = stream.peek(MOST_LISTED)
    text = read_plain(raw)
    pods, problem = _list_pods(path, text)
    facts = [*(read_facts(path, text) if states_fact(path, len(raw)) else ()), *read_pod_facts(path, pods)]
    result = read_source(path, stream, plan, mtime)
    result.settings = [setting for pod in pods for setting in pod.settings] or list(read_settings(text))
    result.events = give_to_pods(result.events, pods) if pods else result.events
    result.facts = facts
    if (facts or result.settings) and result.status == "not-understood":
        result.status, result.problem = "read", None
    if is_boot_file(path):
        result.booted = read_boot(text, mtime)
    if problem and not result.problem:
        result.status, result.problem = "partly-read", problem
    return result


def _list_pods(path: str, text: str) -> tuple[list[Pod], str | None]:
    """The pods of a listing, and why it could not be read to its end.

    Any log may look like YAML for a line, so only a file that is named like a listing has the problem.
    """
    pods: list[Pod] = []
    try:
        pods.extend(read_pods(text))
    except MalformedError as error:
        is_listing = may_list_pods(path, len(text))
        return pods, f"as a listing of pods it cannot be read to its end: {error}" if is_listing else None
    return pods or read_described(text), None


def _take_core(one: Shelved, core: Core, intake: Intake) -> None:
    intake.cores.append(core)
    problem = "; ".join(one.notes) or None
    status: SourceStatus = "partly-read" if one.notes else "read"
    if one.dropped >= one.size > 0:
        status = "failed"
    intake.others.append(Source(one.member, None, Kind.CORE, one.size, status, problem=problem, unread=one.dropped))


def _is_binary(head: bytes) -> bool:
    """More control bytes than any log has, or some beside much that is no UTF-8 (compressed data, pictures).

    UTF-16 is text although every other byte of it is NUL, and so are old encodings, which have no control bytes.
    """
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or not head:
        return False
    control = len(head) - len(head.translate(None, _CONTROL))
    nul = head.count(0)
    broken = head.decode("utf-8", "replace").count("\ufffd")
    return (
        control > len(head) * 0.1
        or (nul > len(head) * 0.6 and nul < len(head))
        or (control > len(head) * 0.03 and broken > len(head) * 0.15)
    )


_CONTROL = bytes(code for code in range(1, 32) if code not in (7, 8, 9, 10, 11, 12, 13, 27))
