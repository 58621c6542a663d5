"""The prefix of a launcher's own is learned from the file; loggers and tables have none."""

from __future__ import annotations

import pytest

from analyzer.formats.records.writer_prefix import find_writer_prefix
from analyzer.formats.unwrap import choose_unwrapper

HOSTS = ("tyr", "freya", "odin")
STATED = "".join(f"grpc://{host}:2222 " for host in HOSTS)


def head_of(form: str, count: int = 90) -> bytes:
    texts = [STATED, "Traceback (most recent call last):", '  File "a.py", line 3, in <module>', "step 3 loss 0.5"]
    lines = (
        form.format(host=HOSTS[at % 3], rank=at % 3, at=at, seconds=at / 7) + texts[at % 4 if at else 0]
        for at in range(count)
    )
    return "".join(f"{line}\n" for line in lines).encode()


def unwrap(head: bytes) -> list[str]:
    unwrapper = choose_unwrapper(head)
    return ((unwrapper.feed(head) + unwrapper.finish()) if unwrapper else head).decode().split("\n")


@pytest.mark.parametrize(
    "form", ["[r{rank}@{host}] ", "({host}/{rank}) ", "{host}%{rank}: ", "{at} {host} >> ", "<{host}|{at:05}ms> "]
)
def test_the_prefix_gives_way_to_the_writer_and_indentation_stays(form: str) -> None:
    lines = unwrap(head_of(form))
    assert lines[3] == "[pod/tyr/-] step 3 loss 0.5"
    assert lines[2].endswith('[pod/odin/-]   File "a.py", line 3, in <module>')


def test_a_line_without_the_prefix_continues_the_one_above() -> None:
    head = head_of("[r{rank}@{host}] ") + b"and a last word\n"
    assert unwrap(head)[-2] == "[pod/odin/-] and a last word"


def test_names_are_the_hosts_whatever_their_case() -> None:
    lines = unwrap(head_of("{host}%{rank}: ").replace(b"tyr%", b"TYR%"))
    assert lines[3] == "[pod/TYR/-] step 3 loss 0.5"


@pytest.mark.parametrize(
    "line",
    [
        "INFO train: step {at} loss 0.5\n",
        "trainer: step {at}\ncheckpoint: saved {at}\n",
        "{at} 0.5 0.25 0.1\n",
        "Epoch {at}/90 - loss: 0.5\n",
        "2 417 eni-0a 10.0.3.{at} 10.0.4.7 443 8890 6 REJECT OK\n",
    ],
)
def test_programs_of_one_writer_have_no_prefix(line: str) -> None:
    assert find_writer_prefix("".join(line.format(at=at) for at in range(10, 90)).encode()) is None


def test_a_prefix_that_a_format_reads_is_left_to_it() -> None:
    assert find_writer_prefix(head_of("[rank{rank}]: ")) is None
    assert find_writer_prefix(head_of("Nov 24 10:33:12 {host} train[41{rank}]: ")) is None


def test_the_short_output_of_a_command_on_several_machines() -> None:
    lines = [
        "tyr: Failed to initialize NVML: Driver/library version mismatch",
        "tyr: NVML library version: 550.54",
        "freya: | NVIDIA-SMI 550.40.07 |",
        "freya: |   0  NVIDIA L4 Off |",
        "odin: | NVIDIA-SMI 550.40.07 |",
    ]
    prefix = find_writer_prefix("".join(f"{line}\n" for line in lines).encode())
    assert prefix is not None
    assert [prefix.split(line) for line in lines[1:3]] == [("tyr", 5), ("freya", 7)]


@pytest.mark.parametrize(
    "lines",
    [
        ["name: a", "size: 3", "name: b", "size: 4"],  # keys
        ["error: no such file", "error: giving up", "note: see above", "note: and below"],
        ["tyr: one", "tyr: two", "tyr: three", "tyr: four"],
    ],
)
def test_keys_levels_and_a_lone_name_are_no_machines(lines: list[str]) -> None:
    assert find_writer_prefix("".join(f"{line}\n" for line in lines).encode()) is None
