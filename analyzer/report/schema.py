"""The JSON Schema of incident.json, made from the types that write and read it."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from analyzer.report.document import SCHEMA_ID, WrittenIncident


def incident_schema() -> dict[str, Any]:
    """Return the schema (2020-12), with the incident's own keys at its top."""
    _, parts = msgspec.json.schema_components((WrittenIncident,), ref_template="#/$defs/{name}")
    definitions = {_part_name(name): _rename_references(part) for name, part in parts.items()}
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


def _rename_references(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            key: f"#/$defs/{_part_name(value.rpartition('/')[2])}" if key == "$ref" else _rename_references(value)
            for key, value in schema.items()
        }
    return [_rename_references(item) for item in schema] if isinstance(schema, list) else schema


def _part_name(class_name: str) -> str:
    """Return `root_cause` for `WrittenRootCause`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", class_name.removeprefix("Written")).lower()
