"""The strings of a library: which source file has them, which message they make up, and whether the packs know it."""

from __future__ import annotations

from pathlib import Path

import pytest
from builtin_rules import builtin_packs
from tf_strings.__main__ import main, read_messages
from tf_strings.literals import NotReadableError, read_literals
from tf_strings.messages import HOLE, Message, is_failure, join_messages
from tf_strings.recognition import find_known

from tests.tf_strings.small_library import AARCH64, write_library

AGENT = "external/xla/xla/tsl/distributed_runtime/coordination/coordination_service_agent.cc"
SERVICE = "external/xla/xla/tsl/distributed_runtime/coordination/coordination_service.cc"
BUNDLE = "tensorflow/core/util/tensor_bundle/tensor_bundle.cc"


def write(folder: Path, functions: dict[str, list[str]]) -> Path:
    path = folder / "libtensorflow_framework.so.2"
    path.write_bytes(write_library(functions))
    return path


def test_a_literal_belongs_to_the_file_that_its_function_or_both_neighbours_name(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {
            "first": [AGENT, "the first failed"],
            "inner": ["the inner failed"],
            "second": [AGENT, "the second failed"],
            "between": ["the one between failed"],
            "third": [BUNDLE, "the third failed"],
        },
    )
    files = {literal.text: literal.file for literal in read_literals(path)}
    assert files == {
        "the first failed": AGENT,
        "the inner failed": AGENT,
        "the second failed": AGENT,
        "the one between failed": "",
        "the third failed": BUNDLE,
    }


def test_the_literals_of_one_message_are_joined(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {
            "check": [
                SERVICE,
                "Task ",
                " heartbeat timeout.",
                "CheckHeartbeat",
                "Cannot reach %s: ",
                "No task is left.",
            ],
            "other": [SERVICE, ": nothing failed"],
        },
    )
    texts = [message.text for message in join_messages(read_literals(path))]
    assert texts == [
        f"Task {HOLE} heartbeat timeout.",
        f"Cannot reach {HOLE}: {HOLE}",
        "No task is left.",
        f"{HOLE}: nothing failed",
    ]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Could not find the worker", True),
        (f"{HOLE} failed", False),  # a fragment: any program may say it
        ("Starting the heartbeat thread", False),
    ],
)
def test_failures_are_told_from_fragments_and_from_other_texts(text: str, is_one: bool) -> None:
    assert is_failure(Message(SERVICE, text)) is is_one


def test_a_message_is_known_if_a_signal_with_a_meaning_matches_its_own_text() -> None:
    known_message = Message(
        SERVICE, f"Task {HOLE} heartbeat timeout. This indicates that the remote task has failed, got preempted"
    )
    unknown = Message(SERVICE, f"The wheel {HOLE} is not round")
    assert set(find_known([known_message, unknown], builtin_packs())) == {known_message}


def test_the_command_writes_the_table_and_the_unknown_messages(tmp_path: Path) -> None:
    write(
        tmp_path, {"check": [SERVICE, "Unable to turn the wheel ", "."], "read": ["a/other.cc", "No such thing found"]}
    )
    out = tmp_path / "table.md"
    assert main([f"9.1={tmp_path}", "--out", str(out)]) == 0
    text = out.read_text()
    assert "| coordination service | 0 / 1 (0%) |" in text
    assert f"* `Unable to turn the wheel {HOLE}.` (coordination_service.cc)" in text
    assert "No such thing" not in text


def test_a_library_of_another_processor_or_without_code_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "arm.so"
    other.write_bytes(write_library({"f": ["a text"]}, machine=AARCH64))
    with pytest.raises(NotReadableError, match="x86-64"):
        read_messages([other])
