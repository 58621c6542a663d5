"""Prefixes of the command lines of log services: when the line arrived, and from where.

    2026-11-21T05:10:09.123456+00:00 bert-17/algo-2-1795237809 step 12 loss 0.31
    2026-11-21T05:10:09Z {app="train", host="gpu07"} step 12 loss 0.31

`aws logs tail` always writes six digits and a zone, then the stream, whose parts `/` separates; that of SageMaker holds
the host's name. Loki's `logcli query` prints the labels that differ between streams.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from analyzer.formats.line_format import DIGITS, Format, Tier
from analyzer.formats.stamps import as_stamps, read_iso
from analyzer.formats.writer_pairs import stream_of_pair
from analyzer.model import Line

_AWS = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00) ([\w.#$-]{1,200}(?:/[\w.#$:\[\]-]{1,200}){1,4})(?: (.*)|$)",
    re.DOTALL,
).match
_LOKI = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)) "
    r'\{((?:\w{1,60}="[^"]{0,200}"(?:, ?)?){0,30})\}(?: (.*)|$)',
    re.DOTALL,
).match
_LABEL = re.compile(r'\b(\w++)="([^"]*+)"').findall
_POD_LABELS = ("pod", "pod_name")
_MACHINE_LABELS = ("host", "hostname", "node_name", "node", "instance")
_CONTAINER_LABELS = ("container_name", "filename")
_SAGEMAKER = re.compile(r"(?:^|/)(algo-\d{1,4})(?:-\d+|/|$)").search


def parse(text: str) -> Line | None:
    if match := _AWS(text):
        sagemaker_host = _SAGEMAKER(match[2])
        return _line(match[1], sagemaker_host[1] if sagemaker_host else match[2].partition("/")[0], match[3])
    if match := _LOKI(text):
        labels = dict(_LABEL(match[2]))
        pod, machine, container = (
            _first_label(labels, names) for names in (_POD_LABELS, _MACHINE_LABELS, _CONTAINER_LABELS)
        )
        name = pod or container
        if name and machine and name != machine:
            return Line(
                match[3] or "", as_stamps(read_iso(match[1])), stream=stream_of_pair(name, machine), host=pod or machine
            )
        return _line(match[1], pod or machine or container, match[3])
    return None


def _first_label(labels: Mapping[str, str], names: Iterable[str]) -> str:
    text = next((labels[name] for name in names if labels.get(name)), "")
    return text.rpartition("/")[2].partition(":")[0]


def _line(clock: str, origin: str, message: str | None) -> Line:
    return Line(message or "", as_stamps(read_iso(clock)), stream=origin, host=origin or None)


FORMAT = Format(
    "log_services",
    None,
    parse,
    tier=Tier.TRANSPORT,
    wrapper=True,
    prefixes_every_line=True,
    first_chars=DIGITS,
    date_marks="T",
)
