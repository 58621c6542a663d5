"""What the cells of a notebook printed is read as lines; its code is not."""

from __future__ import annotations

import json

import pytest

from analyzer.formats.unwrap import choose_unwrapper

CELLS = [
    {
        "cell_type": "code",
        "source": ["raise ValueError\n", "%env TF_CONFIG={}\n", "!ssh gx-7 dmesg\n"],
        "outputs": [{"text": ["Epoch 1/2\n", "a\nb\n"]}],
    },
    {"cell_type": "code", "outputs": [{"traceback": ["\u001b[0;31mValueError\u001b[0m: bad", "x"]}]},
]


def unwrap(raw: bytes, size: int) -> bytes:
    unwrapper = choose_unwrapper(raw)
    assert unwrapper is not None and unwrapper.name == "notebook"
    blocks = [raw[at : at + size] for at in range(0, len(raw), size)]
    return b"".join(map(unwrapper.feed, blocks)) + unwrapper.finish()


@pytest.mark.parametrize("size", [7, 1000])
def test_outputs_are_unquoted_and_lines_stay_lines(size: int) -> None:
    raw = json.dumps({"cells": CELLS, "nbformat": 4}, indent=1).encode()
    text = unwrap(raw, size)
    lines = text.split(b"\n")
    assert len(lines) == raw.count(b"\n") + 1
    assert {b"Epoch 1/2", b"a\rb", b"ValueError: bad", b"x"} <= set(lines)
    assert {b'    "%env TF_CONFIG={}\\n",', b"!ssh gx-7 dmesg"} <= set(lines)
    assert b"raise ValueError" not in text


def test_what_is_no_string_stays() -> None:
    raw = b'{\n "cells": [\n  "text": [\n   12,\n   "cut\n  ]\n }\n'
    assert unwrap(raw, 1000) == raw
