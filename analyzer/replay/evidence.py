"""Extract from the evidence of a root cause the parameters of the failure: its exception and its shapes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analyzer.replay.parameters import root_captures

Json = Mapping[str, Any]
# Empty brackets are a scalar. No tensor that a replay reduces has more dimensions or more digits in a size.
_SHAPE = re.compile(r"[\[(](\d{1,12}(?:, ?\d{1,12}){0,5}|),?[\])]", re.ASCII)
_ALLOCATION_ELEMENTS = (
    2**41,
    2**60,
)  # elements of a tensor that no machine can hold, while its size still fits an integer
_EXCEPTION = re.compile(r"^(?P<type>(?:\w+\.)*[A-Z]\w*): ?(?P<message>.*)")


def evidence_texts(root: Json) -> Iterator[str]:
    for evidence in root.get("evidence") or ():
        yield str(evidence.get("text") or "")
        yield from map(str, evidence.get("block") or ())


def find_exception(root: Json) -> tuple[str, str]:
    """Return the exception's type and message, from the rule's captures, or else from the last
    evidence line with both.
    """
    captures = root_captures(root)
    for key in ("exception", "type", "error"):
        if exception_type := captures.get(key):
            return str(exception_type), str(captures.get("message") or captures.get("reason") or "")
    for line in reversed([line for text in evidence_texts(root) for line in re.split(r"[\r\n]", text)]):
        if match := _EXCEPTION.match(line.strip()):
            return match["type"], match["message"]
    return "RuntimeError", next(
        (text.strip() for text in evidence_texts(root) if text.strip()), str(root.get("title") or "")
    )


def find_shapes(root: Json) -> list[list[int]]:
    """Return the distinct shapes in the evidence, in order.

    Brackets before the first word "shape" of a line are ignored: they belong to a launcher.
    """
    shapes: list[list[int]] = []
    captured = [f"shape {_in_brackets(value)}" for key, value in root_captures(root).items() if "shape" in key]
    for text in (*captured, *evidence_texts(root)):
        for match in _SHAPE.finditer(text.lower().partition("shape")[2]):
            if (shape := [int(size) for size in match[1].split(",") if size]) not in shapes:
                shapes.append(shape)
    return shapes


def _in_brackets(value: object) -> str:
    return text if (text := str(value)).startswith(("[", "(")) else f"[{text}]"


def has_two_collectives(root: Json) -> bool:
    """Return whether a scalar met a tensor, or two ranks differ. If so, the members ran different collectives.

    TensorFlow flattens most tensors before it reduces them (cross_device_utils.py), so `[1]` counts as a scalar.
    """
    shapes = find_shapes(root)[:2]
    return len(shapes) > 1 and (len(shapes[0]) != len(shapes[1]) or 1 in map(math.prod, shapes))


def scale_shapes(shapes: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Return the first two shapes, scaled down. Equal sizes stay equal, different sizes stay
    different, and 1 stays 1.
    """
    first, second = list(shapes[0]), list(shapes[1])
    if max([*first, *second], default=0) <= 8:
        return first, second
    small_sizes = {size: rank + 2 for rank, size in enumerate(sorted({*first, *second} - {1}))} | {1: 1}
    return [small_sizes[size] for size in first], [small_sizes[size] for size in second]


def enlarge_shape(shape: Sequence[int]) -> list[int]:
    """Return a shape that no machine can allocate, since this machine may have more memory than that
    of the incident.
    """
    min_elements, max_elements = _ALLOCATION_ELEMENTS
    sizes = [max(size, 1) for size in shape] or [1]
    while math.prod(sizes) > max_elements:
        sizes[sizes.index(max(sizes))] //= 2
    sizes[0] *= max(1, -(-min_elements // math.prod(sizes)))
    return sizes
