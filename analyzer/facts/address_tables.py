"""Which host has which address, according to tables of host names and notes of people.

10.0.3.12  mill-c7 mill-c7.example.org              /etc/hosts, getent, in whatever small file
the console's log is by address (10.0.3.12 is mill-c7)      a note beside the logs
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from analyzer.facts.registry import LOOPBACK
from analyzer.model import Event, Kind, Locus

NOTED_HOST_SIGNAL = "file.noted_host"  # a small file says in passing that an address is a host's
HOST_LINE_SIGNAL = "file.host_line"  # a line of a small file has an address and a host, as /etc/hosts has
MIN_HOST_LINES = 2
MAX_NOTE_CHARS = 16 * 1024
MAX_NOTED = 100  # of a file
MAX_HOST_CHARS = 120  # before an address
_find_addresses = re.compile(r"(?<![\w.:/-])\d{1,3}(?:\.\d{1,3}){3}(?![\w:/-]|\.\d)").finditer
_HOST = r"(?<![\w./-])([A-Za-z][\w-]{0,60}(?:\.[\w-]{1,60}){0,8})"
_match_host_line = re.compile(
    r"\s{0,8}(?P<inet>\d{1,3}(?:\.\d{1,3}){3})[ \t]{1,40}(?P<host>[A-Za-z][\w-]{0,60}(?:\.[\w-]{1,60}){0,8})"
    r"(?:[ \t]{1,40}[A-Za-z][\w.-]{0,120}){0,4}\s{0,40}(?:#[^\n]{0,200})?"
).fullmatch
# A line of Ansible's inventories.
_match_inventory_line = re.compile(
    r"\s{0,8}(?P<host>[A-Za-z][\w.-]{0,120})\s[^\n]{0,200}?\bansible_(?:ssh_)?host\s?=\s?(?P<inet>\d{1,3}(?:\.\d{1,3}){3})(?![\d.])"
).match
# In the languages of the words that tell remarks; `(` as in `mill-c7 (10.0.3.12)`.
_IS = r"(?: {0,3}(?:=|->|→|⇒) {0,3}| (?:is|ist|est|es|è|é|är|er|on|jest|je|yra|ir) | \()"
_host_behind = re.compile(_IS + _HOST).match
_host_before = re.compile(_HOST + _IS + r"\Z").search


def read_noted_hosts(path: str, text: str) -> list[Event]:
    """Return what a small file states of hosts' addresses in passing, as events without node and time.

    The word beside the address may be any word: `read_address_table` takes those that are hosts.
    """
    return list(islice(_iterate_noted_hosts(path, text[:MAX_NOTE_CHARS]), MAX_NOTED))


def read_host_lines(path: str, text: str) -> list[Event]:
    """Return the lines of a small file that have the form of /etc/hosts or of Ansible's inventories, as events without
    node and time.

    Only if there are several: two words of which one is an address may mean anything.
    """
    events = [
        Event(HOST_LINE_SIGNAL, Locus(path, number), line[:200], kind=Kind.ENVIRONMENT, captures=match.groupdict())
        for number, line in enumerate(text[:MAX_NOTE_CHARS].splitlines(), 1)
        if (match := _match_host_line(line) or _match_inventory_line(line)) and not LOOPBACK.match(match["inet"])
    ]
    return events[:MAX_NOTED] if len(events) >= MIN_HOST_LINES else []


def _iterate_noted_hosts(path: str, text: str) -> Iterator[Event]:
    for number, line in enumerate(text.splitlines(), 1) if "." in text else ():
        for address in _find_addresses(line):
            behind = _host_behind(line, address.end())
            before = _host_before(line, max(0, address.start() - MAX_HOST_CHARS), address.start())
            for host in (behind, before):
                if host and not LOOPBACK.match(address[0]):
                    locus, captures = Locus(path, number), {"inet": address[0], "host": host[1]}
                    yield Event(NOTED_HOST_SIGNAL, locus, line[:200], kind=Kind.ENVIRONMENT, captures=captures)


def read_address_table(
    events: Iterable[Event], placement_signals: frozenset[str], known_hosts: frozenset[str]
) -> dict[str, str]:
    """Return address → host, where each is stated with one other only.

    Events of `placement_signals` state any host, a note one of `known_hosts`, which are in lower case.
    """
    pairs = {
        (event.captures["inet"], event.captures["host"])
        for event in events
        if "inet" in event.captures and "host" in event.captures
        if event.signal in placement_signals
        if event.signal != NOTED_HOST_SIGNAL or event.captures["host"].lower() in known_hosts
    }
    addresses, hosts = Counter(address for address, _ in pairs), Counter(host for _, host in pairs)
    return dict(sorted(pair for pair in pairs if addresses[pair[0]] == hosts[pair[1]] == 1))
