"""A line is harmless because of who wrote it: the same words in an error of a user's program are an error."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from builtin_rules import builtin_packs
from pattern_texts import list_texts

from analyzer.model import Kind
from analyzer.paths import cache_dir
from analyzer.reading import ReadPlan, build_plan
from analyzer.rule_tests.check import analyze_texts
from analyzer.signals.types import Signal

TRAINING = [f"2026-03-01 10:04:{second:02d},000 INFO train: step {second} loss 0.5" for second in range(40)]
WRITER = re.compile(r".*?(?:\.cc:7\](?: |$)|\bWARNING:(?:\w+:| )|\bW7777 \S+ 7 x\.py:7\] |NCCL (?:INFO|WARN) )")
USER_LINES = (
    "2026-03-01 10:05:00,000 ERROR feeder: {words}",
    "ERROR:root:{words}",
    "E0301 10:05:00.000000 140 train.py:33] {words}",
)
EXCEPTION = "ValueError: {words}"  # a line without prefix, of which only the words say whether the kernel wrote it
# Lines that nothing but their text tells from others, and why nobody else writes that text.
WITHOUT_WRITER = {
    "^To enable the": "the second line of a message of cpu_feature_guard.cc names compiler flags of TensorFlow",
    "^Your kernel may": "the second line of a message of cuda_executor.cc",
    "^tcmalloc: large alloc": "tcmalloc writes to standard error itself and begins each line with its name",
    r"(?:[\w/\\.-]{1,300}\.py|<[a-z]": "Python's `warnings` printed it, as file, line and class say",
    "invoked oom-killer: gfp_mask=": "the kernel's, with its flags; rules use it as a signal",
    "NVRM: GPU at ": "the kernel's, by the name of the driver",
    "(?P<iface>": "the kernel's and network daemons'; rules use it as a signal",
    "CPU(?P<cpu>": "the kernel's; rules use it as a signal",
}


@pytest.fixture(scope="module")
def plan() -> ReadPlan:
    return build_plan(builtin_packs(), cache_dir())


def noise_patterns() -> list[tuple[Signal, str]]:
    signals = builtin_packs().signals.values()
    return [(signal, pattern) for signal in signals if signal.noise for pattern in signal.match]


def user_lines(signal: Signal, pattern: str) -> Iterator[str]:
    for words in (WRITER.sub("", text) for text in list_texts(pattern)):
        yield from (line.format(words=words) for line in USER_LINES)
        if signal.kinds != {Kind.KERNEL}:
            yield EXCEPTION.format(words=words)


def is_excepted(pattern: str) -> bool:
    return any(pattern.startswith(start) or (start[0] not in "^(" and start in pattern) for start in WITHOUT_WRITER)


def test_no_harmless_line_hides_the_same_words_in_an_error(plan: ReadPlan) -> None:
    entries = [entry for entry in noise_patterns() if not is_excepted(entry[1])]
    lines = [line for entry in entries for line in user_lines(*entry)]
    incident = analyze_texts({"n1/worker.log": "\n".join([*TRAINING, *lines]) + "\n"}, builtin_packs(), plan, [])
    assert len(lines) > 500
    assert not incident.noise


def test_every_exception_is_needed() -> None:
    patterns = [pattern for _, pattern in noise_patterns()]
    for start in WITHOUT_WRITER:
        assert any(pattern.startswith(start) or start in pattern for pattern in patterns), start


@pytest.mark.parametrize("name", [name for name in builtin_packs().signals if name.startswith("noise_")])
def test_each_entry_hears_its_own_writer(name: str, plan: ReadPlan) -> None:
    patterns = builtin_packs().signals[name].match
    texts = [text for pattern in patterns for text in list_texts(pattern)]
    incident = analyze_texts({"n1/worker.log": "\n".join(texts) + "\n"}, builtin_packs(), plan, [])
    assert {row["signal"]: row["count"] for row in incident.noise}.get(name) == len(texts)
