"""Log lines of container runtimes (containerd, CRI-O): time, stream, and whether the line is whole.

    2026-11-21T05:10:09.123456789Z stdout F The content of the log entry
    2026-11-21T05:10:09.123456789+02:00 stderr P The first part of one
    2026-11-21T05:10:06.123456789Z Traceback (most recent call last):
    2026-11-21T05:10:06.123456Z 00O Traceback (most recent call last):

The third is of `kubectl logs --timestamps`, `docker logs -t` or GitHub Actions: no program writes so many digits. The
last one is of GitLab's runner: the number of a stream, O or E for output and error, and `+` before the rest of a line.

The zone is always there. stdout and stderr are one stream. Source: Kubernetes `kuberuntime/logs`.
"""

from __future__ import annotations

import re

from analyzer.formats.line_format import DIGITS, Format, Tier
from analyzer.formats.stamps import as_stamps, read_iso
from analyzer.model import Line

_PREFIX = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)) "
    r"(?:(?:stdout|stderr) [FP](?::\S*)?|\d\d[OE]\+?)(?: (.*)|$)",
    re.DOTALL,
).match
_STAMPED = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.(?:\d{7}|\d{9})Z) (.*)", re.DOTALL).match


def parse(text: str) -> Line | None:
    match = _PREFIX(text) or _STAMPED(text)
    return Line(match[2] or "", as_stamps(read_iso(match[1]))) if match else None


FORMAT = Format(
    "cri", None, parse, tier=Tier.TRANSPORT, wrapper=True, prefixes_every_line=True, first_chars=DIGITS, date_marks="T"
)
