"""Gives a file that is named in its own way the name by which the job knows its machine.

journal-m_c7.txt       all of its lines are of mill-c7, beside mill-c1 to mill-c8     the host that it states
sel_207.txt            the event log of a BMC, beside gx201 to gx210                     the only host with that number
10.1.9.7.log          the file of a log server; a process on gx207 says that it is there   the host at that address
birch/ps.txt           beside birch/journal.txt, whose lines are of mill-birch        the host of which it is a part
10.1.9.53_sel.txt     the same by the BMC's address, beside 192.168.7.51 to .54        the only host part alike
nc-10.1.9.7.log       what a console server kept of it; 10.1.9.7 is in the cluster       the member at that address
nc-10.1.9.8.log       the same; a table of hosts or a note says whose address it is      that host
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from analyzer.facts.cluster_spec import split_address
from analyzer.facts.path_labels import is_generic
from analyzer.facts.registry import NUMERIC_ADDRESS
from analyzer.facts.stream_identities import StreamIdentity
from analyzer.formats.records.writer_names import family_of

MIN_SIBLINGS = 2  # hosts whose names differ in a number only are machines of one cluster
MIN_NUMBER_CHARS = 2
_find_numbers = re.compile(r"\d+").findall
_split_parts = re.compile(r"[-._]").split
_PROBES = frozenset({"arping", "curl", "iperf", "iperf3", "mtr", "nmap", "ping", "ssh", "tracepath", "traceroute"})
_ADDRESS = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")


def name_by_hosts(
    labels: Mapping[str, str | None],
    identities: Iterable[StreamIdentity],
    known_hosts: frozenset[str],
    addresses: Mapping[str, str],
) -> Mapping[str, str | None]:
    """Return `labels` (path → label), those that nobody else knows replaced by the host that they mean.

    `known_hosts`: names that lines state, in lower case. `addresses`: address → host.
    """
    unknown = {label for label in labels.values() if label and label.lower() not in known_hosts}
    if not unknown:
        return labels
    identities = list(identities)
    renamed = {
        **_hosts_by_number(unknown, known_hosts, identities),
        **_hosts_at_addresses(unknown, identities),
        **_stated_hosts(labels, unknown, identities),
        **_hosts_by_part(labels, unknown, identities),
        **{label: addresses[address] for label in unknown if (address := _address_in(label)) in addresses},
    }
    return {path: renamed.get(label, label) if label else label for path, label in labels.items()}


def _stated_hosts(
    labels: Mapping[str, str | None], unknown: set[str], identities: Iterable[StreamIdentity]
) -> dict[str, str]:
    """Return label → the one host that all of its writers state, if it is one of several alike and the label is not."""
    by_label: dict[str, set[str]] = defaultdict(set)
    for identity in identities:
        if (label := labels.get(identity.file)) in unknown and label:
            by_label[label] |= identity.hosts | identity.prefix_hosts
    siblings = Counter(
        family_of(host) for host in set().union(*(identity.hosts | identity.prefix_hosts for identity in identities))
    )
    alike = Counter(map(family_of, unknown))
    return {
        label: host
        for label, hosts in by_label.items()
        if len(hosts) == 1
        and not NUMERIC_ADDRESS.search(host := next(iter(hosts)))
        and siblings[family_of(host)] >= MIN_SIBLINGS
        and alike[family_of(label)] < MIN_SIBLINGS
    }


def _hosts_by_part(
    labels: Mapping[str, str | None], unknown: set[str], identities: Iterable[StreamIdentity]
) -> dict[str, str]:
    """Return label → the one host that its writers state, if the label is a part of the name of that host alone."""
    by_label: dict[str, set[str]] = defaultdict(set)
    hosts_of_part: dict[str, set[str]] = defaultdict(set)
    for identity in identities:
        for host in identity.hosts | identity.prefix_hosts:
            for part in _split_parts(host.lower()):
                hosts_of_part[part].add(host)
        if (label := labels.get(identity.file)) in unknown and label:
            by_label[label] |= identity.hosts | identity.prefix_hosts
    return {
        label: host
        for label, hosts in by_label.items()
        if len(hosts) == 1
        and not is_generic(label)
        and hosts_of_part.get(label.lower()) == hosts
        and not NUMERIC_ADDRESS.search(host := next(iter(hosts)))
    }


def _hosts_at_addresses(unknown: set[str], identities: Iterable[StreamIdentity]) -> dict[str, str]:
    """Return label → host, for labels that are addresses which the processes of one host alone state as its own."""
    hosts: dict[str, set[str]] = defaultdict(set)
    for identity in identities:
        for address in identity.machine_addresses & unknown:
            hosts[address] |= identity.hosts | identity.prefix_hosts
    return {label: next(iter(names)) for label, names in hosts.items() if len(names) == 1}


def _hosts_by_number(
    unknown: set[str], known_hosts: frozenset[str], identities: Iterable[StreamIdentity]
) -> dict[str, str]:
    """Return label → the only host with its number or address, for labels of words for files and a number."""
    hosts: dict[str, set[str]] = defaultdict(set)
    for host in known_hosts:
        short = host.partition(".")[0]
        if (numbers := _find_numbers(short)) and len(numbers[-1]) >= MIN_NUMBER_CHARS:
            hosts[numbers[-1]].add(short)
    machines: dict[str, set[str]] = defaultdict(set)
    for address in _addresses_of_job(identities):
        machines[address].add(address)
        machines[address.rpartition(".")[2]].add(address)
    named = {
        label: hosts.get(_bare_number(label)) or machines.get(_address_in(label)) or machines.get(_host_part(label))
        for label in unknown
    }
    return {label: next(iter(names)) for label, names in named.items() if names and len(names) == 1}


def _addresses_of_job(identities: Iterable[StreamIdentity]) -> set[str]:
    """Return the numeric addresses of its members, without ports."""
    stated = {address for identity in identities for address in identity.addresses}
    # Each member states the same long lists.
    lists = {
        members for identity in identities for cluster, _ in identity.clusters for members in cluster.jobs.values()
    }
    stated.update(address for members in lists for address in members if address)
    return {host for host in (split_address(address)[0] for address in stated) if _ADDRESS.fullmatch(host)}


def _bare_number(label: str) -> str:
    """Return the number of `sel_207`; "" for a label with any word of its own."""
    words = [word for word in re.split(r"[-_. ]+", label) if word]
    numbers = [word for word in words if word.isdecimal()]
    is_bare = len(numbers) == 1 and all(is_generic(word) for word in words if word not in numbers)
    return numbers[0] if is_bare else ""


def _address_in(label: str) -> str:
    """Return the one address in `nc-10.1.9.7`; "" if another machine may have written the file: `ping-10.1.9.7`."""
    addresses = _ADDRESS.findall(label)
    is_probe = not _PROBES.isdisjoint(re.split(r"[-_. ]+", label.lower()))
    return addresses[0] if len(addresses) == 1 and not is_probe else ""


def _host_part(label: str) -> str:
    """Return the last number of the one address in `10.1.9.53_sel`; "" for a label with any word of its own."""
    addresses = _ADDRESS.findall(label)
    if len(addresses) != 1:
        return ""
    other_words = [word for word in re.split(r"[-_. ]+", label.replace(addresses[0], "")) if word]
    return addresses[0].rpartition(".")[2] if all(map(is_generic, other_words)) else ""
