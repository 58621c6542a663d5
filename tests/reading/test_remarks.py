"""What people write about an incident is told from what programs logged."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer import analyze
from analyzer.reading.remarks import holds_remarks, is_remark


@pytest.mark.parametrize(
    "text",
    [
        "Eva  12:44  I only see vector OOMKilled on g5-aa. will look tomorrow\n",
        "[14:02] jo: 2 of the nodes had an ECC SBE counter > 0, putting it here for completeness\n",
        "Ilse [12:31] gpu03 had some temp_warn in dmesg yesterday, maybe network?\n",
        "From: Karl\nSubject: job died\n\nWe think that the out of memory kill on n7 is the reason, please check\n",
        "Ich glaube, dass auf gpu07 wieder der Speicher voll war, wir haben es nicht geprüft.\n",
        "Je pense que la mémoire de gpu07 était pleine, nous ne savons pas pourquoi.\n",
        "Mia  11:40\nNo space left on device again\n\nJo  11:44\n1.1T free, same error\n\nMia  11:46\nhm\n",
        "gpu07 のメモリが足りないと思います。我々は確認していません, I guess\n",
    ],
)
def test_sentences_of_people(text: str) -> None:
    assert holds_remarks(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01 10:00:00.1: I tensorflow/core/util/port.cc:113] You may see slightly different numerical results\n",
        'Traceback (most recent call last):\n  File "/a/t.py", line 3, in f\nValueError: we do not have the file\n',
        "tensorflow.python.framework.errors_impl.InvalidArgumentError: Please ensure that you have not altered it\n",
        "To enable the following instructions: AVX2 FMA, in other operations, rebuild TensorFlow with the flags.\n",
        "NAME READY STATUS\ntrainer-0 0/1 Error\n",
        "[14:04:02] elm step profile: forward=480.6ms all_reduce_wait=40.7ms input=1.8ms and on and on\n",
    ],
)
def test_lines_of_programs(text: str) -> None:
    assert not holds_remarks(text.encode())


def test_a_pasted_line_between_remarks_is_no_remark() -> None:
    pasted = "2026-03-01 10:00:00.123456: E tensorflow/core/x.cc:1] we are out of memory and it is over"
    assert not is_remark(pasted)
    assert is_remark("we are out of memory and it is over")


@pytest.mark.parametrize(
    ("path", "held"), [("slack/C1/day.json", True), ("case/LISEZMOI.txt", True), ("incident-7/n1/train.log", False)]
)
def test_the_name_of_a_file_may_say_that_people_wrote_it(path: str, held: bool) -> None:
    text = "2026-03-01T10:00:00.000000+00:00 stderr F 先月 ps-2 が OOMKilled だったので今回も user=U2\n"
    assert holds_remarks(text.encode(), path) is held


@pytest.mark.parametrize(
    "remark",
    [
        "* in May the disk of n1 was full (No space left on device), but that is over",
        "* w maju na n1 nie bylo juz miejsca (No space left on device), potem bylo dobrze",
        "• no mês de maio o disco de n1 já não tinha espaço (No space left on device)",
    ],
)
def test_a_remark_in_a_list_among_pasted_logs_is_no_evidence(remark: str, tmp_path: Path) -> None:
    steps = "".join(f"2026-03-01 10:00:{n:02d},000 INFO train: step {n} loss 0.5\n" for n in range(40))
    (tmp_path / "ticket.txt").write_text(f"{steps}\n{remark}\n")
    assert not any(finding.cause == "resource.disk-full" for finding in analyze(tmp_path).incident.findings)
    (tmp_path / "ticket.txt").write_text(f"{steps}\nOSError: [Errno 28] No space left on device\n")
    assert any(finding.cause == "resource.disk-full" for finding in analyze(tmp_path).incident.findings)


def test_a_remark_is_no_evidence(tmp_path: Path) -> None:
    (tmp_path / "n0").mkdir()
    steps = "".join(f"2026-03-01 10:00:0{n},000 INFO train: step {n} loss 0.5\n" for n in range(9))
    (tmp_path / "n0" / "worker.log").write_text(steps)
    remark = "Eva  12:44  I see that the pod trainer-1 was OOMKilled on g5, we will look at it\n"
    (tmp_path / "slack.txt").write_text(remark)
    incident = analyze(tmp_path).incident
    assert not any(finding.cause == "resource.host-oom-killed" for finding in incident.findings)
    assert [node.name for node in incident.nodes] == ["n0"]
