"""The JSON Schema (draft 2020-12) of a rule pack, for editors; made from the table of keys."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.rules.parsing.keys import (
    BLOCK,
    CONDITIONS,
    CONFIDENCE,
    LOOKUP,
    PACK,
    REPLAY,
    RULE,
    SHARED_CONDITION_KEYS,
    SIGNAL,
    LanguageKey,
)


def make_schema() -> dict[str, object]:
    """Return the JSON Schema of a pack."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A rule pack of tf-postmortem",
        **_mapping_schema(PACK),
        "$defs": {
            "signal": _mapping_schema(SIGNAL, anyOf=[{"required": ["match"]}, {"required": ["contains"]}]),
            "rule": _mapping_schema(
                RULE, anyOf=[{"required": [key]} for key in ("match", "contains", "when", "extends")]
            ),
            "block": _mapping_schema(BLOCK),
            "lookup": _mapping_schema(LOOKUP),
            "confidence": _mapping_schema(CONFIDENCE),
            "replay": _mapping_schema(REPLAY),
            "condition": {
                "anyOf": [
                    {"type": "string", "description": "A signal's name."},
                    *(_condition_schema(head, keys) for head, keys in CONDITIONS.items()),
                ]
            },
        },
    }


def _condition_schema(head: str, keys: Sequence[LanguageKey]) -> dict[str, object]:
    schema = _mapping_schema((*keys, *SHARED_CONDITION_KEYS))
    return {**schema, "required": sorted({head, *(key.name for key in keys if key.required)})}


def _mapping_schema(keys: Sequence[LanguageKey], **more: object) -> dict[str, object]:
    required = [key.name for key in keys if key.required]
    return {
        "type": "object",
        "properties": {key.name: {"description": key.description, **key.schema} for key in keys},
        "additionalProperties": False,
        **({"required": required} if required else {}),
        **more,
    }
