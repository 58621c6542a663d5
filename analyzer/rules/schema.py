"""The JSON Schema (draft 2020-12) of a rule pack, for editors; made from the table of keys."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.rules.keys import BLOCK, CONDITIONS, CONFIDENCE, EVERYWHERE, LOOKUP, PACK, REPLAY, RULE, SIGNAL, Key


def make_schema() -> dict[str, object]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A rule pack of tf-postmortem",
        **_mapping(PACK),
        "$defs": {
            "signal": _mapping(SIGNAL, anyOf=[{"required": ["match"]}, {"required": ["contains"]}]),
            "rule": _mapping(RULE, anyOf=[{"required": [key]} for key in ("match", "contains", "when", "extends")]),
            "block": _mapping(BLOCK),
            "lookup": _mapping(LOOKUP),
            "confidence": _mapping(CONFIDENCE),
            "replay": _mapping(REPLAY),
            "condition": {
                "anyOf": [
                    {"type": "string", "description": "A signal's name."},
                    *(_condition(head, keys) for head, keys in CONDITIONS.items()),
                ]
            },
        },
    }


def _condition(head: str, keys: Sequence[Key]) -> dict[str, object]:
    written = _mapping((*keys, *EVERYWHERE))
    return {**written, "required": sorted({head, *(key.name for key in keys if key.required)})}


def _mapping(keys: Sequence[Key], **more: object) -> dict[str, object]:
    required = [key.name for key in keys if key.required]
    return {
        "type": "object",
        "properties": {key.name: {"description": key.means, **key.schema} for key in keys},
        "additionalProperties": False,
        **({"required": required} if required else {}),
        **more,
    }
