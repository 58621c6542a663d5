"""The JSON Schema of incident.json, made from the types that write and read it."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from analyzer.report.document import SCHEMA_ID, WrittenIncident


def incident_schema() -> dict[str, Any]:
    """Return the schema (2020-12), with the incident's own keys at its top."""
    _, parts = msgspec.json.schema_components((WrittenIncident,), ref_template="#/$defs/{name}")
    text = re.sub(r'"#/\$defs/(\w+)"', lambda match: f'"#/$defs/{_part_name(match[1])}"', json.dumps(parts))
    definitions = {_part_name(name): part for name, part in json.loads(text).items()}
    for part in definitions.values():
        del part["title"]  # the class's name
    incident = definitions.pop("incident")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "incident.json of tf-postmortem",
        **incident,
        "$defs": definitions,
    }


def _part_name(class_name: str) -> str:
    """Return `root_cause` for `WrittenRootCause`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", class_name.removeprefix("Written")).lower()
