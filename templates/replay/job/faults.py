"""Faults of one task at one step: (plan, step, batch) -> batch, if the task survives.

A batch is the list of tensors that the members of the job reduce, one collective each, in this order.
"""

from __future__ import annotations

import builtins
import contextlib
import logging
import queue
import sys
import time

from job.files import (
    cut_checkpoint,
    fill_disk,
    forbid_checkpoint,
    load_other_checkpoint,
    read_corrupt_record,
    read_missing_file,
)
from job.limits import allocate, exhaust_threads, fill_shared_memory, leak_files, limit_memory, outgrow_cgroup
from job.native import abort, free_twice, load_library, overflow_stack, read_null, run_illegal_instruction

log = logging.getLogger("replay")


def raise_exception(plan, step, batch):
    """Raise the incident's exception, chosen by its name."""
    import tensorflow as tf

    raise make_exception(plan["exception"], plan["message"], tf.errors)


def make_exception(name, message, tf_errors):
    """Return an exception of tf.errors, or else a builtin one, or else one of a new class.

    The name is a log's: what is no exception (a function, SystemExit) or takes more than a message is not called.
    """
    for place, arguments in ((tf_errors, (None, None, message)), (builtins, (message,))):
        kind = getattr(place, name, None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            with contextlib.suppress(TypeError):
                return kind(*arguments)
    return type(name, (Exception,), {"__module__": "__main__"})(message)


def make_nan(plan, step, batch):
    return [tensor * float("nan") for tensor in batch]


def change_shape(plan, step, batch):
    import tensorflow as tf

    return [tf.ones(plan["odd_shape"], batch[0].dtype), *batch[1:]]


def change_dtype(plan, step, batch):
    import tensorflow as tf

    return [tf.cast(batch[0], plan["odd_dtype"]), *batch[1:]]


def change_order(plan, step, batch):
    return batch[::-1]


def call_once_more(plan, step, batch):
    return [batch[0], *batch]


def batch_ragged_records(plan, step, batch):
    """Batch records with nine values and one with five."""
    import tensorflow as tf

    records = tf.data.Dataset.from_tensor_slices([9, 9, 5, 9]).map(lambda width: tf.zeros([width]))
    return [tf.reduce_sum(next(iter(records.batch(4)))), *batch[1:]]


def mix_dtypes(plan, step, batch):
    """Use float64 labels with float32 predictions."""
    import tensorflow as tf

    return [tf.ones(batch[0].shape) - tf.ones(batch[0].shape, tf.float64), *batch[1:]]


def finish(plan, step, batch):
    log.info("epoch finished after %d steps, the shard has no more records", step)
    sys.exit(0)


def slow_down(plan, step, batch):
    time.sleep(plan["delay"])
    return batch


def wait_for_input(plan, step, batch):
    """Let the pipeline wait for its producer, which waits for room in a queue that no thread empties."""
    import tensorflow as tf

    records, room = queue.Queue(), queue.Queue()

    def produce():
        yield room.get() and records.get()

    return [next(iter(tf.data.Dataset.from_generator(produce, tf.float32).prefetch(1)))]


IN_STEP = {
    "abort": abort,
    "allocation": allocate,
    "checkpoint-mismatch": load_other_checkpoint,
    "checkpoint-truncated": cut_checkpoint,
    "checkpoint-unwritable": forbid_checkpoint,
    "corrupt-record": read_corrupt_record,
    "disk-full": fill_disk,
    "dtype-mismatch": change_dtype,
    "double-free": free_twice,
    "dtype-in-step": mix_dtypes,
    "early-finish": finish,
    "exception": raise_exception,
    "extra-collective": call_once_more,
    "fd-limit": leak_files,
    "illegal-instruction": run_illegal_instruction,
    "input-deadlock": wait_for_input,
    "memory-cgroup": outgrow_cgroup,
    "memory-limit": limit_memory,
    "missing-file": read_missing_file,
    "missing-library": load_library,
    "nan": make_nan,
    "order-mismatch": change_order,
    "ragged-batch": batch_ragged_records,
    "segfault": read_null,
    "shape-mismatch": change_shape,
    "shm-full": fill_shared_memory,
    "stack-overflow": overflow_stack,
    "straggler": slow_down,
    "thread-limit": exhaust_threads,
}
LASTING = {"straggler"}  # from the step on, not at it alone
