"""Logs of processes that stand one behind the other in a file are told apart by the servers that they start."""

from __future__ import annotations

import pytest

from analyzer.formats import read_line
from analyzer.formats.unwrap import unwrap_head

START = (
    "I0000 00:00:179300{at}.250849   {pid} port.cc:153] oneDNN custom operations are on. You may see different results"
)
SERVER = "I0000 00:00:179300{at}.250849   {pid} grpc_server_lib.cc:467] Started server with target: grpc://{host}:2222"
STEPS = "step 1 loss 0.5\nstep 2 loss 0.4\n"


def log_of(host: str, at: int, pid: int = 411) -> str:
    return f"{START.format(at=at, pid=pid)}\n{SERVER.format(at=at + 3, pid=pid, host=host)}\n{STEPS}"


def hosts_of(text: str) -> list[str | None]:
    unwrapper, _ = unwrap_head(text.encode())
    plain = unwrapper.feed(text.encode()) + unwrapper.finish() if unwrapper else text.encode()
    assert plain.count(b"\n") == text.count("\n")
    return [line.host for line in map(read_line, plain.decode().split("\n")) if "step 1" in line.message]


@pytest.mark.parametrize("between", ["", "\n", "\nand the other one\n\n"])
def test_each_process_is_its_own(between: str) -> None:
    assert hosts_of(log_of("tyr", 20_05) + between + log_of("freya", 20_04)) == ["tyr", "freya"]


def test_processes_that_share_a_file_are_not_cut() -> None:
    shared = START.format(at=2005, pid=1) + "\n" + log_of("tyr", 20_06) + SERVER.format(at=2010, pid=1, host="freya")
    assert hosts_of(shared + "\n" + STEPS) == [None, None]


def test_a_later_start_without_a_border_is_of_the_same_process() -> None:
    again = START.format(at=2090, pid=411) + "\nstep 1 loss 0.3\n"
    assert hosts_of(log_of("tyr", 20_05) + again + log_of("freya", 20_04)) == ["tyr", "tyr", "freya"]


def test_a_process_that_names_no_server_is_nobodys() -> None:
    nameless = START.format(at=2001, pid=5) + "\n" + "step 1 loss 0.5\n" * 3
    hosts = hosts_of(log_of("tyr", 20_05) + log_of("freya", 20_04) + "\n" + nameless)
    assert hosts == ["tyr", "freya", None, None, None]


@pytest.mark.parametrize("end", ["------------------------------\n", "From: Rosa <rosa@example.org>\n"])
def test_the_next_letter_is_not_the_process(end: str) -> None:
    text = log_of("tyr", 20_05) + log_of("freya", 20_04) + end + "> step 1 loss 0.5\n"
    assert hosts_of(text) == ["tyr", "freya", None]


def test_servers_at_localhost_name_nobody() -> None:
    assert hosts_of(log_of("localhost", 20_05) + log_of("localhost", 20_04)) == [None, None]


def test_lines_that_name_their_writers_are_no_sections() -> None:
    """A launcher that waits for one machine after the other shows the borders of sections, too."""
    labelled = {host: log_of(host, at).replace("\n", f"\n[{host}] ") for host, at in (("tyr", 20_05), ("freya", 20_04))}
    text = "".join(f"[{host}] {log.removesuffix(f'[{host}] ')}" for host, log in labelled.items())
    mixed = text + "[tyr] step 1 loss 0.2\n"
    assert hosts_of(mixed)[-1] != "freya"
