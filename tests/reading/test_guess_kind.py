"""The kind of a file is the same whether a deciding part of its lines is read or all of them."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from analyzer.formats import read_line
from analyzer.model import Kind
from analyzer.reading.shapes import shape_of
from analyzer.reading.source_kinds import guess_kind

LINES = (
    "Nov 21 05:10:07 host sshd[12]: Accepted publickey",
    "2026-11-21 05:10:06,497 INFO train: starting",
    "[   12.345678] usb 1-1: new device",
    "[2026-11-21T05:10:06.497] error: slurmd: no reply",
    "nothing that anybody knows",
)
FILES = {"a/out.txt": None, "a/dmesg.txt": Kind.KERNEL, "a/syslog": Kind.SYSTEM, "a/slurm-1.out": Kind.SCHEDULER}


@given(st.sampled_from(sorted(FILES)), st.lists(st.sampled_from(LINES), max_size=90))
def test_few_lines_decide_as_all_lines_would(file: str, lines: list[str]) -> None:
    votes = Counter(kind for line in lines[:80] if (kind := read_line(line).kind) is not None)
    named = FILES[file]
    if named is not Kind.KERNEL and votes[Kind.KERNEL] * 2 < len(lines[:80]):
        del votes[Kind.KERNEL]  # pasted beside other text
    expected = named if named in votes or not votes else votes.most_common(1)[0][0]
    assert guess_kind(file, "\n".join(lines).encode()) == (expected or Kind.UNKNOWN)


@given(st.lists(st.sampled_from(("it", "5", "x1", " ", "'", '"', "\n", "\u0663", "-")), max_size=30).map("".join))
def test_a_shape_leaves_out_words_with_digits_and_what_is_quoted(text: str) -> None:
    expected, at = "", 0
    while at < len(text):
        word = text[at:].split(maxsplit=1)[0] if not text[at].isspace() else ""
        closing = text.find(text[at], at + 1) if text[at] in "'\"" else -1
        if any(char.isdecimal() for char in word):
            expected, at = f"{expected}#", at + len(word)
        elif closing > 0 and "\n" not in text[at:closing]:
            expected, at = f"{expected}#", closing + 1
        else:
            expected, at = expected + text[at], at + 1
    assert shape_of(text) == expected
