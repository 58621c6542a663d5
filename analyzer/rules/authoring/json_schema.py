"""The JSON Schema (draft 2020-12) of a rule pack, for editors; made from the table of keys."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.rules.parsing.keys import (
    APPEND,
    BLOCK,
    CONDITIONS,
    CONFIDENCE,
    EXCEPTION_WINDOW,
    LOOKUP,
    PACK,
    PATTERN_KEYS,
    RANGE,
    REPLAY,
    RULE,
    SIGNAL,
    STEP,
    TIMELESS,
    WHERE,
    LanguageKey,
    names_of,
)


def make_schema() -> dict[str, object]:
    """Return the JSON Schema of a pack."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A rule pack of tf-postmortem",
        **_mapping_schema(PACK),
        "$defs": {
            "signal": _mapping_schema(SIGNAL, anyOf=[{"required": [key]} for key in PATTERN_KEYS]),
            "rule": _mapping_schema(RULE, anyOf=[{"required": [key]} for key in (*PATTERN_KEYS, "when", "extends")]),
            "block": _mapping_schema(BLOCK),
            "lookup": _mapping_schema(LOOKUP),
            "confidence": _mapping_schema(CONFIDENCE),
            "replay": _mapping_schema(REPLAY),
            "append": _mapping_schema(APPEND, minProperties=1),
            "tests": WHERE,
            "range": _mapping_schema(RANGE, minProperties=1),
            "condition": _any_condition(()),
            "step": _any_condition(STEP),
        },
    }


def _any_condition(more_keys: Sequence[LanguageKey]) -> dict[str, object]:
    """Return the schema of a signal's name or a mapping of one of the heads, which may have `more_keys` too."""
    forms = (_condition_schema(head, keys, more_keys) for head, keys in CONDITIONS.items())
    return {"anyOf": [{"type": "string", "description": "A signal's name."}, *forms]}


def _condition_schema(head: str, keys: Sequence[LanguageKey], more_keys: Sequence[LanguageKey]) -> dict[str, object]:
    required = sorted({head, *(key.name for key in keys if key.required)})
    has_window = "within" in names_of(keys) or head in TIMELESS
    bounds = {"anyOf": [{"required": ["exactly"]}, {"required": ["at_least"]}]} if head == "share" else {}
    if has_window:
        return {**_mapping_schema((*keys, *more_keys)), "required": required}
    schema = _mapping_schema((*keys, *more_keys, EXCEPTION_WINDOW), dependentRequired={"within": ["unless"]}, **bounds)
    return {**schema, "required": required}


def _mapping_schema(keys: Sequence[LanguageKey], **more: object) -> dict[str, object]:
    required = [key.name for key in keys if key.required]
    return {
        "type": "object",
        "properties": {key.name: {"description": key.description, **key.schema} for key in keys},
        "additionalProperties": False,
        **({"required": required} if required else {}),
        **more,
    }
