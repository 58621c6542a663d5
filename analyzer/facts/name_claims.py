"""The sources of names: pure generators of claims about streams."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from analyzer.facts.claims import Claim, Relation, Strength
from analyzer.facts.cluster_spec import split_address
from analyzer.facts.job_paths import job_of_path
from analyzer.facts.machine_labels import is_weak_name
from analyzer.facts.path_labels import stem_of, task_of_label
from analyzer.facts.registry import LOOPBACK, NUMERIC_ADDRESS
from analyzer.facts.stream_identities import StreamIdentity, StreamKey
from analyzer.formats.line_format import rank_of_stream

Disputed = frozenset[tuple[str, str, str]]  # (file, stream, what it claims)


def claim_names(identities: Mapping[StreamKey, StreamIdentity], multi_program_files: frozenset[str]) -> Iterator[Claim]:
    """Yield all claims on the names of streams.

    A file with several programs is not named by its path. A stream that several programs write without a prefix that
    tells them apart is named by its path alone. A path with a weak name (`worker-1.log`) hides hosts and addresses,
    because several tasks on one machine keep the names of their files, except for a host that is theirs alone.
    """
    has_several_jobs = len({job_of_path(identity.file) for identity in identities.values()} - {None}) > 1
    sole_hosts = _hosts_for_labels(identities.values(), multi_program_files)
    disputed = _disputed_claims(identities.values())
    for key, identity in identities.items():
        label = None if identity.file in multi_program_files else identity.label
        if label:
            yield from _path_claims(key, identity, label, sole_hosts)
        if not identity.is_shared:
            if not (label and has_several_jobs):  # each of the jobs has such a task
                yield from _task_claims(key, identity, label, disputed)
            if not label:
                yield from _host_claims(key, identity)
                yield from _sole_host_claims(key, _prefix_label(identity), sole_hosts)
                yield from _address_claims(key, identity, disputed)


def _path_claims(
    key: StreamKey, identity: StreamIdentity, label: str, sole_hosts: Mapping[str, str]
) -> Iterator[Claim]:
    is_weak = is_weak_name(label) and not identity.is_shared
    strength = Strength.WEAK_PATH if is_weak else Strength.PATH
    yield Claim(subject=key, relation=Relation.IS_NAMED, object=label, strength=strength, evidence="its path")
    yield from _sole_host_claims(key, label, sole_hosts)


def _sole_host_claims(key: StreamKey, label: str, sole_hosts: Mapping[str, str]) -> Iterator[Claim]:
    if host := sole_hosts.get(label):
        evidence = f"the only host of {label}"
        yield Claim(subject=key, relation=Relation.RUNS_ON, object=host, strength=Strength.SOLE_HOST, evidence=evidence)


def _task_claims(key: StreamKey, identity: StreamIdentity, label: str | None, disputed: Disputed) -> Iterator[Claim]:
    """Yield the stated tasks. One for which the path is named as well (`worker-1`) gives no other name."""
    for task in identity.tasks:
        if task_of_label(label or "") != task and (identity.file, identity.stream, task) not in disputed:
            yield Claim(
                subject=key,
                relation=Relation.IS_TASK,
                object=task,
                strength=Strength.TASK,
                evidence=identity.evidence_of(task),
            )


def _host_claims(key: StreamKey, identity: StreamIdentity) -> Iterator[Claim]:
    for host in identity.hosts:
        if not LOOPBACK.match(host):
            yield Claim(
                subject=key,
                relation=Relation.RUNS_ON,
                object=host,
                strength=Strength.SERVED_ADDRESS if NUMERIC_ADDRESS.search(host) else Strength.STATED_HOST,
                evidence=identity.evidence_of(host),
            )
    for host in [host for host in identity.prefix_hosts if not host.isdecimal()] or identity.prefix_hosts:
        if not LOOPBACK.match(host):
            yield Claim(
                subject=key,
                relation=Relation.RUNS_ON,
                object=host,
                strength=Strength.LINE_PREFIX,
                evidence="the host before its lines",
            )


def _disputed_claims(identities: Iterable[StreamIdentity]) -> Disputed:
    """Return (file, stream, claim) of tasks and addresses that several writers claim, less the writer who is right.

    Writers are the ranks of one file, and the files that are called for addresses: these are better names then. A rank
    is right whose number is that of the task, or of the worker with the address.
    """
    claimants: dict[tuple[str, str], list[tuple[StreamIdentity, bool]]] = defaultdict(list)
    for identity in identities:
        claims = (*identity.tasks, *identity.addresses)
        if rank_of_stream(identity.stream) is not None:
            for claim in claims:
                claimants[identity.file, claim].append((identity, _has_own_index(identity, claim)))
        elif identity.label and NUMERIC_ADDRESS.match(identity.label):
            for claim in claims:
                claimants["", claim].append((identity, False))
    return frozenset(
        (identity.file, identity.stream, claim)
        for (file, claim), writers in claimants.items()
        if len({identity.stream if file else identity.label for identity, _ in writers}) > 1
        for identity, is_right in writers
        if not is_right
    )


def _has_own_index(identity: StreamIdentity, claim: str) -> bool:
    """Return whether the number of a rank is that of the task, or of the worker with this address in its cluster."""
    own = f"worker:{rank_of_stream(identity.stream)}"
    return claim == own or any(cluster.task_addresses().get(own) == claim for cluster, _ in identity.clusters)


def _address_claims(key: StreamKey, identity: StreamIdentity, disputed: Disputed) -> Iterator[Claim]:
    """Yield the hosts of served addresses. Where all are names of one host, that is a host which the program states."""
    for address in identity.addresses:
        host, _ = split_address(address)
        if LOOPBACK.match(host) or (identity.file, identity.stream, address) in disputed:
            continue
        is_stated = not identity.hosts and not identity.prefix_hosts and host == identity.host
        strength = Strength.STATED_HOST if is_stated else Strength.SERVED_ADDRESS
        yield Claim(
            subject=key,
            relation=Relation.SERVES_AT,
            object=host,
            strength=strength,
            evidence=identity.evidence_of(address),
        )


def _hosts_for_labels(identities: Iterable[StreamIdentity], multi_program_files: frozenset[str]) -> dict[str, str]:
    """Return label → host for the labels whose host is a better name for the node.

    These are weak labels (`worker-1.log`) whose writers state one host, and names of files of which a recorder or the
    lines themselves state the host: they are of that machine, whatever the file is called. Labels that share a host are
    left out: several tasks on one machine keep the names of their files.
    """
    hosts: dict[str, set[str]] = {}
    for identity in identities:
        is_named_by_path = identity.label and identity.file not in multi_program_files
        label, host = (identity.label if is_named_by_path else _prefix_label(identity)), identity.stated_host
        if label and host and not LOOPBACK.match(host) and _is_better_name(host, label, identity):
            hosts.setdefault(label, set()).add(host)
    single = {label: next(iter(label_hosts)) for label, label_hosts in hosts.items() if len(label_hosts) == 1}
    host_counts = Counter(single.values())
    return {
        label: host for label, host in single.items() if host_counts[host] == 1 and not NUMERIC_ADDRESS.search(host)
    }


def _is_better_name(host: str, label: str, identity: StreamIdentity) -> bool:
    if is_weak_name(label):
        return True
    is_named_after_file = label == stem_of(identity.file)  # a folder may have any name
    is_own_statement = identity.is_recorded or host in identity.hosts
    return is_named_after_file and is_own_statement and not is_weak_name(host)


def _prefix_label(identity: StreamIdentity) -> str:
    """Return the one name before all lines of a stream, which may be that of its task: `==> chief-0.log <==`."""
    return next(iter(identity.prefix_hosts)) if len(identity.prefix_hosts) == 1 and identity.stream else ""
