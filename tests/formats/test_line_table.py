"""What `read_line` says of lines of all formats, alone and behind wrappers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from analyzer.formats import FORMATS, is_continuation_line, read_line
from analyzer.model import Basis, Kind, Severity, Stamp
from tests.formats.samples import SAMPLES

D, I, W, E, F = Severity.DEBUG, Severity.INFO, Severity.WARNING, Severity.ERROR, Severity.FATAL  # noqa: E741
WORKER, KERNEL, SCHEDULER, SYSTEM = Kind.WORKER, Kind.KERNEL, Kind.SCHEDULER, Kind.SYSTEM


def at(text: str, basis: Basis = Basis.LOCAL) -> Stamp:
    return Stamp(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp(), basis)


def up(value: float) -> Stamp:
    return Stamp(value, Basis.UPTIME)


CLOCK = "2026-11-21 04:17:38.497"
HERE, UTC_ = at(CLOCK), at(CLOCK, Basis.UTC)
YEARLESS = at("1972-11-21 03:24:07", Basis.YEARLESS)

# text, stamps, and what else the line says
TABLE = [
    *(
        (f"{elapsed} {CLOCK} INFO m", [HERE], {"severity": I, "message": "m"})
        for elapsed in ("[  12.301]", "[12.301s]", "00:00:12.301", "12.301", "+12.301s", "T+12s", "(3m2s)", " 0:12")
    ),
    ("<4>Nov 21 03:24:07 n3 kernel: m", [YEARLESS], {"host": "n3", "kind": KERNEL, "severity": W, "message": "m"}),
    ("[  812.123456] 2026 pages free", [up(812.123456)], {"kind": KERNEL}),
    (f"{CLOCK}000: E tensorflow/c/x.cc:1] boom", [HERE], {"severity": E, "kind": WORKER, "message": "boom"}),
    (f"{CLOCK}000: W    77 external/local_xla/x.cc:1] m", [HERE], {"severity": W, "tid": 77, "message": "m"}),
    (f"{CLOCK.replace('.', ',')} INFO waiting for a checkpoint", [HERE], {"kind": WORKER}),
    (f"{CLOCK.replace('.', ',')} INFO waiting for w0, w1 to die", [HERE], {"kind": SCHEDULER}),
    (
        "node=gx-4 type=OBJ_PID msg=audit(1767327314.287:901): opid=6699",
        [Stamp(1767327314.287, Basis.UTC)],
        {"host": "gx-4", "message": "type=OBJ_PID msg=audit(1767327314.287:901): opid=6699"},
    ),
    ("W tensorflow/core/x.cc:1] m", [], {"severity": W, "kind": WORKER, "message": "m"}),
    ("I0000 00:00:1795226954.5   77 x.cc:2] m", [Stamp(1795226954.5, Basis.UTC)], {"tid": 77, "pid": None}),
    ("E1121 03:24:07.000000000 88 x.cc:4] m", [YEARLESS], {"severity": E, "tid": 88, "kind": WORKER}),
    ("W1121 03:24:07.000000       1 x.go:4] m", [YEARLESS], {"severity": W, "kind": SCHEDULER}),
    (f"{CLOCK.replace('.', ',')} ERROR train: m", [HERE], {"severity": E, "logger": "train", "message": "m"}),
    (f"{CLOCK.replace('.', ',')} - a.b - WARNING - m: n", [HERE], {"severity": W, "logger": "a.b", "message": "m: n"}),
    (f"{CLOCK.replace(' ', 'T')}Z [INFO] train - m", [UTC_], {"severity": I, "logger": "train", "message": "m"}),
    (f"[{CLOCK.replace('.', ',')}] [INFO][a.py:1:f] m", [HERE], {"logger": "a.py:1:f", "message": "m"}),
    (f"{CLOCK} | CRITICAL | a:f:12 - m", [HERE], {"severity": F, "logger": "a:f:12", "message": "m"}),
    ("tf_worker.2.x2y2z3abc4def5@n7    | m", [], {"host": "n7", "stream": "tf_worker.2", "message": "m"}),
    (f"{CLOCK} | n7 | rank=3 | ERROR | m", [HERE], {"severity": E, "host": "n7", "stream": "3", "message": "m"}),
    (f"[{CLOCK}] [rank 3/8] [ERROR] m", [HERE], {"severity": E, "host": None, "stream": "3", "message": "m"}),
    (f"{CLOCK} INFO rank 3 ERROR m", [HERE], {"severity": I, "stream": ""}),
    (f"{CLOCK} [warning] m", [HERE], {"severity": W, "message": "m"}),
    (f"{CLOCK} train ERROR m", [HERE], {"severity": E, "logger": "train", "message": "m"}),
    (
        "[2026-11-21, 04:17:38 UTC] {pod_manager.py:447} INFO - [base] m",
        [at("2026-11-21 04:17:38", Basis.UTC)],
        {"message": "m"},
    ),
    ("[2026-11-21T04:17:38.497+0000] {subprocess.py:93} INFO - E x", [UTC_], {"message": "E x"}),
    ("[2026-11-21 04:17:38,497] {taskinstance.py:9} ERROR - m", [HERE], {"severity": E}),
    (
        f"{CLOCK.replace(' ', 'T')}000+00:00 bert-17/algo-2-1795237809 m",
        [UTC_],
        {"message": "m", "host": "algo-2", "stream": "algo-2"},
    ),
    (f"{CLOCK.replace(' ', 'T')}000+00:00 n3/train/0a1b m", [UTC_], {"message": "m", "host": "n3"}),
    (f'{CLOCK.replace(" ", "T")}Z {{app="t", host="n3"}} m', [UTC_], {"message": "m", "host": "n3"}),
    (f'{CLOCK.replace(" ", "T")}Z {{app="t", instance="n3:9100"}} m', [UTC_], {"message": "m", "stream": "n3"}),
    ("ERROR:root:m", [], {"severity": E, "logger": "root", "message": "m"}),
    ("FATAL: m", [], {"severity": F, "message": "m"}),
    ("[  812.5] Killed process 1", [up(812.5)], {"kind": KERNEL, "message": "Killed process 1"}),
    ("[    0.000000][    T0] Linux version", [up(0.0)], {"kind": KERNEL, "tid": 0}),
    ("[   12.300000] [T99] m", [up(12.3)], {"tid": 99, "message": "m"}),
    ("[Sat Nov 21 04:17:38 2026] m", [at("2026-11-21 04:17:38")], {"kind": KERNEL, "message": "m"}),
    (
        "2026-11-21T04:17:38,497000+00:00 EXT4-fs (nvme0n1p2): mounted",
        [at("2026-11-21 04:17:38.497", Basis.UTC)],
        {"kind": KERNEL, "host": None, "message": "EXT4-fs (nvme0n1p2): mounted"},
    ),
    ("2026-11-21T04:17:38,497000+01:00 m", [at("2026-11-21 03:17:38.497", Basis.UTC)], {"kind": KERNEL}),
    ("3,12,500000,-;m", [up(0.5)], {"kind": KERNEL, "severity": E, "message": "m"}),
    ("30,12,500000,-,caller=T1;m", [up(0.5)], {"severity": I, "message": "m"}),
    ("<2>[   12.300000] m", [up(12.3)], {"severity": F, "kind": KERNEL, "message": "m"}),
    ("kern  :crit  : [   12.300000] m", [up(12.3)], {"severity": F, "kind": KERNEL, "message": "m"}),
    ("Nov 21 03:24:07 n-3 kernel: [   12.3] m", [YEARLESS, up(12.3)], {"kind": KERNEL, "host": "n-3", "message": "m"}),
    ("Nov 21 03:24:07 n-3 python3[42]: m", [YEARLESS], {"kind": WORKER, "pid": 42, "logger": "python3"}),
    ("Nov 21 03:24:07 n kubelet[4]: E1121 03:24:07.0 1 a.go:2] m", [YEARLESS] * 2, {"severity": E, "message": "m"}),
    ("Nov  1 03:24:07 n-3 cron[1]: m", [at("1972-11-01 03:24:07", Basis.YEARLESS)], {"kind": SYSTEM}),
    (f"{CLOCK.replace(' ', 'T')}+00:00 n-3 mydaemon: m", [UTC_], {"kind": SYSTEM, "host": "n-3", "message": "m"}),
    (f"<11>1 {CLOCK.replace(' ', 'T')}Z n app 7 - [a b=\"c\"] m", [UTC_], {"severity": E, "pid": 7, "message": "m"}),
    ("[   12.345678] n-3 systemd[1]: m", [up(12.345678)], {"host": "n-3", "pid": 1, "message": "m"}),
    (f"005 (71.001.000) {CLOCK} m", [HERE], {"kind": SCHEDULER, "logger": "71.001.000", "message": "m"}),
    ("slurmstepd: error: m", [], {"kind": SCHEDULER, "severity": E, "logger": "slurmstepd", "message": "m"}),
    ("srun: Job step aborted: m", [], {"kind": SCHEDULER, "severity": None, "message": "Job step aborted: m"}),
    (f"[{CLOCK.replace(' ', 'T')}] [9.0] fatal: m", [HERE], {"severity": F, "logger": "9.0", "message": "m"}),
    ("n-2:11:12 [3] NCCL INFO m", [], {"host": "n-2", "pid": 11, "tid": 12, "severity": I, "message": "m"}),
    ("[2026-11-21 04:17:38] n-2:1:2 [3] a/b.cc:5 NCCL WARN m", [at("2026-11-21 04:17:38")], {"logger": "a/b.cc:5"}),
    ("[E1121 03:24:07.000000000 P.cpp:6] m", [YEARLESS], {"severity": E, "kind": WORKER, "message": "m"}),
    (f"[{CLOCK}000: E horovod/common/o.cc:7] m", [HERE], {"severity": E, "message": "m"}),
    ("[worker:1] m", [], {"stream": "worker:1", "host": None, "kind": None, "message": "m"}),
    ("[/job:ps/task:0]   m", [], {"stream": "ps:0", "message": "  m"}),
    ("05:10:09 ps.1     |   m", [at("1970-01-01 05:10:09", Basis.DAYTIME)], {"stream": "ps.1", "message": "  m"}),
    ("Nov 21 03:24:07 Traceback: m", [YEARLESS], {"host": None, "message": "Traceback: m"}),
    ("Nov 21 03:24:07 PM m", [at("1972-11-21 15:24:07", Basis.YEARLESS)], {"host": None, "message": "m"}),
    ("Nov 21 12:24:07 AM m", [at("1972-11-21 00:24:07", Basis.YEARLESS)], {"message": "m"}),
    (f"{CLOCK.replace(' ', 'T')}Z WARNING:tensorflow:From x:1: m", [UTC_], {"host": None, "logger": "tensorflow"}),
    ("Nov 21 03:24:07 2001:db8::1 kernel: m", [YEARLESS], {"host": "2001:db8::1", "kind": KERNEL}),
    ("Nov 21 03:24:07 Epoch 3: m", [YEARLESS], {"host": None, "message": "Epoch 3: m"}),
    (f"Nov 21 03:24:07 {CLOCK}000: E a/x.cc:1] m", [YEARLESS, HERE], {"host": None, "severity": E, "message": "m"}),
    ("Nov 21 03:24:07 n-3 last message repeated 2 times", [YEARLESS], {"host": "n-3"}),
    (f"{CLOCK}   File \"a.py\", line 3", [HERE], {"message": "  File \"a.py\", line 3"}),
    ("n-3 train › m", [], {"stream": "", "message": "n-3 train › m"}),
    ("007: m", [], {"stream": "7", "kind": None, "message": "m"}),
    ("12:", [], {"stream": "12", "message": ""}),
    ("1:   File \"a.py\", line 3, in f", [], {"stream": "1", "message": "  File \"a.py\", line 3, in f"}),
    (f"[1,3]<stdout>:{CLOCK}000: F a/x.cc:1] m", [HERE], {"stream": "3", "severity": F}),
    (f"[gx-7] out: {CLOCK}000: F a/x.cc:1] m", [HERE], {"stream": "gx-7", "host": "gx-7", "message": "m"}),
    ("[1,mpirank:3,algo-4]<stdout>:m", [], {"stream": "3", "host": "algo-4", "message": "m"}),
    ("[prterun-n-1-7@1,3][n-4:77]<stdout>: m", [], {"stream": "3", "host": "n-4", "pid": 77, "message": "m"}),
    (f"[2]<stderr>:4: {CLOCK}000: F a/x.cc:1] m", [HERE], {"stream": "2/4", "message": "m"}),
    ("(pid=9) m", [], {"stream": "pid:9", "pid": 9, "message": "m"}),
    (f"{CLOCK.replace(' ', 'T')}Z stderr F 3: [   12.3] m", [UTC_, up(12.3)], {"stream": "3", "kind": KERNEL}),
    ("[2026-11-21 04:17:38] ERROR:root:m", [at("2026-11-21 04:17:38")], {"logger": "root", "message": "m"}),
    (f"[{CLOCK}] {CLOCK}000: F a/x.cc:1] m", [HERE, HERE], {"severity": F, "message": "m"}),
    (f"node-3: {CLOCK}000: I a/x.cc:1] m", [HERE], {"stream": "node-3", "host": "node-3"}),
    ("10/10 [=====>....] - ETA: 0s" + f"{CLOCK}000: F a/x.cc:1] m", [HERE], {"severity": F, "message": "m"}),
    ("\x1b[31mERROR\x1b[0m: m", [], {"severity": E, "message": "m"}),
    (f"    {CLOCK}000: F a/x.cc:1] m", [HERE], {"severity": F, "message": "m"}),
    ("Sat Nov 21 04:17:38 PM UTC 2026", [at("2026-11-21 16:17:38", Basis.UTC)], {"message": ""}),
    ("21/11/2026 04:17:38 m", [at("2026-11-21 04:17:38")], {"message": "m"}),
    ("05/06/2026 04:17:38;8;m", [at("2026-05-06 04:17:38")], {"message": "8;m"}),
    ("Sat Nov 21 04:17:38 UTC 2026", [at("2026-11-21 04:17:38", Basis.UTC)], {"message": ""}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "stamps", "says"), TABLE, ids=[row[0][:50] for row in TABLE])
def test_says(text: str, stamps: list[Stamp], says: dict[str, object]) -> None:
    line = read_line(text)
    assert [stamp.basis for stamp in line.stamps] == [stamp.basis for stamp in stamps]
    assert [stamp.value for stamp in line.stamps] == pytest.approx([stamp.value for stamp in stamps], abs=1e-6)
    assert {name: getattr(line, name) for name in says} == says


@pytest.mark.parametrize(
    "text",
    [
        "To enable the following instructions: AVX2 AVX512F FMA, in other operations, rebuild TensorFlow.",
        "\t [[{{node CollectiveReduceV2}}]]",
        '  File "/srv/train.py", line 3, in <module>',
        "    raise ValueError(message)",
        "Traceback (most recent call last):",
        "ValueError: 3 is not 4",
        "tensorflow.python.framework.errors_impl.UnavailableError: Graph execution error:",
        "Killed",
        "Aborted (core dumped)",
        "step 120 loss 0.31 (16 ms)",
        "*** Check failure stack trace: ***",
        "    @     0x7f0000bbbe24  google::LogMessage::Fail()",
        ":UNKNOWN:Error received from peer  {grpc_status:14}",
        "[0.5] [1.5 2.5]",
        "[[1 2] [3 4]]",
        "12:34 remain",
        "05/06/2026 04:17:38 which is the month?",
        "2: eth0: <BROADCAST,UP> mtu 1500",
        "2: -> FLOCK  ADVISORY  WRITE 14207 fe:00:2859282 0 EOF",
        "Error: node-3 is down",
        "Info: 3: see below",
        "",
        "   ",
    ],
)
def test_leaves_text_alone(text: str) -> None:
    line = read_line(text)
    assert (line.formats, line.message, line.stamps) == ((), text, ())


@pytest.mark.parametrize(
    "text",
    [
        "2026-13-21 04:17:38.497000: E tensorflow/x.cc:1] m",
        "2026-02-30 04:17:38,497 ERROR train: m",
        "1970-01-01 00:00:12,000 ERROR train: m",
        "2026-11-21 25:06:16,497 ERROR train: m",
        "E1321 03:24:07.0 88 x.cc:4] m",
        "Feb 30 03:24:07 n-3 cron[1]: m",
        "[Sat Feb 30 04:17:38 2026] m",
        "E0000 00:00:0000000001.5 7 x.cc:1] m",
    ],
)
def test_impossible_times_are_none(text: str) -> None:
    line = read_line(text)
    assert line.formats
    assert line.message == "m"
    assert line.stamps == ()


WRAPPERS = [
    ("3: ", "3"),
    ("[1,3]<stderr>:", "3"),
    ("[rank3]:", "3"),
    ("(Worker pid=5, ip=10.0.0.1) ", "Worker:5"),
    ("INFO|2026-11-21T05:10:09|/opt/launcher.py|27| ", ""),
    ("2026-11-21T05:10:09.123456789Z stdout F ", ""),
    ("2026-11-21T05:10:09.123456789Z ", ""),
    ("[pod/worker-0/tf] ", "worker-0"),
    ("worker-1  | ", "worker-1"),
    ("Nov 21 03:24:07 n-3 python3[42]: ", ""),
]
INNER = [(line_format, text) for line_format, text in SAMPLES if not line_format.wrapper]


@pytest.mark.parametrize(("prefix", "stream"), WRAPPERS)
@pytest.mark.parametrize(("inner_format", "text"), INNER, ids=[text[:40] for _, text in INNER])
def test_wrappers_compose(prefix: str, stream: str, inner_format: object, text: str) -> None:
    alone, wrapped = read_line(text), read_line(prefix + text)
    assert wrapped.message == alone.message
    assert wrapped.formats[-len(alone.formats) :] == alone.formats
    assert wrapped.kind == alone.kind or alone.kind is None
    assert wrapped.stamps[len(wrapped.stamps) - len(alone.stamps) :] == alone.stamps
    assert wrapped.stream == "/".join(filter(None, (stream, alone.stream)))


def test_what_continues() -> None:
    assert is_continuation_line(read_line('3:   File "a.py", line 3, in f'))
    assert is_continuation_line(read_line('Nov 21 03:24:07 n-3 python3[42]:   File "a.py", line 3, in f'))
    assert not is_continuation_line(read_line("Nov 21 03:24:07 n-3 systemd[1]: Started Session 3."))
    assert not is_continuation_line(read_line("3: ERROR:root:m"))


def test_tentative_formats_are_wrappers() -> None:
    assert all(
        line_format.wrapper for line_format in FORMATS if line_format.tentative or line_format.prefixes_every_line
    )
