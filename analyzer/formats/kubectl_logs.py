"""Pod names before lines: kubectl logs --prefix, stern, Docker Compose, docker service logs.

    [pod/trainer-worker-0/tensorflow] 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] oneDNN
    worker-1  | step 12 loss 0.31
    train_worker.2.x2y2z3abc4def5gh6ij7kl8m9@swarm-5    | step 12 loss 0.31

The pod or the service is both the stream and the host, because other logs of a cluster call it by that name. A swarm
names the machine beside its task. Records that name pod and machine, or container and machine, get a form of our own:

    [pod/trainer-worker-0/tensorflow@gpu17] step 12 loss 0.31
    [pod/-/trainer_1@gpu17] step 12 loss 0.31
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import LETTERS_AND_DIGITS, Format, Tier
from analyzer.formats.writer_pairs import stream_of_pair
from analyzer.model import Line

_KUBECTL = re.compile(
    r"\[pod/(?P<pod>[\w.-]{1,253})/(?P<container>[\w.-]{1,253})(?:@(?P<machine>[\w.-]{1,253}))?\] ?(?P<rest>.*)",
    re.DOTALL,
).match
_COMPOSE = re.compile(r"([A-Za-z0-9][\w.-]{0,100}[-_]\d{1,5}) *\|(?: (.*)|$)", re.DOTALL).match
_SWARM = re.compile(
    r"([A-Za-z0-9][\w.-]{0,100}\.\d{1,5})\.[a-z0-9]{6,30}@([A-Za-z0-9][\w.-]{0,252}) *\|(?: (.*)|$)", re.DOTALL
).match


def parse(text: str) -> Line | None:
    if match := _KUBECTL(text):
        return _read_pod_line(match)
    if match := _SWARM(text):
        return Line(match[3] or "", stream=match[1], host=match[2])
    match = _COMPOSE(text)
    return Line(match[2] or "", stream=match[1], host=match[1]) if match else None


def _read_pod_line(match: re.Match[str]) -> Line:
    pod, machine = match["pod"], match["machine"]
    if machine is None:
        return Line(match["rest"], stream=pod, host=pod)
    is_pod = pod != "-"
    stream = stream_of_pair(pod if is_pod else match["container"], machine)
    return Line(match["rest"], stream=stream, host=pod if is_pod else machine)


FORMAT = Format(
    "kubectl_logs",
    None,
    parse,
    tier=Tier.LAUNCHER,
    wrapper=True,
    prefixes_every_line=True,
    first_chars="[" + LETTERS_AND_DIGITS,
    date_marks="",
)
