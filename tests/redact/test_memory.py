"""Secrets in memory are overwritten, wherever the stream of it is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analyzer.redact.memory_masking import mask_memory, mask_stream

SECRETS = (b"hunter2hunter2-tail", b"short")


def cut(body: bytes, sizes: list[int]) -> list[bytes]:
    chunks, at = [], 0
    for size in sizes:
        chunks.append(body[at : at + size])
        at += size
    return [*chunks, body[at:]]


@given(
    st.lists(
        st.sampled_from([b"hunter2hunter2-tail", b"=short\0", b"short", b"hunter2h", b"er2-tail", b"\0", b"abcdefgh"])
    ),
    st.lists(st.integers(0, 40)),
)
def test_a_stream_is_masked_as_the_whole_is(words: list[bytes], sizes: list[int]) -> None:
    body = b"".join(words)
    masked = b"".join(mask_stream(cut(body, sizes), SECRETS))
    assert masked == mask_memory(body, SECRETS)
    assert len(masked) == len(body) and b"hunter2" not in masked and b"=short\0" not in masked


def test_a_short_secret_is_masked_as_a_whole_word_alone() -> None:
    assert mask_memory(b"A=short\0 shorter short", SECRETS) == b"A=*****\0 shorter short"
