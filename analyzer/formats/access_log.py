"""Access logs of web servers and object stores: the common and the combined log format.

    10.8.53.2 - - [27/Nov/2026 10:00:19] "GET /lots/03/w1-00.npy HTTP/1.1" 503 -
    10.8.53.2 - alice [27/Nov/2026:10:00:19 +0100] "PUT /bucket/ckpt-12 HTTP/1.1" 507 0 "-" "aws-sdk-cpp/1.9"

The address is that of the client. The log is the server's own, so a line has no host.
Sources: Apache `mod_log_config`, nginx `ngx_http_log_module`, Python's `http.server`.
"""

from __future__ import annotations

import re

from analyzer.formats.dates import to_iso
from analyzer.formats.line_format import Format, Tier
from analyzer.formats.stamps import as_stamps, read_iso
from analyzer.model import Kind, Line, Severity

LOGGER = "access_log"
_PREFIX = re.compile(
    r"(?P<client>[\w.:%-]{1,253}) \S{1,64} \S{1,64} \[(?P<date>\d{1,2}/\w{3,4}/\d{4}[: ][\d:]{8}(?: [+-]\d{4})?)\] "
    r"(?P<request>\"(?:[A-Z]{3,12} |-\").{0,8192})",
    re.DOTALL,
).match
_SERVER_ERROR = re.compile(r'" 5\d\d(?: |$)').search


def parse(text: str) -> Line | None:
    if not (match := _PREFIX(text)):
        return None
    severity = Severity.WARNING if _SERVER_ERROR(match["request"]) else Severity.INFO
    stamps = as_stamps(read_iso(to_iso(match["date"])))
    return Line(match["request"], stamps, severity, Kind.SYSTEM, logger=LOGGER)


FORMAT = Format("access_log", Kind.SYSTEM, parse, tier=Tier.SERVICE)
