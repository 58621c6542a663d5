"""Recognize what this program wrote itself.

An unpacked incident often holds earlier reports, which quote its logs. Read as logs, they would be new evidence of
failures that happened once.
"""

from __future__ import annotations

import re

from analyzer.bundle.remote import Input, local_path

HEAD_BYTES = 4096
_STAMP = rb"(?:null|\"[^\"]{0,40}\")"
_NAME = rb"(?:null|\"(?:[^\"\\]|\\.){0,400}+\")"
# A line of `timeline`: columns of fixed width, and two blanks between them.
_TIMELINE_LINE = (
    rb"(?:\d\d:\d\d:\d\d(?: {7}|\.\d{3} {3}|\.\d{6})|-{15})  (?:debug  |info   |warning|error  |fatal  )  "
    rb"(?:[^ \n]| (?! )){1,300}+  (?:[^ :\n]|:(?!(?:\d{1,12}|<NA>)  )| (?! )){1,900}+:(?:\d{1,12}|<NA>)  "
)
# Each form of `report/forms/`, each form of `timeline` and the printed summary begin with one of these. Tests write all
# of them and look for these.
_BEGINNINGS = (
    rb"(?is:<!doctype html>.{0,900}<meta name=\"generator\" content=\"tf-postmortem\b)",
    rb"\s*\{\s*\"schema_version\"\s*:\s*\"[^\"]{0,20}\"\s*,\s*\"tool\"\s*:\s*\{\s*\"name\"\s*:\s*\"tf-postmortem\"",
    rb"(?:#{1,2} |h[12]\. )[^\n]{0,900}\n\nReport of tf-postmortem ",
    rb"\s*\{\s*\"\$schema\"\s*:\s*\"[^\"]{0,200}sarif[^\"]{0,100}\"\s*,[^{}\[\]]{0,200}\"runs\"\s*:\s*\[\s*\{\s*\"tool\"\s*:\s*"
    rb"\{\s*\"driver\"\s*:\s*\{\s*\"name\"\s*:\s*\"tf-postmortem\"",
    rb"<\?xml [^>]{0,80}>\s*<testsuites name=\"tf-postmortem\"",
    rb"::(?:error|warning|notice) title=tf-postmortem\b",
    rb"\[\s*\{\s*\"check_name\"\s*:\s*\"tf-postmortem\b",
    rb"\s*+(?:\[\s*+)?\{\s*\"corrected\"\s*:\s*%b\s*,\s*\"time\"\s*:\s*%b\s*,\s*\"node\"\s*:\s*%b\s*,"
    rb"\s*\"task\"\s*:\s*%b\s*,\s*\"severity\"\s*:\s*\"\w{0,20}\"\s*,\s*\"signal\"\s*:"
    % (_STAMP, _STAMP, _NAME, _NAME),
    b",".join(rb"\"?%b\"?" % column for column in b"corrected time node task severity signal file line text".split()),
    rb"\s*\{\s*\"resourceLogs\"\s*:\s*\[\s*\{[^\n]{0,2000}?\"scope\"\s*:\s*\{\s*\"name\"\s*:\s*\"tf-postmortem\"",
    rb"\s*\{\s*\"otherData\"\s*:\s*\{\s*\"producer\"\s*:\s*\"tf-postmortem\"",
    rb"%b[^\n]*+(?:\n(?:%b|\d[\d,]* (?:more )?lines? )|\n?\Z)" % (_TIMELINE_LINE, _TIMELINE_LINE),
    # The summary that is printed to a file.
    rb"[^\n]{1,1000}\n(?:[^\n]{1,3000}\n){0,4}\n cause {4}\S[^\n]{0,400}\n where {4}\S[^\n]{0,400}\n when {5}",
    rb"No cause found\n(?:[^\n]{1,3000}\n){1,4}\nHow each node ended\b",
    rb"No failure found\n(?:The job succeeded, after recovering|Nothing in the bundle shows a failure of the job)\b",
)
_OWN_OUTPUT = re.compile(rb"(?:%b)" % b"|".join(b"(?:%b)" % beginning for beginning in _BEGINNINGS))
_ORIGINALS_SUFFIX = ".originals.json"  # of the map from made-up names to the original ones
OWN_OUTPUT = "a report of this program, which quotes logs but is not one"


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
