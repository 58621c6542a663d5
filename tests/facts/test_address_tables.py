"""Notes say whose an address is; only what names a host, and each with one other, counts."""

from __future__ import annotations

import pytest

from analyzer.facts.address_tables import read_address_table, read_host_lines, read_noted_hosts

HOSTS = frozenset({"mill-c7", "mill-c8"})


def table_of(text: str) -> dict[str, str]:
    return read_address_table(read_noted_hosts("note.txt", text), frozenset({"file.noted_host"}), HOSTS)


@pytest.mark.parametrize(
    "text",
    [
        "the console's log is by address (10.0.3.12 is mill-c7)",
        "10.0.3.12 = mill-c7",
        "mill-c7 → 10.0.3.12",
        "die Konsole heißt 10.0.3.12, und 10.0.3.12 ist mill-c7.",
        "mill-c7 (10.0.3.12) froze",
    ],
)
def test_a_note_says_whose_an_address_is(text: str) -> None:
    assert table_of(text) == {"10.0.3.12": "mill-c7"}


@pytest.mark.parametrize(
    "text",
    [
        "10.0.3.12 is down",
        "mill-c7: 10.0.3.12 does not answer",
        "10.0.3.12 is mill-c7; no, 10.0.3.12 is mill-c8",
        "127.0.0.1 is mill-c7",
        "mill-c7 (10.0.3.12:2222) froze",
        "eth0@mill-c7 = 10.0.3.12.9",
    ],
)
def test_other_words_beside_an_address_say_nothing(text: str) -> None:
    assert table_of(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "$ getent hosts gx7 gx8\n10.0.3.12     gx7\n10.0.3.13     gx8.example gx8 # new\n",
        "[train]\ngx7 ansible_host=10.0.3.12 ansible_user=ml\ngx8 ansible_user=ml ansible_host=10.0.3.13\n",
    ],
)
def test_several_lines_with_an_address_and_a_name_are_a_table(text: str) -> None:
    table = read_address_table(read_host_lines("job.txt", text), frozenset({"file.host_line"}), frozenset())
    assert {address: host.partition(".")[0] for address, host in table.items()} == {
        "10.0.3.12": "gx7",
        "10.0.3.13": "gx8",
    }


def test_one_line_alone_is_no_table() -> None:
    assert read_host_lines("job.txt", "10.0.3.12 gx7\n") == []
