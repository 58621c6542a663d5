"""Seeded logs of many nodes: ordinary text, a stated share of lines that matter, in a folder and in archives."""

from __future__ import annotations

import random
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

ORDINARY = (
    "{stamp}: I tensorflow/core/data/service/worker_impl.cc:{n}] Processed split {n} of the dataset with id {n}",
    "{stamp} INFO trainer: loaded shard {n:05d}-of-01024 in {n} ms from /data/train-{n:05d}",
    "{stamp} [INFO] input: shuffle buffer filled, {n} of 10000 elements",
    "{host}:{n}:{n} [0] NCCL INFO Channel {n:02d}/0 : 0[0] -> 1[1] via P2P/CUMEM",
    "[{stamp}] saved summary {n} to /logs/run-{n}/events.out.tfevents.{n}",
)
TELLING = (
    "{stamp}: E tensorflow/core/common_runtime/ring_alg.cc:291] Aborting RingReduce with UNAVAILABLE: Socket closed",
    "{stamp}: W tensorflow/core/distributed_runtime/worker.cc:{n}] Cancellation requested for RunGraph.",
    "{stamp} WARNING trainer: step {n} took {n} ms",
    "{stamp}: E external/local_xla/xla/stream_executor/cuda/cuda_blas.cc:1{n:03d}] failed to create cublas handle",
)


def write_corpus(folder: Path, size: int, share: float, nodes: int = 64, seed: int = 7) -> Path:
    """About `size` bytes over `nodes` files; `share` of the lines are such as rules look for."""
    for node in range(nodes):
        target = folder / f"node{node:03d}"
        target.mkdir(parents=True, exist_ok=True)
        with (target / "worker.log").open("w") as file:
            file.writelines(lines(size // nodes, share, seed * 1000 + node, target.name))
    return folder


def lines(size: int, share: float, seed: int, host: str = "node000") -> Iterator[str]:
    """What a training process on `host` writes."""
    written, tick, chance = 0, 0, random.Random(seed)
    while written < size:
        tick += chance.randrange(1, 40)
        second, milli = divmod(tick, 1000)
        stamp = f"2026-03-01 {second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}.{milli:03d}000"
        form = chance.choice(TELLING if chance.random() < share else ORDINARY)
        line = form.format(stamp=stamp, host=host, n=chance.randrange(1000)) + "\n"
        written += len(line)
        yield line


def write_junk(folder: Path, size: int, seed: int = 7) -> Path:
    """Lines of megabytes, and binary."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    words = " ".join(str(chance.randrange(10**9)) for _ in range(100_000))
    with (folder / "long.log").open("w") as file:
        for _ in range(max(1, size // 2 // (8 << 20))):
            file.write((words * 8)[: 8 << 20] + "\n")
    (folder / "binary.log").write_bytes(chance.randbytes(size // 2))
    return folder


def pack(folder: Path) -> dict[str, Path]:
    """The same files as .tar, .tar.gz and .tar.zst beside the folder."""
    tar = folder.with_suffix(".tar")
    with tarfile.open(tar, "w") as archive:
        archive.add(folder, folder.name)
    subprocess.run(["gzip", "-kf", str(tar)], check=True)
    subprocess.run(["zstd", "-qkf", str(tar)], check=True)
    return {"tar": tar, "tar.gz": Path(f"{tar}.gz"), "tar.zst": Path(f"{tar}.zst")}
