"""Logs as training jobs write them, one kind each: most lines are ordinary, and in most kinds nearly all are hits.

Every kind is a stream of lines with running clocks, steps and pids, seeded, so that two runs read the same bytes.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count, cycle
from pathlib import Path

import zstandard

START_S = 1_772_323_200  # 2026-03-01, UTC
RUNS = Path(__file__).parent.parent / "fixtures" / "runs"
Lines = Iterator[str]
_VARYING = re.compile(r"(?P<clock>\b\d\d:\d\d:\d\d\b)|(?<=[Ss]tep )(?P<step>\d+)|(?<=pid )(?P<pid>\d+)")


def write_logs(folder: Path, kind: str, size: int, nodes: int = 4) -> Path:
    """Write about `size` bytes of a kind, in one file for each node."""
    for node in range(nodes):
        path = folder / f"node-{node}" / "worker.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        written, lines = 0, KINDS[kind](random.Random(f"{kind} {node}"), f"node-{node}")
        with path.open("w", newline="") as file:
            for line in lines:
                file.write(line)
                written += len(line)
                if written >= size // nodes:
                    break
    return folder


def _ticks(chance: random.Random) -> Iterator[float]:
    """Yield the rising times of lines, in UTC seconds."""
    now = float(START_S)
    while True:
        now += chance.random() * 0.05
        yield now


def _stamp(time: float, form: str = "%Y-%m-%d %H:%M:%S.%f") -> str:
    return datetime.fromtimestamp(time, UTC).strftime(form)


def _mixed(chance: random.Random, host: str) -> Lines:
    """Yield what a training host writes: TensorFlow, NCCL, steps, bars and the kernel; 1 line in 1,000 is an error."""
    parts = [
        make(chance, host) for make in (_tensorflow, _tensorflow, _tensorflow, _steps, _nccl, _bars, _verbose, _kernel)
    ]
    errors = _different_errors(chance, host)
    while True:
        yield next(errors if chance.random() < 0.001 else chance.choice(parts))


def _tensorflow(chance: random.Random, host: str) -> Lines:
    forms = (
        "I tensorflow/core/grappler/optimizers/data/auto_shard.cc:{n}] Policy {n} of dataset {k} is DATA",
        "I external/local_tsl/tsl/profiler/lib/profiler_session.cc:{n}] Profiler session {k} started.",
        "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1929] Created device /job:worker/task:{n}/device:GPU:0",
        "I tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc:457] Started server with target: grpc://{ip}:2222",
        "I tensorflow/core/kernels/data/shuffle_dataset_op.cc:450] Filling up shuffle buffer: {k} of 1048576",
        "I tensorflow/core/framework/local_rendezvous.cc:405] Received item of step {k} from task {n}",
        "W tensorflow/core/framework/dataset.cc:{n}] Input of {k} elements is cached in memory",
    )
    for time in _ticks(chance):
        n, k = chance.randrange(1, 400), chance.randrange(1 << 20)
        yield f"{_stamp(time)}: {chance.choice(forms).format(n=n, k=k, ip=f'10.0.{n % 16}.{n % 250}')}\n"


def _steps(chance: random.Random, host: str) -> Lines:
    """Yield step lines in the styles of five loggers, one style after the other for 1,000 steps each."""
    styles: tuple[Callable[[float, int, float], str], ...] = (
        lambda time, step, loss: f"{_stamp(time)[:23].replace('.', ',')} INFO train: step {step} loss {loss:.4f}\n",
        lambda time, step, loss: f"INFO:tensorflow:loss = {loss:.6f}, step = {step} ({time % 1:.3f} sec)\n",
        lambda time, step, loss: f"I{_stamp(time, '%m%d %H:%M:%S.%f')} 140 loop.py:88] step={step} loss={loss:.5f}\n",
        lambda time, step, loss: f"{_stamp(time)[:19]} | INFO | Step {step}/100000 loss={loss:.3f} lr=1e-4 0.21 s\n",
        lambda time, step, loss: f"step={step} loss={loss:.6f} grad_norm=2.1 examples/sec=9250.6\n",
    )
    for step, time in enumerate(_ticks(chance)):
        yield styles[step // 1_000 % len(styles)](time, step, 3 + chance.random())


def _of_logger(form: str) -> Callable[[random.Random, str], Lines]:
    """Return a kind of which all lines have one form: {time} (to milliseconds), {day}, {clock}, {step} and {loss}."""

    def lines(chance: random.Random, host: str) -> Lines:
        for step, time in enumerate(_ticks(chance)):
            texts = {"time": _stamp(time)[:23], "day": _stamp(time, "%d.%m.%Y"), "clock": _stamp(time, "%H:%M:%S")}
            yield form.format(step=step, loss=f"{3 + chance.random():.4f}", **texts) + "\n"

    return lines


def _bars(chance: random.Random, host: str) -> Lines:
    """Yield Keras's bars, which redraw one line 500 times behind carriage returns."""
    for epoch in count(1):
        yield f"Epoch {epoch}/100000\n"
        for step in range(1, 501):
            bar = ">".join(("=" * (step // 17), "." * (30 - step // 17)))
            loss = f"loss: {chance.random():.4f} - accuracy: {chance.random():.4f}"
            yield f"\r{step:3d}/500 [{bar}] - ETA: {500 - step}s - {loss}" if step < 500 else f" - {loss}\n"


def _nccl(chance: random.Random, host: str) -> Lines:
    forms = (
        "NCCL INFO Channel {n:02d}/24 : {n}[{n}] -> {k}[{k}] [send] via NET/IB/{n}/GDRDMA",
        "NCCL INFO Trees [{n}] {k}/-1/-1->{n}->{k} [1] {n}/-1/-1->{k}->-1",
        "NCCL INFO AllReduce: opCount {x:x} sendbuff 0x7f{x:010x} recvbuff 0x7f{x:010x} count {x} datatype 7 op 0",
        "NCCL TRACE ncclProxyProgress: {n} ops of channel {k}, {x} bytes",
        "NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth{n}",
        "NCCL INFO comm 0x{x:x} rank {n} nranks 64 cudaDev {n} busId {x:x} - Init COMPLETE",
    )
    pid = chance.randrange(1_000, 60_000)
    while True:
        n, k, x = chance.randrange(8), chance.randrange(64), chance.getrandbits(32)
        yield f"{host}:{pid}:{pid + k} [{n}] {chance.choice(forms).format(n=n, k=k, x=x)}\n"


def _verbose(chance: random.Random, host: str) -> Lines:
    """Yield what TF_CPP_VMODULE adds."""
    forms = (
        "executor.cc:{n}] Process node: {k} step {x} _Send T=DT_FLOAT /job:worker/replica:0/task:{n}/device:GPU:0",
        "bfc_allocator.cc:{n}] AllocateRaw gradients/layer_{n}/MatMul  {x}",
        "ring_reducer.cc:{n}] IncreaseCounter of step {x} subdiv {n} chunk {k}",
        "grpc_worker_service.cc:{n}] RecvTensor: step_id {x} rendezvous_key /job:ps/task:{n};{k:016x};edge_{k}",
        "collective_param_resolver_distributed.cc:{n}] CompleteGroup group_key={n} group_size={k} status OK",
    )
    for time in _ticks(chance):
        n, k, x = chance.randrange(64), chance.randrange(1 << 16), chance.getrandbits(40)
        line = chance.choice(forms).format(n=n, k=k, x=x)
        yield f"{_stamp(time)}: I tensorflow/core/common_runtime/{line}\n"


def _kernel(chance: random.Random, host: str) -> Lines:
    """Yield the kernel's and the daemons' lines of a journal."""
    forms = (
        "kernel: [{up:.6f}] IPv4: martian source 10.0.{n}.7 from 10.1.{n}.9, on dev eth0",
        "kernel: [{up:.6f}] nfs: server storage-{n} OK",
        'kernel: [{up:.6f}] audit: type=1400 audit({up:.3f}:{k}): apparmor="ALLOWED" pid={k} comm="python3"',
        "systemd[1]: Started Session {k} of user trainer.",
        "kubelet[1214]: I0301 10:00:00.{k:06d} 1214 kuberuntime.go:{n}] Volume pvc-{k} is mounted for pod trainer-{n}",
        "sshd[{k}]: Accepted publickey for trainer from 10.0.{n}.3 port {k} ssh2",
        "CRON[{k}]: (root) CMD (/usr/lib/sysstat/sa1 1 1)",
    )
    for time in _ticks(chance):
        n, k = chance.randrange(250), chance.randrange(1_000, 65_000)
        line = chance.choice(forms).format(n=n, k=k, up=time - START_S + 9_000)
        yield f"{_stamp(time, '%b %d %H:%M:%S')} {host} {line}\n"


def _cri(chance: random.Random, host: str) -> Lines:
    for time, line in zip(_ticks(chance), _mixed(chance, host), strict=False):
        yield f"{_stamp(time, '%Y-%m-%dT%H:%M:%S.%f')}123Z stderr F {line.strip()[:8_000]}\n"


def _loki(chance: random.Random, host: str) -> Lines:
    for time, line in zip(_ticks(chance), _mixed(chance, host), strict=False):
        labels = {"pod": f"trainer-{host}", "namespace": "ml", "container": "main"}
        yield json.dumps({"labels": labels, "line": line.strip(), "timestamp": _stamp(time, "%Y-%m-%dT%H:%M:%S.%fZ")})
        yield "\n"


def _equal_errors(chance: random.Random, host: str) -> Lines:
    for time in _ticks(chance):
        yield (
            f"{_stamp(time)}: E tensorflow/core/common_runtime/ring_alg.cc:291] Aborting RingReduce with "
            "UNAVAILABLE: Socket closed\n"
        )


def _different_errors(chance: random.Random, host: str) -> Lines:
    words = ("lease", "shard", "quota", "replica", "cursor", "barrier", "tensor", "bucket", "token", "stream")
    for time in _ticks(chance):
        place, message = f"{chance.choice(words)}_op.cc:{chance.randrange(900)}", " ".join(chance.choices(words, k=8))
        yield f"{_stamp(time)}: E tensorflow/core/kernels/{place}] {message}\n"


def _recorded(chance: random.Random, host: str) -> Lines:
    """Yield the output of recorded runs again and again, with clocks, steps and pids that run on."""
    texts = []
    for path in sorted(RUNS.glob("*/lines.zst")):
        with path.open("rb") as file:
            text = zstandard.ZstdDecompressor().stream_reader(file).read().decode("utf-8", "replace")
        texts += [line.split(" ", 3)[-1] + "\n" for line in text.splitlines() if line.count(" ") > 2]
    begin, ticks = chance.randrange(len(texts)), _ticks(chance)
    running = {"clock": "", "step": "", "pid": ""}
    for number, line in enumerate(cycle(texts[begin:] + texts[:begin])):
        running.update(clock=_stamp(next(ticks), "%H:%M:%S"), step=str(number), pid=str(4_000 + number // 9_999))
        yield _VARYING.sub(lambda match: running[match.lastgroup or ""], line)


KINDS: dict[str, Callable[[random.Random, str], Lines]] = {
    "mixed, 1 error in 1,000 lines": _mixed,
    "recorded runs, repeated": _recorded,
    "steps of five loggers": _steps,
    "loguru": _of_logger("{time} | INFO     | train.loop:step:88 - step={step} loss={loss} lr=0.001"),
    "structlog": _of_logger("{time} [info     ] step                           [train] loss={loss} step={step}"),
    "logfmt": _of_logger('ts="{time}" level=info msg=step step={step} loss={loss} lr=0.001'),
    "columns between tabs": _of_logger("{time}\tINFO\ttrain\tstep {step} loss {loss} lr 0.001"),
    "dates of its own": _of_logger("{day} {clock} INFO step {step} loss {loss} lr 0.001"),
    "bars of Keras": _bars,
    "NCCL INFO and TRACE": _nccl,
    "VLOG of TensorFlow": _verbose,
    "kernel and journal": _kernel,
    "CRI of Kubernetes": _cri,
    "NDJSON of Loki": _loki,
    "equal errors": _equal_errors,
    "different errors": _different_errors,
}
