"""Names are found where templates/redact/finders.yaml says, in every form, and words that only look like names stay."""

from __future__ import annotations

import re
from typing import Any

import pytest

from analyzer.redact.finders import choose_finders, load_finders
from analyzer.redact.identifiers import Identifier, expand_range, find_identifiers
from analyzer.redact.name_variants import list_variants, unescaped_views
from analyzer.redact.rename import assign_stable_names, rename
from analyzer.redact.vocabulary import list_words
from analyzer.resources import templates_dir
from analyzer.untrusted.documents import read_yaml

FINDER_TABLE: Any = next(read_yaml((templates_dir() / "redact" / "finders.yaml").read_text("utf-8")))
EXAMPLES = [(number, text) for number, row in enumerate(FINDER_TABLE["finders"]) for text in row["examples"]]
OWN = list_words(())
HARMLESS = [
    "2026-11-21 07:38:01.123456: E tensorflow/core/common_runtime/gpu/gpu_device.cc:2211] dlopen(libcudnn.so.8)",
    "TensorFlow 2.15.0.1, cuDNN version 8.9.2.26, TensorRT 8.6.1.6, NCCL 2.18.3.1, nvidia-cudnn-cu12==8.9.2.26",
    "step 12345678 loss=0.123456789 lr=1e-05 examples/sec 1234.5678 at epoch 17/90",
    "OOM when allocating tensor with shape[64,1024,512] and type float on /job:worker/replica:0/task:1/device:GPU:0",
    "tensorflow.python.framework.errors_impl.UnavailableError: keras.src.engine.training, tf.data.AUTOTUNE",
    'File "/usr/lib/python3.11/site-packages/keras/engine/training.py", line 1234, in fit',
    "model-00001-of-00002.data-00000-of-00001 and events.out.tfevents.1763710681 in /scratch/checkpoints/run7",
    "Bus-Id 00000000:3B:00.0, 0000:3b:00.0, 0x7fc79b702000, segfault at 18 ip 00007f2fd7b7bad8 sp 00007ffd1c2a",
    "incarnation: 5577006791947779410 collective key 4111111111111112 time 1763710681123456789 us 1763710681123456",
    "C++ std::vector<int>, 12:34:56, 2026-11-21T07:38:01Z, ratio 3:4:5, a::b, ::, {{node gradients/conv1_bn}}",
    "see https://www.tensorflow.org/guide, https://github.com/tensorflow/tensorflow/issues/1 and docs.nvidia.com",
    "killed by signal 9, memory.oom.group set, user time 3.2 s, node failure, host memory, server error, peer task",
    "kernel 5.15.0-91-generic #101~20.04 SMP x86_64 GNU/Linux, target=x86_64-unknown-linux-gnu, sm_80",
    "/home is full, /users, /user/local, C:\\Program Files, ~5 minutes, build ~/x, memcpy@GLIBC_2.14, op@device",
    "localhost:2222 127.0.0.1:8080 0.0.0.0 255.255.255.0 ::1 root@localhost namespace: default, user=root",
    "ERROR\\nTraceback (most recent call last)\\nFoo: A\\tB",
    "worker-0 ps:1 chief:0 gpu3 node-1 task-2 rank 4",
    "connect to worker-0:2222,worker-1:2222 at grpc://worker-0:2222,worker-1:2222/ servers=localhost:1234,redis:6379",
]


@pytest.mark.parametrize(("number", "text"), EXAMPLES, ids=[text[:60] for _, text in EXAMPLES])
def test_a_finder_finds_the_names_of_its_examples(number: int, text: str) -> None:
    bare = re.sub("[⟦⟧]", "", text)
    finder = load_finders()[number]
    names = [bare[start:end] for start, end in finder.find_names(bare)]
    assert finder in choose_finders(bare) and names == re.findall("⟦(.*?)⟧", text)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_name_stays(text: str) -> None:
    renaming = assign_stable_names(find_identifiers({"notes": [text]}, (), OWN))
    assert rename([text], renaming) == [text], renaming.identifiers


def test_a_range_names_each_of_its_hosts() -> None:
    assert expand_range("gpu-[08-10,12]") == ["gpu-08", "gpu-09", "gpu-10", "gpu-12"]
    assert expand_range("gpu-[1-]") == [] and len(expand_range("n[1-999999]")) <= 600 and expand_range("n[2-1]") == []
    lines = ["nodes gpu-a[017-019] are down", "gpu-a018: link lost", "then gpu-a021 left"]
    hidden = rename({"notes": lines}, assign_stable_names(find_identifiers({"notes": lines}, (), OWN)))
    assert "gpu-a" not in str(hidden)


@pytest.mark.parametrize(
    ("sort", "name", "form"),
    [
        ("host", "gpu-alpha17", "gpu_alpha17"),
        ("addr", "10.42.7.25", "0x0a2a0719"),
        ("addr", "10.42.7.25", "19072a0a"),
        ("addr", "2001:db8::1", "2001%3adb8%3a%3a1"),
        ("mac", "00:1b:44:11:3a:b9", "21b:44ff:fe11:3ab9"),
        ("mail", "ann@example.org", "ann%40example.org"),
        ("user", "jürgen", "j\\u00fcrgen"),
        ("user", "jürgen", "j\\303\\274rgen"),
        ("repo", "vision/bert", "vision%2fbert"),
        ("uuid", "GPU-5a1b2c3d-1111-2222-3333-0123456789ab", "5a1b2c3d_1111_2222_3333_0123456789ab"),
    ],
)
def test_a_name_has_other_forms(sort: str, name: str, form: str) -> None:
    forms = list_variants(sort, name)
    assert forms[0] == name.lower() and form in forms


def test_escapes_are_read() -> None:
    assert list(unescaped_views("a%252Fb"))[-1] == "a/b"
    assert list(unescaped_views('{"p":"\\/home\\/ann"}'))[-1] == '{"p":"/home/ann"}'
    assert list(unescaped_views("plain 100% sure")) == ["plain 100% sure"]


@pytest.mark.parametrize("escape", ["\x1b", "\\u001b", "%1B"])
def test_a_colour_is_no_part_of_a_name(escape: str) -> None:
    line = f"mail to{escape}[31mann@zeta.example{escape}[0m and ki{escape}[1mm@zeta.example"
    renaming = assign_stable_names(find_identifiers({"notes": [line]}, (), OWN))
    (hidden,) = rename([line], renaming)
    assert not re.search("ann|kim|@|zeta", hidden), hidden


def test_letters_that_are_the_same_in_another_case_break_nothing() -> None:
    """Of ſ and K, the Kelvin sign, Unicode says that they are s and k."""
    renaming = assign_stable_names(
        [Identifier("user", "kass"), Identifier("user", "straße"), Identifier("user", "İzmir")]
    )
    lines = ["\u212aass ka\u017f\u017f KASS", "STRASSE Straße STRAẞE", "İzmir i̇zmir izmir"]
    hidden = rename(lines, renaming)
    assert "KASS" not in hidden[0] and "Straße" not in hidden[1] and "İzmir" not in hidden[2]


def test_an_ordinary_word_is_hidden_where_it_is_a_name() -> None:
    lines = ["/home/launcher/run.py failed", "USER=worker", "training step 3 of worker 1"]
    renaming = assign_stable_names(find_identifiers({"notes": lines}, (), OWN))
    assert rename(lines, renaming) == ["/home/user-1/run.py failed", "USER=user-2", "training step 3 of worker 1"]


def test_a_short_number_is_hidden_where_it_is_a_name() -> None:
    """An account that is called 00 stands in every time of day."""
    lines = ["2026-11-21 07:38:00.000000: E x] qsub -P 00 x.sh", "port 00", "qsub -P 471100 x.sh at 471100"]
    renaming = assign_stable_names(find_identifiers({"notes": lines}, (), OWN))
    assert rename(lines, renaming) == [
        "2026-11-21 07:38:00.000000: E x] qsub -P account-1 x.sh",
        "port 00",
        "qsub -P account-2 x.sh at account-2",
    ]
