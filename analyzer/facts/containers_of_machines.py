"""Containers that are named for their machines: `gx7-trainer` runs on gx7, beside `gx8-trainer` on gx8.

The launcher starts one container on each machine and gives it the machine's name with the same addition, so that the
job's lines and the machine's logs name one node differently.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from analyzer.facts.machine_labels import MACHINE_KINDS
from analyzer.facts.stream_identities import StreamIdentity

MIN_PAIRS = 2  # one container alone may be called like a machine by chance
_SEPARATOR = re.compile(r"[-_.]")


def name_containers_by_machines(identities: Iterable[StreamIdentity]) -> dict[str, str]:
    """Give each writer that is named for its container the name of the machine, and return container → machine.

    The additions count only if they are the same for several machines, and if no machine's own log has such a name.
    """
    identities = list(identities)
    machines = {
        name.lower()
        for identity in identities
        if identity.kind in MACHINE_KINDS
        for name in (*identity.prefix_hosts, *identity.hosts, *((identity.label,) if identity.label else ()))
    }
    writers = {host for identity in identities if identity.kind not in MACHINE_KINDS for host in identity.prefix_hosts}
    by_addition: dict[str, dict[str, str]] = defaultdict(dict)
    for writer in writers if machines else ():
        for match in _SEPARATOR.finditer(writer):
            if (machine := writer[: match.start()]).lower() in machines and writer.lower() not in machines:
                by_addition[writer[match.start() :]][writer] = machine
    renamed = {
        writer: machine
        for pairs in by_addition.values()
        if len(pairs) >= MIN_PAIRS
        for writer, machine in pairs.items()
    }
    for identity in identities if renamed else ():
        identity.prefix_hosts = frozenset(renamed.get(host, host) for host in identity.prefix_hosts)
    return renamed
