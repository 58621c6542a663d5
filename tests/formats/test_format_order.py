"""The order in which formats are tried, and the fields of `Format` that other packages rely on."""

from __future__ import annotations

import pytest

from analyzer.formats import FORMATS, Format, begins_with_writer_name, has_repeated_prefix, read_line
from analyzer.formats.line_format import Tier, rank_of_stream, sort_formats, stream_of_rank

# Which format reads a line depends on this order, so a change of it may change answers.
ORDER = """
tensorflow_cpp absl_cpp glog
cri elapsed_before_stamp log_services syslog
dmesg kernel_level
rank_bracket rank_label task_label
airflow_operator airflow horovod mpi_tag torch_cpp ray_cpp
htcondor nccl slurm open_mpi nvidia_daemon
dask_ssh procfile ray kubeflow_launcher kubectl_logs teamcity
access_log audit neuron supervisord logfmt spark
ranked_logging ros jupyter python_logging
level_before_stamp plain_level progress
bare_stamp intel_mpi named_writer quoted
"""


def test_formats_are_tried_in_a_fixed_order() -> None:
    tiers = {tier: [line_format.name for line_format in FORMATS if line_format.tier is tier] for tier in Tier}
    assert [" ".join(names) for names in tiers.values()] == ORDER.strip().split("\n")
    assert [line_format.tier for line_format in FORMATS] == sorted(line_format.tier for line_format in FORMATS)


def test_before_moves_a_format_ahead_of_its_name() -> None:
    formats = [make("a"), make("b", before=("a",)), make("c", before=("b",)), make("d"), make("z", tier=Tier.EXACT)]
    assert [line_format.name for line_format in sort_formats(formats)] == ["z", "c", "b", "a", "d"]


@pytest.mark.parametrize(
    ("formats", "message"),
    [
        ([("a", ("b",)), ("b", ("a",))], "circular"),
        ([("a", ("a",))], "circular"),
        ([("a", ("missing",))], "missing is not a format of tier SERVICE"),
    ],
)
def test_demands_that_cannot_be_met_are_refused(formats: list[tuple[str, tuple[str, ...]]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sort_formats(make(name, before=before) for name, before in formats)


def make(name: str, tier: Tier = Tier.SERVICE, before: tuple[str, ...] = ()) -> Format:
    return Format(name, None, lambda text: None, tier=tier, before=before)


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("[1,3]<stderr>:step 1", "3"),
        ("007: step 1", "7"),
        ("[rank3]:step 1", "3"),
        ("[3] 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] x", "3"),
        ("2026-11-21 05:10:06 | gpu07 | rank=3 | ERROR | step failed", "3"),
        ("[pod/trainer-0/main] 3: step 1", "3"),
        ("[pod/trainer-0/main] step 1", None),
        ("step 1", None),
    ],
)
def test_the_rank_of_a_line_is_the_end_of_its_stream(text: str, rank: str | None) -> None:
    assert rank_of_stream(read_line(text).stream) == rank


def test_a_rank_has_no_leading_zeros() -> None:
    assert stream_of_rank("007") == "7"


def test_a_name_alone_is_the_writers() -> None:
    named = read_line("node-17: 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] x")
    assert named.formats == ("named_writer", "tensorflow_cpp")
    assert begins_with_writer_name(named)
    assert begins_with_writer_name(read_line("[3] 2026-11-21 05:10:09.123456: I tensorflow/core/util/port.cc:113] x"))
    assert not begins_with_writer_name(read_line("[pod/trainer-0/main] step 1"))
    assert not begins_with_writer_name(read_line("step 1"))


def test_syslog_and_bare_stamps_repeat_their_prefix_within_a_message() -> None:
    assert [line_format.name for line_format in FORMATS if line_format.repeats_prefix] == ["syslog", "bare_stamp"]
    assert has_repeated_prefix(read_line("Nov 21 05:10:07 node-3 trainer[812]: step 1"))
    assert not has_repeated_prefix(read_line("Nov 21 05:10:09 node-3 kernel: [  812.123456] usb 1-1: new device"))
    assert not has_repeated_prefix(read_line("step 1"))


def test_a_process_id_in_brackets_is_no_rank() -> None:
    line = read_line("2026-11-21 05:10:09 [54297] | I0000 00:00:1764680217.811959   54297 port.cc:153] x")
    assert (line.stream, line.pid) == ("", 54297)
