"""An incident that another hand may have written, made to keep its schema, so that whoever reads on may rely on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from analyzer.report.tolerant import MAX_NUMBER
from analyzer.resources import templates_dir

Json = Any
DEEPEST = 60  # levels; an incident has about ten, and Python gives up at some hundreds
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_EMPTY: Mapping[str, Json] = {"object": {}, "array": [], "string": "", "integer": 0, "number": 0, "boolean": False}


@dataclass(slots=True)
class _Fitting:
    definitions: Mapping[str, Json]
    changes: int = 0

    def fit(self, value: Json, schema: Json, depth: int = 0) -> Json:
        """`value`, or what stands for nothing where it is of another type than the schema says, or lies too deep."""
        schema = self._resolve(schema)
        kinds = _kinds(schema)
        if depth > DEEPEST and isinstance(value, dict | list):
            self.changes += 1
            value = type(value)()
        if value not in schema.get("enum", (value,)) or (kinds and not any(_is(value, kind) for kind in kinds)):
            self.changes += 1
            value = None if "null" in kinds else _EMPTY[kinds[0]]
        if isinstance(value, dict):
            return self._fit_object(value, schema, depth)
        if isinstance(value, list):
            inner = self._resolve(schema.get("items", {}))
            kept = [one for one in value if not _kinds(inner) or any(_is(one, kind) for kind in _kinds(inner))]
            self.changes += len(value) - len(kept)
            return [self.fit(one, inner, depth + 1) for one in kept]
        return value

    def _fit_object(self, value: Mapping[str, Json], schema: Json, depth: int) -> Json:
        known, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        fitted = {key: self.fit(each, known.get(key, others), depth + 1) for key, each in value.items()}
        missing = [key for key in schema.get("required", ()) if key not in fitted]
        if "$defs" not in schema:  # of the whole, a large HTML report leaves parts out
            fitted |= {key: self.fit(None, known.get(key, {}), depth + 1) for key in missing}
        return fitted

    def _resolve(self, schema: Json) -> Json:
        name = schema.get("$ref", "").rpartition("/")[2]
        return self.definitions[name] if name else schema


def _kinds(schema: Json) -> list[str]:
    """The types that a schema allows; none where it allows all."""
    if "oneOf" in schema:
        return [kind for each in schema["oneOf"] for kind in _kinds(each)]
    if "enum" in schema or "const" in schema:
        return ["string"]
    said = schema.get("type", [])
    return [said] if isinstance(said, str) else list(said)


def _is(value: Json, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, int | float) and not -MAX_NUMBER < value < MAX_NUMBER:
        return False
    return isinstance(value, _TYPES[kind])


@cache
def _schema() -> Json:
    return json.loads((templates_dir() / "incident.schema.json").read_text("utf-8"))


def fit_incident(incident: Mapping[str, Json]) -> tuple[dict[str, Json], int]:
    """The incident as its schema wants it, and at how many places it was otherwise: these say nothing now."""
    fitting = _Fitting(_schema()["$defs"])
    fitted: dict[str, Json] = fitting.fit(dict(incident), _schema())
    return fitted, fitting.changes
