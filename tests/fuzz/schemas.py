"""Documents that a JSON schema allows, from its types, enumerations and references."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from tests.fuzz import odd

Json = Any
DEEPEST = 7


def make_instance(schema: Json, root: Json, chance: Random, depth: int = 0) -> Json:
    """An instance of `schema`, whose references are of `root`; strings and numbers in it are odd."""
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    for choice in ("anyOf", "oneOf"):
        if choice in schema and "properties" not in schema:
            return make_instance(chance.choice(schema[choice]), root, chance, depth + 1)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    if "const" in schema:
        return schema["const"]
    kinds = schema.get("type", "string")
    kind = kinds if isinstance(kinds, str) else chance.choice(kinds)
    return _MAKERS[kind](schema, root, chance, depth)


def _make_object(schema: Json, root: Json, chance: Random, depth: int) -> Json:
    properties: Mapping[str, Json] = schema.get("properties", {})
    share = 0.9 if depth < 2 else 0.5 if depth < DEEPEST else 0.0
    keys = [key for key in properties if key in schema.get("required", ()) or chance.random() < share]
    made = {key: make_instance(properties[key], root, chance, depth + 1) for key in keys}
    others = schema.get("additionalProperties")
    if isinstance(others, dict) and depth < DEEPEST:
        made |= {
            odd.word(chance)[:60]: make_instance(others, root, chance, depth + 1)
            for _ in range(chance.choice((0, 1, 3)))
        }
    return made


def _make_array(schema: Json, root: Json, chance: Random, depth: int) -> Json:
    if "prefixItems" in schema:
        return [make_instance(item, root, chance, depth + 1) for item in schema["prefixItems"]]
    size = chance.choice((0, 1, 2, 5)) if depth < DEEPEST else 0
    return [make_instance(schema.get("items", {}), root, chance, depth + 1) for _ in range(size)]


def _make_number(schema: Json, root: Json, chance: Random, depth: int) -> Json:
    if schema.get("type") == "integer" or chance.random() < 0.5:
        return chance.choice((*odd.INTEGERS, *odd.EPOCHS, 1, 2, 3, 7))
    return chance.choice((0.0, -0.0, 0.5, 1e-300, 1e300, -1.5, 1.7e9))


def _make_string(schema: Json, root: Json, chance: Random, depth: int) -> Json:
    return chance.choice((odd.word, odd.word, odd.iso, odd.number, lambda _: "node-1", lambda _: "worker:0"))(chance)


_MAKERS: Mapping[str, Callable[[Json, Json, Random, int], Json]] = {
    "object": _make_object,
    "array": _make_array,
    "number": _make_number,
    "integer": _make_number,
    "string": _make_string,
    "boolean": lambda schema, root, chance, depth: chance.random() < 0.5,
    "null": lambda schema, root, chance, depth: None,
}
