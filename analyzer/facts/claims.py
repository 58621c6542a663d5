"""Who is who: claims of single sources, and the one resolver that decides by them what each stream's node is called.

A claim says one thing of one stream and where it stands. Sources only make claims; they do not know each other. The
resolver takes the strongest claim of each stream, whatever the order in which the claims come, and keeps those that it
did not follow as conflicts. Where nothing is claimed, or equal claims contradict each other, it says nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from analyzer.facts.stream_identities import StreamKey
from analyzer.wording import natural_key


class Relation(StrEnum):
    IS_NAMED = "is named"
    RUNS_ON = "runs on host"
    SERVES_AT = "serves at the address of"
    IS_TASK = "is task"


class Strength(IntEnum):
    """How much a claim is worth for the name of a node: the documented preference of names, the weakest first."""

    WEAK_PATH = 1  # its path, by a task, a number or an opaque id: any other name is better
    TASK = 2  # the task that it states: exact, but a copied TF_CONFIG gives two writers the same one
    SERVED_ADDRESS = 3  # the host of the address at which it serves: often no more than a number
    LINE_PREFIX = 4  # the host before its lines, which a collector writes: it may be the collector's own
    STATED_HOST = 5  # the host name that the program or its platform states
    PATH = 6  # its path, by a name that is no task: a person who gathered the files gave it to the machine
    SOLE_HOST = 7  # the host that only the writers of a weakly named path state, or its recorder: path and host are one


@dataclass(frozen=True, slots=True, order=True)
class Claim:
    """`evidence` says in words where the claim stands, for the user."""

    subject: StreamKey
    relation: Relation
    object: str
    strength: Strength
    evidence: str

    def __str__(self) -> str:
        file, stream = self.subject
        where = f"{file}, stream {stream}" if stream else file
        return (
            f"{where} {self.relation} {self.object} ({self.strength.name.lower().replace('_', ' ')}: {self.evidence})"
        )


@dataclass(frozen=True, slots=True)
class Resolution:
    """What was decided: stream → node's name, the claim that decided it, and the claims that say something else."""

    names: Mapping[StreamKey, str]
    deciding: Mapping[StreamKey, Claim]
    conflicts: tuple[Claim, ...]


def resolve_names(claims: Iterable[Claim]) -> Resolution:
    """Decide the name of each stream's node; the order of the claims does not matter."""
    by_subject: dict[StreamKey, list[Claim]] = defaultdict(list)
    for claim in claims:
        by_subject[claim.subject].append(claim)
    deciding: dict[StreamKey, Claim] = {}
    conflicts: list[Claim] = []
    for subject, own in by_subject.items():
        decided = _strongest(own)
        if decided:
            deciding[subject] = decided
        conflicts += _contradictions(own, decided)
    names = {subject: claim.object for subject, claim in deciding.items()}
    names.update(_join_by_task(by_subject, deciding))
    names.update(_join_by_weak_path(by_subject, deciding, names))
    names = _join_full_names(names, {claim.object for claims in by_subject.values() for claim in claims})
    return Resolution(names, deciding, tuple(sorted(conflicts)))


def _strongest(claims: Iterable[Claim]) -> Claim | None:
    """Return the strongest claim that no equally strong one contradicts."""
    by_strength: dict[Strength, list[Claim]] = defaultdict(list)
    for claim in claims:
        by_strength[claim.strength].append(claim)
    for _, equal in sorted(by_strength.items(), reverse=True):
        if len({claim.object for claim in equal}) == 1:
            return min(equal)
    return None


def _contradictions(claims: Iterable[Claim], decided: Claim | None) -> Iterable[Claim]:
    """Yield the claims of a level at which one stream is said to be several things."""
    objects: dict[tuple[Relation, Strength], set[str]] = defaultdict(set)
    claims = list(claims)
    for claim in claims:
        objects[claim.relation, claim.strength].add(claim.object.lower())
    return (claim for claim in claims if len(objects[claim.relation, claim.strength]) > 1 and claim != decided)


def _join_by_task(
    by_subject: Mapping[StreamKey, Iterable[Claim]], deciding: Mapping[StreamKey, Claim]
) -> Mapping[StreamKey, str]:
    """Return the nodes of streams that are known by their task alone, if exactly one named node has that task."""
    nodes_of_task: dict[str, set[str]] = defaultdict(set)
    for subject, claims in by_subject.items():
        decided = deciding.get(subject)
        if decided and decided.relation is not Relation.IS_TASK:
            for claim in claims:
                if claim.relation is Relation.IS_TASK:
                    nodes_of_task[claim.object].add(decided.object)
    return {
        subject: next(iter(nodes))
        for subject, claim in deciding.items()
        if claim.relation is Relation.IS_TASK and len(nodes := nodes_of_task.get(claim.object, set())) == 1
    }


def _join_by_weak_path(
    by_subject: Mapping[StreamKey, Iterable[Claim]],
    deciding: Mapping[StreamKey, Claim],
    names: Mapping[StreamKey, str],
) -> Mapping[StreamKey, str]:
    """Return the nodes of streams that are known by a weak path alone, if exactly one named node has such a path.

    Of a rotated log (`rank_5.log.1`, `rank_5.log`), only the oldest part states the task or the host.
    """
    nodes_of_path: dict[str, set[str]] = defaultdict(set)
    for subject, decided in deciding.items():
        if decided.strength is not Strength.WEAK_PATH:
            for claim in by_subject[subject]:
                if claim.strength is Strength.WEAK_PATH:
                    nodes_of_path[claim.object].add(names[subject])
    return {
        subject: next(iter(nodes))
        for subject, claim in deciding.items()
        if claim.strength is Strength.WEAK_PATH and len(nodes := nodes_of_path.get(claim.object, set())) == 1
    }


def _join_full_names(names: Mapping[StreamKey, str], claimed: Iterable[str]) -> dict[StreamKey, str]:
    """Return `names` with the short names of a domain's machines, if one of them is known by its short name elsewhere.

    A short name that two machines of different domains would share joins nothing. `claimed`: all names of all claims.
    """
    distinct = set(names.values())
    full_names: dict[str, set[str]] = defaultdict(set)
    for name in distinct:
        short, dot, domain = name.partition(".")
        if dot and not short.isdecimal() and domain[:1].isalpha():
            full_names[short.lower()].add(name)
    alone = {next(iter(same)) for same in full_names.values() if len(same) == 1}
    # Launchers may write names in capitals: of two spellings the one with more small letters is a host's.
    spellings = sorted({*claimed, *distinct}, key=lambda name: (sum(map(str.islower, name)), name))
    spelling_by_lower = {name.lower(): name for name in spellings}
    domains = {_domain_of(name) for name in alone if name.partition(".")[0].lower() in spelling_by_lower}
    shorts = {name: name.partition(".")[0] for name in alone if _domain_of(name) in domains}
    short_names = {name: spelling_by_lower.get(short.lower(), short) for name, short in shorts.items()}
    joined = {subject: short_names.get(name, name) for subject, name in names.items()}
    return {subject: spelling_by_lower.get(name.lower(), name) for subject, name in joined.items()}


def _domain_of(name: str) -> str:
    return name.partition(".")[2].lower()


def describe_conflicts(conflicts: Iterable[Claim], limit: int) -> list[str]:
    """Return a sentence for each stream of which equal claims say different things, `limit` at most."""
    objects: dict[tuple[StreamKey, Relation], set[str]] = defaultdict(set)
    for claim in conflicts:
        objects[claim.subject, claim.relation].add(claim.object)
    return [
        f"{file}{f', stream {stream}' if stream else ''} {relation} {', '.join(sorted(names, key=natural_key))}: "
        "none of these names its node"
        for ((file, stream), relation), names in sorted(objects.items())[:limit]
    ]
