"""Faults of exhausted resources: memory, shared memory, descriptors, threads."""

from __future__ import annotations

import mmap
import multiprocessing
import pathlib
import resource
import threading
import time

from job.place import become_nobody, mount_small
from job.plan import HERE

MIB = 2**20


def allocate(plan, step, batch):
    import tensorflow as tf

    return [batch[0] + tf.reduce_sum(tf.zeros(plan["alloc_shape"])), *batch[1:]]


def limit_memory(plan, step, batch):
    """Set RLIMIT_AS slightly above the present use, and allocate arrays until one fails."""
    import numpy

    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
    limit = pages * mmap.PAGESIZE + 256 * MIB
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    kept = [numpy.ones(8 * MIB)]
    while len(kept) < 64:
        kept.append(numpy.ones(8 * MIB))
    return batch


def outgrow_cgroup(plan, step, batch):
    """Write pages until the kernel kills the task; the launcher has put it into a memory cgroup."""
    kept = []
    while len(kept) * 16 * MIB < 4 * plan["cgroup_bytes"]:
        kept.append(b"x" * (16 * MIB))
    return batch


def fill_shared_memory(plan, step, batch):
    """Leave one free page in /dev/shm, where Python's locks and shared arrays are files."""
    mount_small(pathlib.Path("/dev/shm"), MIB)
    if plan["bus_error"]:
        with pathlib.Path("/dev/shm/batches").open("w+b") as file:
            file.truncate(4 * MIB)  # sparse: the room is asked for when a page is touched
            mmap.mmap(file.fileno(), 4 * MIB)[:] = bytes(4 * MIB)
    pathlib.Path("/dev/shm/batches").write_bytes(bytes(MIB))
    multiprocessing.Lock()
    return batch


def leak_files(plan, step, batch):
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    kept = []
    while True:
        kept.append((HERE / "plan.yaml").open())


def exhaust_threads(plan, step, batch):
    become_nobody()
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    while True:
        threading.Thread(target=time.sleep, args=(plan["limit"],), daemon=True).start()
