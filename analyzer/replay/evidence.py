"""What the evidence of a root cause tells of the failure: its exception, its shapes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analyzer.replay.parameters import captures_of

Json = Mapping[str, Any]
# Nothing between the brackets: a scalar. No tensor that a replay reduces has more dimensions or a longer size.
_SHAPE = re.compile(r"[\[(](\d{1,12}(?:, ?\d{1,12}){0,5}|),?[\])]", re.ASCII)
_ALLOCATED = 2**41, 2**60  # elements of a tensor that no machine has room for, and that its size can still be told
_EXCEPTION = re.compile(r"^(?P<type>(?:\w+\.)*[A-Z]\w*): ?(?P<message>.*)")


def texts_of(root: Json) -> Iterator[str]:
    for evidence in root.get("evidence") or ():
        yield str(evidence.get("text") or "")
        yield from map(str, evidence.get("block") or ())


def find_exception(root: Json) -> tuple[str, str]:
    """Its type and message, from what the rule captured, else from the evidence's last line that reads like one."""
    captures = captures_of(root)
    for key in ("exception", "type", "error"):
        if found := captures.get(key):
            return str(found), str(captures.get("message") or captures.get("reason") or "")
    for line in reversed([line for text in texts_of(root) for line in re.split(r"[\r\n]", text)]):
        if match := _EXCEPTION.match(line.strip()):
            return match["type"], match["message"]
    return "RuntimeError", next((text.strip() for text in texts_of(root) if text.strip()), str(root.get("title") or ""))


def find_shapes(root: Json) -> list[list[int]]:
    """Different shapes that the evidence names, in order; brackets before a line's first "shape" are a launcher's."""
    found: list[list[int]] = []
    captured = [f"shape {_bracket(value)}" for key, value in captures_of(root).items() if "shape" in key]
    for text in (*captured, *texts_of(root)):
        for match in _SHAPE.finditer(text.lower().partition("shape")[2]):
            if (shape := [int(size) for size in match[1].split(",") if size]) not in found:
                found.append(shape)
    return found


def _bracket(value: object) -> str:
    return text if (text := str(value)).startswith(("[", "(")) else f"[{text}]"


def show_two_collectives(root: Json) -> bool:
    """Whether a scalar met a tensor, or a tensor one of another rank: members were in different collectives.

    TensorFlow flattens most tensors before it reduces them (cross_device_utils.py), so that `[1]` is a scalar.
    """
    shapes = find_shapes(root)[:2]
    return len(shapes) > 1 and (len(shapes[0]) != len(shapes[1]) or 1 in map(math.prod, shapes))


def scale_shapes(shapes: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """The first two shapes with small sizes: equal ones stay equal, different ones different, and 1 stays 1."""
    first, odd = list(shapes[0]), list(shapes[1])
    if max([*first, *odd], default=0) <= 8:
        return first, odd
    small = {size: rank + 2 for rank, size in enumerate(sorted({*first, *odd} - {1}))} | {1: 1}
    return [small[size] for size in first], [small[size] for size in odd]


def enlarge(shape: Sequence[int]) -> list[int]:
    """A shape of so many floats that no machine has them: size is the point, and this machine may be larger."""
    least, most = _ALLOCATED
    larger = [max(size, 1) for size in shape] or [1]
    while math.prod(larger) > most:
        larger[larger.index(max(larger))] //= 2
    larger[0] *= max(1, -(-least // math.prod(larger)))
    return larger
