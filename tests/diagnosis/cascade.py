"""A job of any size in which one node is killed and all others say so, each in a log of its own."""

from __future__ import annotations

import io

from analyzer.pipeline import Intake
from analyzer.reading import Plan, read_source

OOM = "[Sun Mar  1 10:00:17 2026] Out of memory: Killed process 4242 (python3) total-vm:9kB, anon-rss:8kB\n"


def stamp(seconds: float) -> str:
    micros = round((seconds % 60) * 1e6)
    return f"2026-03-01 10:{int(seconds // 60) % 60:02d}:{micros // 1_000_000:02d}.{micros % 1_000_000:06d}"


def worker_log(index: int, victim: int, steps: int) -> str:
    """Steps that all tasks pass within milliseconds, then what a survivor says; the log of the victim just ends."""
    lines = [
        f"{stamp(0.001 * index)}: I tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc:457] "
        f"Started server with target: grpc://10.0.{index // 250}.{index % 250 + 1}:2222"
    ]
    lines += [f"{stamp(5 + step + 0.0001 * index)}: I train.cc:1] step {step} loss 0.5" for step in range(steps)]
    if index != victim:
        lost = stamp(8 + steps + 0.001 * index)
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


def make_cascade(nodes: int, plan: Plan, victim: int = 3, steps: int = 10, flapping: bool = False) -> Intake:
    """With `flapping` every node's kernel tells of a lost link too, long before: as many causes as nodes."""
    intake = Intake()

    def add(path: str, text: str) -> None:
        intake.results.append(read_source(path, io.BytesIO(text.encode()), plan))

    for index in range(nodes):
        add(f"node-{index:04d}/worker-{index}.log", worker_log(index, victim, steps))
        if flapping:
            add(
                f"node-{index:04d}/dmesg.txt",
                f"[Sun Mar  1 10:00:{10 + index % 7:02d} 2026] mlx5_core 0000:17:00.0 eth0: Link down\n",
            )
    add(f"node-{victim:04d}/kern.log", OOM)
    return intake
