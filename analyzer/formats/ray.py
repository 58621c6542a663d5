"""Ray's prefix for the line of a worker or a daemon.

    (RayTrainWorker pid=1234, ip=10.0.0.1) 2026-11-21 05:10:09.123456: W tensorflow/core/framework/op_kernel.cc:1] x
    (raylet) [2026-11-21 05:10:08,441 E 77 77] (raylet) node_manager.cc:3040: 1 Workers killed due to memory pressure

The name and process id are the stream. Source: ray `_private/worker.py` (print_worker_logs).
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import Format, Tier
from analyzer.model import Line

_WORKER = re.compile(r"\((?:([\w.<>()-]{1,80}) )?pid=(\d{1,10})(?:, ip=([\w.:-]{1,64}))?\) ?(.*)", re.DOTALL).match
_DAEMON = re.compile(
    r"\((raylet|autoscaler|gcs_server|dashboard)(?: \+[^)]{1,12})?(?:, ip=([\w.:-]{1,64}))?\) ?(.*)", re.DOTALL
).match


def parse(text: str) -> Line | None:
    if match := _WORKER(text):
        name, pid, address, message = match.groups()
        return Line(message, stream=f"{name or 'pid'}:{pid}", pid=int(pid), host=address)
    if match := _DAEMON(text):
        return Line(match[3], host=match[2], logger=match[1])
    return None


FORMAT = Format(
    "ray",
    None,
    parse,
    tier=Tier.LAUNCHER,
    before=("kubeflow_launcher",),
    wrapper=True,
    prefixes_every_line=True,
    first_chars="(",
)
