"""One archive in several processes: each walks through all of it and reads the large logs that are its own.

Whose a log is follows from the members' order and sizes, which every walker sees, so that nothing passes between them:
to walk through a gzip takes a third of the time that it takes to read what comes out, and through a zip or a bare tar
none. All else (small files, cores and libraries, what a collector says) is the first one's, who also tells of losses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from analyzer.bundle import Loss, Member

MIN_SHARED_BYTES = 64 * 1024  # bytes from which on a log may be another's
TYPICAL_EXPANSION = 6  # times that a compressed log grows, about
NOT_REACHED_REASON = "the process that was to read it did not come to it"


@dataclass(frozen=True, slots=True)
class Shard:
    """One walker of several, from 0."""

    number: int = 0
    count: int = 1


WHOLE = Shard()


@dataclass(slots=True)
class WalkLog:
    """Where in the archive each result of a walker stood; and, of the first one, what was left to others."""

    positions: list[int] = field(default_factory=list)
    left_to_others: dict[int, Loss] = field(default_factory=dict)


class ArchiveWalk:
    """Meets every member of an archive in order and says which are this walker's."""

    def __init__(self, share: Shard) -> None:
        self.shard = share
        self.log = WalkLog()
        self._assigned_bytes = [0] * share.count  # bytes that each has to read so far
        self._position = -1

    def is_ours(self, member: Member, is_log: bool) -> bool:
        """`is_log`: it is nothing that has to be seen together with other members."""
        if self.shard.count == 1:
            return True
        self._position += 1
        size = _estimate_size(member)
        owner = self._assigned_bytes.index(min(self._assigned_bytes)) if is_log and size >= MIN_SHARED_BYTES else 0
        self._assigned_bytes[owner] += size
        if owner and not self.shard.number:
            stored = member.stream.bytes_left() if member.size is None else member.size
            self.log.left_to_others[self._position] = Loss(member.path, stored, NOT_REACHED_REASON)
        return owner == self.shard.number

    def record_result(self) -> None:
        """The member that was met last left a result."""
        if self.shard.count > 1:
            self.log.positions.append(self._position)


def _estimate_size(member: Member) -> int:
    """Bytes; 0 where nobody can tell."""
    return member.size if member.size is not None else TYPICAL_EXPANSION * (member.stream.bytes_left() or 0)
