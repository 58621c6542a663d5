"""One archive in several processes: each walks through all of it and reads the large logs that are its own.

Whose a log is follows from the members' order and sizes, which every walker sees, so that nothing passes between them:
to walk through a gzip takes a third of the time that it takes to read what comes out, and through a zip or a bare tar
none. All else (small files, cores and libraries, what a collector says) is the first one's, who also tells of losses.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from analyzer.bundle import Loss, Member

LEAST = 64 * 1024  # bytes from which on a log may be another's
SWELLS = 6  # times that a compressed log grows, about
NOT_REACHED = "the process that was to read it did not come to it"


@dataclass(frozen=True, slots=True)
class Share:
    """One walker of several, from 0."""

    number: int = 0
    of: int = 1


ALL = Share()


@dataclass(slots=True)
class Walked:
    """Where in the archive each result of a walker stood; and, of the first one, what was left to others."""

    places: list[int] = field(default_factory=list)
    left: dict[int, Loss] = field(default_factory=dict)


class Walk:
    """Meets every member of an archive in order and says which are this walker's."""

    def __init__(self, share: Share) -> None:
        self.share = share
        self.walked = Walked()
        self._loads = [0] * share.of  # bytes that each has to read so far
        self._place = -1

    def takes(self, member: Member, is_log: bool) -> bool:
        """`is_log`: it is nothing that has to be seen together with other members."""
        if self.share.of == 1:
            return True
        self._place += 1
        size = _estimate(member)
        owner = self._loads.index(min(self._loads)) if is_log and size >= LEAST else 0
        self._loads[owner] += size
        if owner and not self.share.number:
            stored = member.stream.left() if member.size is None else member.size
            self.walked.left[self._place] = Loss(member.path, stored, NOT_REACHED)
        return owner == self.share.number

    def note(self) -> None:
        """The member that was met last left a result."""
        if self.share.of > 1:
            self.walked.places.append(self._place)


def _estimate(member: Member) -> int:
    """Bytes; 0 where nobody can tell."""
    return member.size if member.size is not None else SWELLS * (member.stream.left() or 0)
