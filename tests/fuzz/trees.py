"""Changes of JSON and YAML documents: one value becomes another, so that the whole still parses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import yaml

from tests.fuzz import odd

Tree = Any
_LEAVES: tuple[Tree, ...] = (
    None,
    True,
    False,
    0,
    -1,
    0.5,
    1e308,
    float("inf"),
    float("nan"),
    "",
    [],
    {},
    [[]],
    {"": None},
)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def twist(tree: Tree, chance: Random, donors: Sequence[Tree]) -> Tree:
    """The tree with one to three places changed; pieces of `donors` are put where the same key stands."""
    holder = [tree]
    for _ in range(chance.choice((1, 1, 2, 3))):
        places = list(_places(holder))
        where, key = chance.choice(places)
        change = chance.randrange(8)
        if change < 3:
            where[key] = _other(where[key], chance)
        elif change < 5 and donors:
            where[key] = _piece(chance.choice(donors), key, chance)
        elif change == 5:
            container, other = chance.choice(places)
            where[key] = _copy(container[other])
        elif change == 6 and where is not holder:
            del where[key]
        elif isinstance(where, dict):
            where[chance.choice((odd.word(chance), str(key) + "x"))] = _copy(where[key])
        elif isinstance(where, list) and where is not holder:
            where[key:key] = [_copy(where[key]) for _ in range(chance.choice((1, 2, 40)))]
    return holder[0]


def _places(node: Tree) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) below and in `node`."""
    waiting = [node]
    while waiting:
        container = waiting.pop()
        for key, value in container.items() if isinstance(container, dict) else enumerate(container):
            yield container, key
            if isinstance(value, dict | list):
                waiting.append(value)


def _copy(node: Tree) -> Tree:
    if isinstance(node, dict):
        return {key: _copy(value) for key, value in node.items()}
    return [_copy(value) for value in node] if isinstance(node, list) else node


def _other(old: Tree, chance: Random) -> Tree:
    """Mostly of the same type, because another type is soon refused."""
    if isinstance(old, str) and chance.random() < 0.7:
        piece = chance.choice((odd.word, odd.iso, odd.number))(chance)
        return chance.choice((piece, old + piece, old[: len(old) // 2], old.upper(), old * 2))
    if isinstance(old, int | float) and chance.random() < 0.7:
        return chance.choice((*odd.INTEGERS, *odd.EPOCHS, 0.1, 1e300, -0.0, float("nan")))
    return chance.choice((_copy(chance.choice(_LEAVES)), odd.word(chance), [old], {"a": old}, _nest(old, chance)))


def _nest(node: Tree, chance: Random) -> Tree:
    for _ in range(chance.choice((3, 60, 400))):
        node = [node] if chance.random() < 0.5 else {"x": node}
    return node


def _piece(donor: Tree, key: object, chance: Random) -> Tree:
    """What stands under such a key in another document, or anything of it."""
    if not isinstance(donor, dict | list) or not donor:
        return donor
    places = list(_places(donor))
    same = [place for place in places if place[1] == key]
    where, container = chance.choice(same or places)
    return _copy(where[container])


@lru_cache(512)
def _load_json(data: bytes) -> str | None:
    """Normal text of a document, or None: kept as text, because trees are changed in place."""
    try:
        return json.dumps(json.loads(data))
    except (ValueError, RecursionError):
        return None


@lru_cache(512)
def _load_yaml(data: bytes) -> str | None:
    try:
        return json.dumps(yaml.load(data, _LOADER), default=str)
    except (yaml.YAMLError, ValueError, RecursionError, TypeError):
        return None


def _changer(load: Callable[[bytes], str | None], dump: Callable[[Tree], str]) -> Callable[..., bytes]:
    def change(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
        document = load(data)
        if document is None:
            return data
        donors = [
            json.loads(other) for seed in chance.sample(seeds, min(2, len(seeds))) if (other := load(seed)) is not None
        ]
        try:
            return dump(twist(json.loads(document), chance, donors)).encode("utf-8", "surrogatepass")
        except (RecursionError, UnicodeEncodeError, yaml.YAMLError):
            return data

    return change


def _dump_yaml(tree: Tree) -> str:
    return str(yaml.dump(tree, Dumper=_DUMPER, sort_keys=False, allow_unicode=True, width=200))


twist_json = _changer(_load_json, json.dumps)
twist_yaml = _changer(_load_yaml, _dump_yaml)


def twist_records(data: bytes, chance: Random, seeds: Sequence[bytes]) -> bytes:
    """One line that is JSON, or the JSON that a line ends in, as `twist_json` would have it."""
    lines = data.split(b"\n")
    held = [at for at, line in enumerate(lines) if b"{" in line]
    if not held:
        return data
    at = chance.choice(held)
    start = lines[at].index(b"{")
    lines[at] = lines[at][:start] + twist_json(lines[at][start:], chance, [lines[chance.choice(held)]])
    return b"\n".join(lines)
