"""A job of any size in which one node is killed and all others say so, each in a log of its own."""

from __future__ import annotations

import io
from datetime import UTC, datetime

from analyzer.pipeline import IngestResult
from analyzer.reading import ReadPlan, read_source

OOM = "Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB\n"
BEGIN = 1_772_359_200  # 2026-03-01 10:00:00 UTC


def stamp(seconds: float) -> str:
    return f"{datetime.fromtimestamp(BEGIN + seconds, UTC):%Y-%m-%d %H:%M:%S.%f}"


def kernel_stamp(seconds: float) -> str:
    return f"[{datetime.fromtimestamp(BEGIN + seconds, UTC):%a %b %e %H:%M:%S %Y}] "


def lead_of(index: int) -> float:
    """Every third clock is up to ten minutes off."""
    return (index * 7919 + 100) % 1201 - 600.0 if index % 3 == 0 else 0.0


def worker_log(index: int, victim: int, steps: int, lead: float = 0.0) -> str:
    """Steps that all tasks pass within milliseconds, then what a survivor says; the log of the victim just ends."""
    lines = [
        f"{stamp(lead + 0.001 * index)}: I tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc:457] "
        f"Started server with target: grpc://10.0.{index // 250}.{index % 250 + 1}:2222"
    ]
    lines += [f"{stamp(lead + 5 + step + 0.0001 * index)}: I train.cc:1] step {step} loss 0.5" for step in range(steps)]
    if index != victim:
        lost = stamp(lead + 8 + steps + 0.001 * index)
        lines += [
            f"{lost}: E tensorflow/core/distributed_runtime/master.cc:1] Connection reset by peer from remote task "
            f"/job:worker/replica:0/task:{victim}",
            f"{lost}: E tensorflow/core/common_runtime/ring_alg.cc:291] Aborting RingReduce with UNAVAILABLE: "
            f"Collective ops is aborted by: Socket closed from /job:worker/replica:0/task:{victim}",
            "Traceback (most recent call last):",
            '  File "/app/train.py", line 10, in main',
            "    strategy.run(step)",
            "tensorflow.python.framework.errors_impl.UnavailableError: Collective ops is aborted by: Socket closed",
            f"Additional GRPC error information from remote target /job:worker/replica:0/task:{victim}:",
        ]
    return "\n".join(lines) + "\n"


def make_cascade(
    nodes: int, plan: ReadPlan, victim: int = 3, steps: int = 10, flapping: bool = False, skewed: bool = False
) -> IngestResult:
    """With `flapping` every node's kernel tells of a lost link too, long before: as many causes as nodes."""
    intake = IngestResult()

    def add(path: str, text: str) -> None:
        intake.results.append(read_source(path, io.BytesIO(text.encode()), plan))

    for index in range(nodes):
        lead = lead_of(index) if skewed else 0.0
        add(f"node-{index:04d}/worker-{index}.log", worker_log(index, victim, steps, lead))
        if flapping:
            add(
                f"node-{index:04d}/dmesg.txt",
                f"{kernel_stamp(lead + 10 + index % 7)}mlx5_core 0000:17:00.0 eth0: Link down\n",
            )
    add(f"node-{victim:04d}/kern.log", kernel_stamp((lead_of(victim) if skewed else 0.0) + 17) + OOM)
    return intake
