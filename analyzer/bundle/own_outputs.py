"""Recognize what this program wrote itself.

An unpacked incident often holds earlier reports, which quote its logs. Read as logs, they would be new evidence of
failures that happened once.
"""

from __future__ import annotations

import re

from analyzer.bundle.remote import Input, local_path

HEAD_BYTES = 4096
# Each form of `report/forms/` begins with one of these. A test renders all forms and looks for them.
_BEGINNINGS = (
    rb"(?is:<!doctype html>.{0,900}<meta name=\"generator\" content=\"tf-postmortem\b)",
    rb"\s*\{\s*\"schema_version\"\s*:\s*\"[^\"]{0,20}\"\s*,\s*\"tool\"\s*:\s*\{\s*\"name\"\s*:\s*\"tf-postmortem\"",
    rb"(?:#{1,2} |h[12]\. )[^\n]{0,900}\n\nReport of tf-postmortem ",
    rb"\s*\{\s*\"\$schema\"\s*:\s*\"[^\"]{0,200}sarif[^\"]{0,100}\"\s*,[^{}\[\]]{0,200}\"runs\"\s*:\s*\[\s*\{\s*\"tool\"\s*:\s*"
    rb"\{\s*\"driver\"\s*:\s*\{\s*\"name\"\s*:\s*\"tf-postmortem\"",
    rb"<\?xml [^>]{0,80}>\s*<testsuites name=\"tf-postmortem\"",
    rb"::(?:error|warning|notice) title=tf-postmortem\b",
    rb"\[\s*\{\s*\"check_name\"\s*:\s*\"tf-postmortem\b",
)
_OWN_OUTPUT = re.compile(rb"(?:%b)" % b"|".join(b"(?:%b)" % beginning for beginning in _BEGINNINGS))
_ORIGINALS_SUFFIX = ".originals.json"  # of the map from made-up names to the original ones
OWN_OUTPUT = "a report of this program: it quotes logs, and is none"


def describe_own_output(head: bytes, path: str) -> str | None:
    """Return why a file is not read: this program wrote it. None for all other files.

    `head`: its first HEAD_BYTES bytes.
    """
    is_map = path.endswith(_ORIGINALS_SUFFIX) and head.lstrip().startswith(b"{")
    return OWN_OUTPUT if is_map or _OWN_OUTPUT.match(head) else None


def is_own_output(source: Input) -> bool:
    """Return whether an input is a local file that this program wrote. A file that cannot be read is not."""
    path = local_path(source)
    try:
        if path is None or not path.is_file():
            return False
        with path.open("rb") as stream:
            return describe_own_output(stream.read(HEAD_BYTES), path.name) is not None
    except (OSError, ValueError):  # ValueError: a NUL in the name. What opens the file next reports the error.
        return False
