"""Decode an incident from JSON that another version or program may have written, or that may be damaged.

`decode_incident` never raises: invalid values are left out, and missing ones are empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from analyzer.report.document import WrittenIncident

MAX_NUMBER = 1 << 63  # beyond, a number is neither a count nor a time
MAX_DEPTH = 60  # levels of nesting; an incident has about ten, and Python gives up at some hundreds
_EMPTY: Mapping[type[inspect.Type], object] = {
    inspect.StrType: "",
    inspect.IntType: 0,
    inspect.FloatType: 0.0,
    inspect.BoolType: False,
}
_PYTHON_TYPES: Mapping[type[inspect.Type], tuple[type, ...]] = {
    inspect.StrType: (str,),
    inspect.IntType: (int,),
    inspect.FloatType: (int, float),
    inspect.NoneType: (type(None),),
    inspect.StructType: (dict,),
    inspect.DictType: (dict,),
    inspect.ListType: (list,),
    inspect.CollectionType: (list,),
    inspect.TupleType: (list,),
}


def decode_incident(value: Mapping[str, object]) -> tuple[WrittenIncident, int]:
    """Return the incident, and the number of places where `value` does not match the schema: these are left out or
    empty.

    Keys that this version does not know are left out without being counted.
    """
    decoder = _Decoder()
    bounded = decoder.bound(dict(value))
    if not decoder.changes:
        try:
            return msgspec.convert(bounded, WrittenIncident), 0
        except (msgspec.ValidationError, UnicodeEncodeError):  # the latter: a key holds a lone surrogate
            pass  # the slow decoder finds the places
    return decoder.decode(bounded, _incident_type()), decoder.changes


def rewrite_incident(
    incident: WrittenIncident, change: Callable[[dict[str, object]], dict[str, object]]
) -> WrittenIncident:
    """Return the incident whose JSON object is what `change` makes of that of `incident`. Its types must stay."""
    return msgspec.convert(change(msgspec.to_builtins(incident)), WrittenIncident)


@cache
def _incident_type() -> inspect.Type:
    return inspect.type_info(WrittenIncident)


class _Decoder:
    """Decode values and count the places that it had to change."""

    def __init__(self) -> None:
        self.changes = 0

    def bound(self, value: Any, depth: int = 0) -> Any:
        """Return `value` without absurdly large numbers and without values that are nested too deeply."""
        if isinstance(value, dict | list) and depth > MAX_DEPTH:
            self.changes += 1
            return type(value)()
        if isinstance(value, dict):
            return {str(key): self.bound(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list):
            return [self.bound(item, depth + 1) for item in value]
        if isinstance(value, int | float) and not -MAX_NUMBER < value < MAX_NUMBER:
            self.changes += 1
            return None
        return value

    def decode(self, value: Any, kind: inspect.Type) -> Any:
        """Return `value`, whose outer type matches `kind`, with everything inside it made to match."""
        kind = _choose(value, kind)
        match kind:
            case inspect.StructType():
                return self._decode_struct(value, kind)
            case inspect.ListType(item_type=item) | inspect.CollectionType(item_type=item):
                return [self.decode(element, item) for element in self._fitting(value, item)]
            case inspect.DictType(value_type=item):
                kept = {key: element for key, element in value.items() if _fits(element, item)}
                self.changes += len(value) - len(kept)
                return {key: self.decode(element, item) for key, element in kept.items()}
            case inspect.TupleType():
                return tuple(value)
        return value

    def _fitting(self, values: list[Any], kind: inspect.Type) -> list[Any]:
        kept = [value for value in values if _fits(value, kind)]
        self.changes += len(values) - len(kept)
        return kept

    def _decode_struct(self, value: Mapping[str, Any], kind: inspect.StructType) -> Any:
        fields: dict[str, Any] = {}
        for field in kind.fields:
            given = value.get(field.name, msgspec.UNSET)
            if given is not msgspec.UNSET and _fits(given, field.type):
                fields[field.name] = self.decode(given, field.type)
                continue
            self.changes += given is not msgspec.UNSET
            if field.required:
                fields[field.name] = self._empty(field.type)
        return kind.cls(**fields)

    def _empty(self, kind: inspect.Type) -> Any:
        """Return the empty value of a type: None if the type allows it."""
        if _fits(None, kind):
            return None
        kind = _options(kind)[0]
        if isinstance(kind, inspect.StructType):
            return self._decode_struct({}, kind)
        return _EMPTY[type(kind)] if type(kind) in _EMPTY else {} if isinstance(kind, inspect.DictType) else []


def _options(kind: inspect.Type) -> tuple[inspect.Type, ...]:
    """Return the kinds that a union allows, or the kind alone; without the descriptions."""
    if isinstance(kind, inspect.Metadata):
        return _options(kind.type)
    if isinstance(kind, inspect.UnionType):
        return tuple(option for member in kind.types for option in _options(member))
    return (kind,)


def _choose(value: object, kind: inspect.Type) -> inspect.Type:
    return next(option for option in _options(kind) if _is(value, option))


def _fits(value: object, kind: inspect.Type) -> bool:
    return any(_is(value, option) for option in _options(kind))


def _is(value: object, kind: inspect.Type) -> bool:
    """Return whether the outer type of `value` is `kind`; of a tuple all of its parts."""
    if isinstance(kind, inspect.AnyType):
        return True
    if isinstance(value, bool):
        return isinstance(kind, inspect.BoolType)
    if not isinstance(value, _PYTHON_TYPES.get(type(kind), ())):
        return False
    if isinstance(kind, inspect.TupleType):
        assert isinstance(value, list)
        return len(value) == len(kind.item_types) and all(map(_fits, value, kind.item_types))
    return True
