"""No line of a private key is left, wherever the lines of its block end up."""

from __future__ import annotations

import base64
import io
import random
from pathlib import Path

import pytest

from analyzer.collect.command_line import run_collect
from analyzer.pipeline import analyze
from analyzer.reading.window import read_windows
from analyzer.redact.key_blocks import KeyBlockMasker, mask_key_lines
from analyzer.redact.secrets import mask_text
from analyzer.report.html import render_html
from analyzer.report.json import write_incident
from tests.redact.linear import assert_linear
from tests.redact.outputs import every_output

ERROR = "2026-11-21 07:38:0{n}.123456: E tensorflow/core/common_runtime/worker.cc:12] Failed to load the keys {n}"
PREFIXES = ["", "2026-11-21T07:38:02.123456Z stderr F ", "worker-0 | ", "E1121 07:38:02.123456 17 key.cc:9] "]
KINDS = ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]


def make_body(size: int = 1190, width: int = 64) -> list[str]:
    text = base64.b64encode(random.Random(size).randbytes(size)).decode()
    return [text[at : at + width] for at in range(0, len(text), width)]


def make_block(prefix: str = "", kind: str = "RSA PRIVATE KEY", width: int = 64) -> list[str]:
    return [prefix + line for line in (f"-----BEGIN {kind}-----", *make_body(width=width), f"-----END {kind}-----")]


def leftovers(text: str, width: int = 64) -> list[str]:
    return [line for line in make_body(width=width) if line[:40] in text]


def test_a_key_in_a_log_is_in_no_output(tmp_path: Path) -> None:
    """Evidence between its lines, before it and behind it: the context shows what a report would show of the key."""
    block = make_block()
    lines: list[str] = []
    for number, at in enumerate((0, 3, 9, len(block) - 2, len(block))):
        lines += [ERROR.format(n=number), *block[at:]] if number == 0 else [*block[:at], ERROR.format(n=number)]
    (tmp_path / "worker-0.log").write_text("\n".join(lines) + "\n")
    incident = analyze([tmp_path])
    shown = render_html(write_incident(incident))
    assert "worker.cc:12" in shown and "BEGIN RSA PRIVATE KEY" in shown
    for name, text in every_output(incident, redact=False).items():
        assert not leftovers(text), name


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [64, 70, 76])
def test_every_line_of_a_block_is_overwritten(prefix: str, kind: str, width: int) -> None:
    text = "\n".join([prefix + "before", *make_block(prefix, kind, width), prefix + "behind", ""])
    masked = KeyBlockMasker().mask(text.encode()).decode()
    assert len(masked) == len(text) and not leftovers(masked, width) and make_body(width=width)[-1] not in masked
    assert "before" in masked and "behind" in masked and masked.count(kind) == 2


@pytest.mark.parametrize("size", [1, 7, 60, 997])
def test_wherever_the_stream_is_cut(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analyzer.reading.window.BLOCK_BYTES", size)
    text = "\n".join(["x" * 300, *make_block("I0101 "), "evidence behind", ""]).encode()
    seen = b"".join(window.data[window.fresh_start : window.fresh_end] for window in read_windows(io.BytesIO(text)))
    assert len(seen) == len(text) and not leftovers(seen.decode()) and b"evidence behind" in seen


def test_lines_of_other_writers_stay_and_end_a_block_that_has_no_end() -> None:
    other = (
        "2026-11-21 07:38:01: E tensorflow/core/framework/op_kernel.cc:1] CollectiveAllReduceV2 failed: coordination"
    )
    block = make_block()
    lines = [line for pair in zip(block, [other] * len(block), strict=True) for line in pair]
    masked = KeyBlockMasker().mask("\n".join(lines).encode()).decode()
    assert masked.count(other) == len(block) and not leftovers(masked)
    unended = KeyBlockMasker().mask("\n".join([*block[:4], *[other] * 40, *make_body()[:1]]).encode()).decode()
    assert unended.count(other) == 40


def test_a_sentence_about_keys_hides_nothing() -> None:
    text = "E: expected -----BEGIN PRIVATE KEY----- in /etc/tls/key.pem\nworker_1 died: SIGSEGV in libtensorflow_cc\n"
    assert KeyBlockMasker().mask(text.encode()).decode() == text


def test_parts_of_a_block_are_masked_as_far_as_they_show_what_they_are() -> None:
    block = make_block()
    assert not leftovers("\n".join(map(mask_text, block)))
    tail = mask_key_lines(block[-3:])
    assert not leftovers("\n".join(tail)) and make_body()[-1] not in tail
    assert not leftovers(mask_text('"key": "' + "\\n".join(block) + '"'))
    assert not leftovers(mask_text(("\\n".join(block))[:600]))


@pytest.mark.parametrize(
    "text",
    [
        "sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
        "tensorflow/core/distributed_runtime/rpc/grpc_remote_worker/CollectiveAllReduceStrategyExtendedV2",
        "/srv/Projects/2026/BertLargeUncased/Runs/Night/Checkpoints/Step100/Model/Weights/Part0001",
        "CollectiveAllReduceV2CollectiveAllGatherV2CollectiveReduceScatterV2CollectiveBroadcast",
        "_ZN10tensorflow23BaseCollectiveExecutor12ExecuteAsyncEPNS_15OpKernelContextERKNS_16CollectiveParamsE",
    ],
)
def test_other_long_words_are_no_keys(text: str) -> None:
    assert mask_text(text) == text and mask_key_lines([text]) == [text]


def test_the_collector_masks_a_key_over_the_end_of_a_piece(tmp_path: Path) -> None:
    filler = "step 1 loss 2\n" * 74_880  # the block lies on the border of two pieces
    (tmp_path / "w.log").write_text(filler + "\n".join(make_block()) + "\nend\n")
    out = tmp_path / "n.tar"
    assert (
        run_collect(["--out", str(out), "--log", str(tmp_path / "w.log"), "--redact", "--seconds", "60"], "collect")
        == 0
    )
    assert not leftovers(out.read_bytes().decode("latin-1"))


def test_time_is_linear() -> None:
    for piece in (
        b"BEGIN RSA PRIVATE KEY-----",
        b"-----BEGIN PRIVATE KEY-----\nMII\n",
        b"END PRIVATE KEY ",
        b"A" * 64 + b"\n",
    ):
        assert_linear(lambda data: KeyBlockMasker().mask(b"BEGIN PRIVATE KEY\n" + data), piece)
        assert_linear(lambda data: mask_text("PRIVATE KEY" + data.decode()), piece)
