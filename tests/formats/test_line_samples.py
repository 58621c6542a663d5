"""Every format reads the sample lines of its own docstring, alone and through `read_line`."""

from __future__ import annotations

import pytest

from analyzer.formats import FORMATS, Format, read_line
from tests.formats.samples import SAMPLES, samples_of


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.name)
def test_has_samples(each: Format) -> None:
    assert samples_of(each)


@pytest.mark.parametrize(("each", "text"), SAMPLES, ids=lambda value: getattr(value, "name", None))
def test_reads_its_sample(each: Format, text: str) -> None:
    alone = each.parse(text)
    assert alone is not None
    assert len(alone.message) < len(text) or alone.message == text
    assert each.name in read_line(text).formats


def test_names_are_unique() -> None:
    assert len({each.name for each in FORMATS}) == len(FORMATS)
