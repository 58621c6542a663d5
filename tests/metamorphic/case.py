"""A bundle in memory, and who in it is who."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Case:
    """`files` by path. `homes`: the node of a file that is one node's alone. `kinds`: what speaks in it.

    `culprits` are the names that an answer may give to the faulty node. `evidence` are the files that the unchanged
    answer stands on. `ahead` is how far a node's clock runs ahead, in seconds. `ranks` are the nodes by their tasks.
    `mtime` is the members' time in the archive, in seconds UTC: the year of stamps that state none may hang on it.
    In `extra` a transformation says what it did, for the one who reads a failure.
    """

    files: Files
    homes: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    culprits: frozenset[str] = frozenset()
    evidence: frozenset[str] = frozenset()
    ahead: Mapping[str, float] = field(default_factory=dict)
    ranks: tuple[str, ...] = ()
    mtime: float = 0.0
    extra: str = ""

    @property
    def nodes(self) -> list[str]:
        return [node for node in self.ranks if node in set(self.homes.values())]

    @property
    def innocents(self) -> list[str]:
        """Only where somebody is known to be guilty, or nobody at all."""
        return [node for node in self.nodes if node not in self.culprits]

    def files_of(self, node: str) -> list[str]:
        return [path for path in self.files if self.homes.get(path) == node]

    def training_logs(self) -> list[str]:
        """Logs of training processes that belong to one node."""
        return [
            path
            for path in self.files
            if path in self.homes and self.kinds.get(path) == "worker" and self.files[path].count(b"\n") > 5
        ]


Transformation = Callable[[Case, Random], Case | None]  # None: the case offers nothing to change


def decode(data: bytes) -> str:
    """Any bytes survive the way there and back."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def lines_of(data: bytes) -> list[str]:
    """Without their line feeds; carriage returns of progress bars stay inside."""
    lines = decode(data).split("\n")
    return lines[:-1] if lines and not lines[-1] else lines


def from_lines(lines: list[str]) -> bytes:
    return encode("".join(line + "\n" for line in lines))


def with_files(case: Case, changed: Mapping[str, bytes], extra: str = "") -> Case:
    """The same paths, other contents."""
    return replace(case, files={path: changed.get(path, data) for path, data in case.files.items()}, extra=extra)


def with_paths(case: Case, names: Mapping[str, str], extra: str = "") -> Case | None:
    """The same contents under other paths; None where two files would become one."""
    if len({names.get(path, path) for path in case.files}) < len(case.files):
        return None

    def moved(pairs: Mapping[str, str]) -> dict[str, str]:
        return {names.get(path, path): value for path, value in pairs.items()}

    return replace(
        case,
        files={names.get(path, path): data for path, data in case.files.items()},
        homes=moved(case.homes),
        kinds=moved(case.kinds),
        evidence=frozenset(names.get(path, path) for path in case.evidence),
        extra=extra,
    )


def without(case: Case, paths: set[str], extra: str = "") -> Case:
    return replace(case, files={path: data for path, data in case.files.items() if path not in paths}, extra=extra)


def is_text(data: bytes) -> bool:
    return b"\0" not in data[:4096]


def base_of(path: str) -> str:
    return path.rpartition("/")[2]


def texts(case: Case) -> Iterator[tuple[str, bytes]]:
    yield from ((path, data) for path, data in case.files.items() if is_text(data))
