"""Seeded logs of many nodes: ordinary text, a stated share of lines that matter, in a folder and in archives.

Numbers, ids, addresses and paths differ from line to line as they do in real logs, so that gzip makes them about seven
times smaller: what can be said of a decompressor depends on it.
"""

from __future__ import annotations

import random
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

# n below 1,024, k below 65,536, b below 2**20, x one of 4,096 ids; `count` grows with the lines.
ORDINARY = (
    "{stamp}: I tensorflow/core/data/service/worker_impl.cc:431] Processed split {count} of the dataset with id {b}",
    "{stamp}: I tensorflow/core/data/root_dataset.cc:297] Optimization took {k} us for graph {x:08x}",
    "{stamp}: I external/local_xla/xla/service/service.cc:152] XLA service 0x{x:012x} initialized for platform CUDA",
    "{stamp}: I tensorflow/core/kernels/data/shuffle_dataset_op.cc:450] Filling up shuffle buffer: {b} of 1048576",
    "{stamp} INFO trainer: loaded shard {k:05d}-of-65536 in {n} ms from /data/train-{k:05d}.tfrecord",
    "{stamp} [INFO] input: shuffle buffer filled, {k} of 65536 elements",
    "{stamp} INFO data.cache: hit {b} of {count} keys, evicted {n}, key {x:08x}",
    "{stamp} INFO storage: GET s3://data/part-{k:05d}/{x:08x} 206 1048576 bytes in 0.{n:03d} s from 10.{o}.{p}.17:443",
    "{stamp} DEBUG metrics: queue={n} rss={b}kB threads={p} gpu_util=0.{k:05d} host={host}",
    "{host}:{pid}:{k} [{o}] NCCL INFO Channel {p:02d}/0 : {o}[{o}] -> {p}[{p}] via P2P/CUMEM/read",
    "{host}:{pid}:{k} [{o}] NCCL INFO comm 0x{x:08x} rank {p} nranks 64 cudaDev {o} busId {k:x} - Init START",
    "[{stamp}] saved summary {count} to /logs/run-{pid}/events.out.tfevents.17723{k:05d}.{host}.{pid}",
    "{stamp}: I tensorflow/core/grappler/optimizers/data/auto_shard.cc:775] All workers agree on the options of the "
    "input pipeline; the order of the elements is deterministic and buffers are tuned while the job runs.",
    "{stamp}: I tensorflow/core/framework/local_rendezvous.cc:405] Local rendezvous recv item {x:08x}",
    "INFO:tensorflow:examples/sec: {p}.{k:05d}",
    "I0301 {clock} {pid} device_mgr.cc:118] /job:worker/task:{p} tensor {x:08x} moved {b} bytes to GPU:{o}",
    "{stamp} INFO checkpoint: kept /ckpt/run-{pid}/ckpt-{count}.data-{p:05d}-of-00064, {b} bytes",
    "Mar  1 {clock} {host} systemd[1]: Started Session {count} of user trainer.",
    "Mar  1 {clock} {host} kubelet[{pid}]: Volume pvc-{x:08x}-{k:04x} mounted for pod trainer-{p}",
    "{stamp} INFO trainer: augmented {n} images, mean 0.{n:03d} variance 0.{k:05d}",
)
UNIFORM = (  # few words and no ids: the best case of engines that build their automaton while they read
    "{stamp}: I tensorflow/core/data/service/worker_impl.cc:{n}] Processed split {n} of the dataset with id {n}",
    "{stamp} INFO trainer: loaded shard {n:05d}-of-01024 in {n} ms from /data/train-{n:05d}",
    "{stamp} [INFO] input: shuffle buffer filled, {n} of 10000 elements",
    "{host}:{n}:{n} [0] NCCL INFO Channel {n:02d}/0 : 0[0] -> 1[1] via P2P/CUMEM",
    "[{stamp}] saved summary {n} to /logs/run-{n}/events.out.tfevents.{n}",
)
TELLING = (
    "{stamp}: E tensorflow/core/common_runtime/ring_alg.cc:291] Aborting RingReduce with UNAVAILABLE: Socket closed",
    "{stamp}: W tensorflow/core/distributed_runtime/worker.cc:{n}] Cancellation requested for RunGraph.",
    "{stamp} WARNING trainer: step {count} took {n} ms",
    "{stamp}: E external/local_xla/xla/stream_executor/cuda/cuda_blas.cc:1{n:03d}] failed to create cublas handle",
)


def write_corpus(
    folder: Path, size: int, share: float, nodes: int = 64, seed: int = 7, ordinary: Sequence[str] = ORDINARY
) -> Path:
    """About `size` bytes over `nodes` files; `share` of the lines are such as rules look for."""
    for node in range(nodes):
        target = folder / f"node{node:03d}"
        target.mkdir(parents=True, exist_ok=True)
        with (target / "worker.log").open("w") as file:
            file.writelines(lines(size // nodes, share, seed * 1000 + node, target.name, ordinary))
    return folder


def lines(
    size: int, share: float, seed: int, host: str = "node000", ordinary: Sequence[str] = ORDINARY
) -> Iterator[str]:
    """What a training process on `host` writes."""
    written, tick, count, chance = 0, 0, 0, random.Random(seed)
    pid = chance.randrange(1000, 60_000)
    while written < size:
        count += 1
        tick += chance.randrange(1, 40)
        bits = chance.getrandbits(88)
        form = chance.choice(TELLING if chance.random() < share else ordinary)
        line = form.format(**_fields(bits, tick), host=host, pid=pid, count=count) + "\n"
        written += len(line)
        yield line


def _fields(bits: int, tick: int) -> dict[str, object]:
    """Numbers of different lengths, of 88 random bits, and the time after `tick` milliseconds."""
    second, milli = divmod(tick, 1000)
    clock = f"{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}.{milli:03d}"
    return {
        "stamp": f"2026-03-01 {clock}000",
        "clock": clock,
        "n": bits & 1023,
        "k": bits >> 10 & 0xFFFF,
        "b": bits >> 26 & 0xFFFFF,
        "x": (bits >> 46 & 4095) * 2_654_435_761 & 0xFFFFFFFF,
        "o": bits >> 78 & 7,
        "p": bits >> 81 & 63,
    }


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
        archive.add(folder, folder.name, filter=_nameless)
    subprocess.run(["gzip", "-nkf", str(tar)], check=True)
    subprocess.run(["zstd", "-qkf", str(tar)], check=True)
    return {"tar": tar, "tar.gz": Path(f"{tar}.gz"), "tar.zst": Path(f"{tar}.zst")}


def _nameless(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """The same bytes whoever packs it, and when."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 1_772_323_200
    return member
