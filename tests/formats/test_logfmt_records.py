"""Lines of pairs that name their writer are records; those of services, and prefixes in pairs, are not."""

from __future__ import annotations

import pytest

from analyzer.formats import read_line
from analyzer.formats.unwrap import unwrap_head


def lines_of(form: str) -> list[str]:
    text = "".join(form.format(at=at, host=f"gx-{7 + at % 2}", rank=at % 2) + "\n" for at in range(10, 40))
    return unwrap_head(text.encode())[1].decode().splitlines()


@pytest.mark.parametrize(
    ("form", "writer"),
    [
        ('t=2026-11-24T10:33:{at}Z host={host} rank={rank} msg="step {at} \\"loss\\" 0.5"', "gx-7"),
        ('rank={rank} time=2026-11-24T10:33:{at}Z level=info msg="step {at} loss"', "0"),
    ],
)
def test_the_writer_is_that_of_the_record(form: str, writer: str) -> None:
    line = read_line(lines_of(form)[0])
    assert (line.stream or line.host, line.message.startswith("step 10")) == (writer, True)


def test_a_quoted_text_keeps_its_quotes() -> None:
    assert (
        '"loss" 0.5' in lines_of('t=2026-11-24T10:33:{at}Z host={host} rank={rank} msg="step {at} \\"loss\\" 0.5"')[0]
    )


@pytest.mark.parametrize(
    "form",
    [
        'time="2026-11-24T10:33:{at}Z" level=info msg="image pulled" container=3f2a',
        "loss=0.5 accuracy=0.{at} step={at}",
        "a=1 b={at} c=3",
    ],
)
def test_services_and_metrics_stay_what_they_are(form: str) -> None:
    assert lines_of(form)[0] == form.format(at=10, host="", rank="")
