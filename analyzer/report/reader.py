"""An incident out of what the program wrote earlier: `--json`, or the data inside an HTML report."""

from __future__ import annotations

import json
from pathlib import Path

from analyzer.errors import InputError
from analyzer.redact.secrets import mask_secrets
from analyzer.report.decode import decode_incident, rewrite_incident
from analyzer.report.document import WrittenIncident
from analyzer.report.formatting import plural

HINT = "give what `tf-postmortem analyze` wrote with --json or -o"
DATA_BEGIN, DATA_END = '<script type="application/json" id="incident-data">', "</script>"
HEAD_BYTES = 1024  # bytes in which a report shows what it is


def is_report(path: Path) -> bool:
    """By its first bytes: our JSON begins with the version of its schema, our HTML names the program.

    A file that cannot be read is none: whoever opens it next says why.
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
    """Return the written incident. A large HTML report holds less than `--json` wrote: `left_out` names what.

    What does not keep the schema is left out, with a note, and what looks like a secret is masked: another version
    knew fewer forms. Raises InputError where the file is neither.
    """
    incident, changes = decode_incident(_load_object(path))
    if changes:
        kept = "does not keep the schema and is" if changes == 1 else "do not keep the schema and are"
        incident.notes.append(f"{plural(changes, 'value')} of this report {kept} left out")
    return rewrite_incident(incident, mask_secrets)


def _load_object(path: Path) -> dict[str, object]:
    try:
        text = path.read_text("utf-8")
        if text.lstrip()[:1] == "<":
            data, end_tag, _ = text.partition(DATA_BEGIN)[2].partition(DATA_END)
            if not end_tag:
                raise InputError(f"{path} is an HTML file without an incident in it", HINT)
            text = data
        loaded = json.loads(text)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}", HINT) from error
    except (ValueError, RecursionError) as error:  # neither JSON nor, perhaps, text
        reason = "it is no text" if isinstance(error, UnicodeDecodeError) else error
        raise InputError(f"{path} is no report of this program: {reason}", HINT) from error
    if not isinstance(loaded, dict) or not {"root_causes", "findings"} & loaded.keys():
        raise InputError(f"{path} is no report of this program", HINT)
    return loaded
