"""The sample lines in the docstrings of all formats."""

from __future__ import annotations

import importlib

from analyzer.formats import FORMATS, Format


def samples_of(line_format: Format) -> list[str]:
    """Indented lines of the docstring of the module that parses it."""
    text = importlib.import_module(line_format.parse.__module__).__doc__ or ""
    return [line[4:].replace("\\t", "\t") for line in text.split("\n") if line.startswith("    ")]


SAMPLES = [(line_format, line) for line_format in FORMATS for line in samples_of(line_format)]
