"""Tables that people make are read by what stands in their columns, in whatever language the header is."""

from __future__ import annotations

import pytest

from analyzer.formats import read_line
from analyzer.formats.records.log_tables import find_log_table
from analyzer.formats.unwrap import choose_unwrapper, unwrap_head

MESSAGES = (
    "kernel: eth0 link is up again",
    "kernel: eth0 link is down",
    "systemd: started session 7",
    "sshd: closed by peer",
)


def table(header: str, row: str) -> bytes:
    rows = (
        row.format(number=number, second=10 + number, host=f"elm{number % 2}.lab", message=message)
        for number, message in enumerate(MESSAGES * 2)
    )
    return "".join(f"{line}\n" for line in (header, *rows) if line).encode()


FORMS = {
    "semicolons, day and clock": (
        "Nr;Datum;Uhrzeit;Rechner;Meldung",
        "{number};24.11.2026;10:33:{second};{host};{message}",
    ),
    "tabs": ("quando\tdove\tcosa", "2026-11-24T10:33:{second}Z\t{host}\t{message}"),
    "without a header": ("", "2026-11-24 10:33:{second};{host};{message}"),
    "message first": ("说明|主机|时间", "{message}|{host}|2026-11-24 10:33:{second}"),
    "known names": ("Timestamp;Host;Message", "2026-11-24 10:33:{second};{host};{message}"),
    "with a level": ("kiedy;poziom;gdzie;co", "2026-11-24 10:33:{second};WARNING;{host};{message}"),
}


@pytest.mark.parametrize(("header", "row"), FORMS.values(), ids=FORMS)
def test_each_row_is_a_line_of_its_machine_and_time(header: str, row: str) -> None:
    _, text = unwrap_head(table(header, row))
    lines = [read_line(line.decode()) for line in text.splitlines()][bool(header) :]
    assert [line.host for line in lines] == [f"elm{number % 2}.lab" for number in range(8)]
    assert all(message.rpartition(": ")[2] in line.message for line, message in zip(lines, MESSAGES * 2, strict=True))
    assert [line.stamps[0].value % 60 for line in lines] == list(range(10, 18))


LABELS = '"{{""job"": ""train"", ""node"": ""{host}"", ""stream"": ""stderr""}}"'
LOKI = '{{job=""train"", node=""{host}""}}'


@pytest.mark.parametrize("labels", [LABELS, f'"{LOKI}"'], ids=["an object", "Loki's own form"])
@pytest.mark.parametrize("header", ['"Time","Line","labels"', '"Time","Line","stream"'])
def test_a_cell_of_labels_names_the_machine(header: str, labels: str) -> None:
    row = f'"2026-11-24 10:33:{{second}}.000","{{message}}",{labels}'
    _, text = unwrap_head(table(header, row))
    lines = [read_line(line.decode()) for line in text.splitlines()][1:]
    assert [line.host or line.stream for line in lines] == [f"elm{number % 2}.lab" for number in range(8)]


OTHERS = {
    "numbers": ("time;host;load;memory", "2026-11-24 10:33:{second};{host};{number};7"),
    "states": ("start;host;state", "2026-11-24 10:33:{second};{host};FAILED"),
    "no time": ("nr;host;what", "{number};{host};{message}"),
    "a log with semicolons": ("", "2026-11-24 10:33:{second} {host} a; b; c; {message}"),
}


@pytest.mark.parametrize(("header", "row"), OTHERS.values(), ids=OTHERS)
def test_other_tables_and_logs_are_none(header: str, row: str) -> None:
    assert find_log_table(table(header, row)) is None


def test_a_quoted_message_keeps_its_lines_and_its_delimiters() -> None:
    header, row = FORMS["semicolons, day and clock"]
    later_rows = '8;24.11.2026;10:33:20;elm0.lab;"one; two\nthree"\n9;24.11.2026;10:33:21;elm1.lab;four five six\n'
    unwrapper = choose_unwrapper(table(header, row) + later_rows.encode())
    assert unwrapper
    lines = (unwrapper.feed(table(header, row) + later_rows.encode()) + unwrapper.finish()).split(b"\n")
    assert lines[9].endswith(b"one; two\rthree") and lines[10] == b"" and lines[11].endswith(b"four five six")


def test_what_stands_beside_the_message_is_kept() -> None:
    """The event log of a BMC: the sensor is in a column of its own, and so is whether the event began or ended."""
    events = [
        ("Fan 1", "Lower Critical going low"),
        ("P1 Temp", "Upper Critical going high"),
        ("P1 Trip", "Thermal Trip"),
    ]
    rows = [f"00{at};2026-11-24 10:33:1{at};{name};{text};Asserted" for at, (name, text) in enumerate(events * 3)]
    rows[4] = rows[4].replace("Asserted", "Deasserted")
    _, text = unwrap_head(("Record;Time;Sensor;Event;Dir\n" + "\n".join(rows) + "\n").encode())
    assert "P1 Temp; Upper Critical going high; Deasserted" in text.decode()
    assert "P1 Trip; Thermal Trip; Asserted" in text.decode()


def test_one_machine_of_several_may_have_no_number() -> None:
    text = table(*FORMS["tabs"]).replace(b"elm0.lab", b"head")
    _, plain = unwrap_head(text)
    assert {read_line(line.decode()).host for line in plain.splitlines()[1:]} == {"head", "elm1.lab"}


@pytest.mark.parametrize("text", [b"\t\t\t\n" * 99, b";" * 70_000 + b"\n" + b";" * 70_000, b"|\n", b""])
def test_what_has_delimiters_alone_is_no_table(text: bytes) -> None:
    assert find_log_table(text) is None


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("time;type;reason;object;message", "2026-11-24T10:33:11Z;Warning;FailedScheduling;pod/w-3;0/7 nodes"),
        (
            "lastTimestamp,namespace,type,reason,kind,name,message",
            "2026-11-24T10:33:11Z,ml,Warning,FailedScheduling,Pod,w-3,0/7 nodes",
        ),
    ],
)
def test_events_of_kubernetes_keep_their_reason_and_object(header: str, row: str) -> None:
    text = f"{header}\n{row}\n".encode()
    unwrapper, _ = unwrap_head(text)
    assert unwrapper
    plain = (unwrapper.feed(text) + unwrapper.finish()).decode().splitlines()
    assert plain[1].endswith("Warning   FailedScheduling   pod/w-3   0/7 nodes")
