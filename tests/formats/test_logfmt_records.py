"""Lines of pairs that name their writer are records; those of services, and prefixes in pairs, are not."""

from __future__ import annotations

import pytest

from analyzer.formats import read_line
from analyzer.formats.unwrap import unwrap_head
from analyzer.model import Kind


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


LTSV = (
    "time:2026-11-24T12:37:16+0900\ttag:syslog\thost:gx-7\tident:kernel\tmessage:eth0: NIC Link is Down\n"
    "time:2026-11-24T12:37:25+0900\ttag:syslog\thost:gx-8\tident:pbs_mom\tpid:71\tmessage:Im_eof, end of message\n"
)


def test_tabbed_lines_of_syslog_are_lines_of_syslog() -> None:
    first, second = map(read_line, unwrap_head(LTSV.encode())[1].decode().splitlines())
    assert (first.host, first.kind, first.message) == ("gx-7", Kind.KERNEL, "eth0: NIC Link is Down")
    assert (second.host, second.pid, second.message) == ("gx-8", 71, "Im_eof, end of message")


def test_tabbed_lines_need_no_time() -> None:
    text = "".join(f"host:gx-{7 + at // 5}\tseq:{at}\tmessage:step {at} loss 0.5\n" for at in range(10))
    lines = [read_line(line) for line in unwrap_head(text.encode())[1].decode().splitlines()]
    assert {(line.host, line.message[:5]) for line in lines} == {("gx-7", "step "), ("gx-8", "step ")}


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
