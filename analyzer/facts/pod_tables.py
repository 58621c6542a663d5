"""Pods as `kubectl get pods -o wide` prints them, wherever the table stands: where each runs, and its address.

NAME            READY   STATUS      RESTARTS        AGE     IP           NODE
bert-worker-1   0/1     OOMKilled   1 (2m9s ago)    2h41m   10.244.6.60  gpu-04
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from analyzer.facts.settings import MACHINE_ADDRESS
from analyzer.model import Setting

KUBERNETES_NODE = "kubernetes node"
MAX_ROWS = 20_000
_ROW = re.compile(
    r"^(?:[a-z0-9-]{1,63}[ \t]{1,60})?(?P<pod>[a-z0-9][a-z0-9.-]{0,252})[ \t]{1,60}\d{1,3}/\d{1,3}[ \t]{1,60}"
    r"[A-Z][\w:]{1,60}[ \t]{1,60}\d{1,9}(?: \(\w{1,20} ago\))?[ \t]{1,60}\w{1,20}"
    r"[ \t]{1,60}(?P<address>[\d.]{7,15}|<none>)[ \t]{1,60}(?P<node>[a-z0-9][a-z0-9.-]{0,252})(?=[ \t]|$)"
)


def read_pod_table(text: str) -> Iterator[Setting]:
    """Yield machine and address of each pod that a row names, with the pod as their owner."""
    count = 0
    for number, line in enumerate(text.splitlines(), 1):
        if "/" not in line[:400] or (row := _ROW.match(line[:800])) is None:
            continue
        yield Setting(KUBERNETES_NODE, row["node"], number, row["pod"])
        if row["address"] != "<none>":
            yield Setting(MACHINE_ADDRESS, row["address"], number, row["pod"])
        count += 1
        if count == MAX_ROWS:
            return
