"""Read an incident that the program wrote earlier: the file of `--json`, or the data inside an HTML report."""

from __future__ import annotations

import json
from pathlib import Path

from analyzer.errors import InputError
from analyzer.redact.secrets import mask_secrets
from analyzer.report.decode import decode_incident, rewrite_incident
from analyzer.report.document import WrittenIncident
from analyzer.report.formatting import plural

HINT = "give a report that `tf-postmortem analyze` wrote with --json or -o"
DATA_BEGIN, DATA_END = '<script type="application/json" id="incident-data">', "</script>"
MAX_REPORT_BYTES = 512 << 20  # of a file that is read back; the largest incidents have some 50 MB
HEAD_BYTES = 1024  # bytes at the start of a file that identify a report


def is_report(path: Path) -> bool:
    """Return whether the first bytes are those of a report: JSON begins with the schema version, HTML names the
    program.

    The result is False for a file that cannot be read; the code that opens it next reports the error.
    """
    if not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD_BYTES).lstrip()
    except OSError:
        return False
    return (head.startswith(b"{") and b'"schema_version"' in head and b'"tool"' in head) or (
        head[:15].lower() == b"<!doctype html>" and b"tf-postmortem" in head
    )


def read_incident(path: Path) -> WrittenIncident:
    """Return the written incident. A large HTML report holds less than the file of `--json`; `left_out` lists the rest.

    Values that do not match the schema are left out, with a note. Likely secrets are masked again, because an older
    version knew fewer forms. Raises InputError if the file is neither.
    """
    incident, changes = decode_incident(_load_object(path))
    if changes:
        kept = "does not match the schema and is" if changes == 1 else "do not match the schema and are"
        incident.notes.append(f"{plural(changes, 'value')} of this report {kept} left out")
    return rewrite_incident(incident, mask_secrets)


def _load_object(path: Path) -> dict[str, object]:
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_REPORT_BYTES + 1)
        if len(raw) > MAX_REPORT_BYTES:
            raise InputError(f"{path} has more than {MAX_REPORT_BYTES:,} bytes, more than a report may have", HINT)
        text = raw.decode("utf-8")
        if text.lstrip()[:1] == "<":
            data, end_tag, _ = text.partition(DATA_BEGIN)[2].partition(DATA_END)
            if not end_tag:
                raise InputError(f"{path} is an HTML file that contains no incident", HINT)
            text = data
        loaded = json.loads(text)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}", HINT) from error
    except (ValueError, RecursionError) as error:  # not JSON, perhaps not even text
        reason = "it is not a text file" if isinstance(error, UnicodeDecodeError) else error
        raise InputError(f"{path} is not a report of this program: {reason}", HINT) from error
    if not isinstance(loaded, dict) or not {"root_causes", "findings"} & loaded.keys():
        raise InputError(f"{path} is not a report of this program", HINT)
    return loaded
