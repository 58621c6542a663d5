"""Every format reads the sample lines of its own docstring, alone and through `read_line`."""

from __future__ import annotations

import pytest

from analyzer.formats import FORMATS, Format, read_line
from tests.formats.samples import SAMPLES, samples_of


@pytest.mark.parametrize("line_format", FORMATS, ids=lambda line_format: line_format.name)
def test_has_samples(line_format: Format) -> None:
    assert samples_of(line_format)


@pytest.mark.parametrize(("line_format", "text"), SAMPLES, ids=lambda value: getattr(value, "name", None))
def test_reads_its_sample(line_format: Format, text: str) -> None:
    alone = line_format.parse(text)
    assert alone is not None
    assert len(alone.message) < len(text) or alone.message == text
    assert line_format.name in read_line(text).formats


def test_names_are_unique() -> None:
    assert len({line_format.name for line_format in FORMATS}) == len(FORMATS)
