"""Harmless messages of ordinary jobs, which make a replay as noisy as a real run.

`noise` of plan.yaml names some of these. Each comes once, in every task that trains, before the step given here.
"""

from __future__ import annotations

import logging
import warnings

log = logging.getLogger("replay")


def retry_missing_shard(plan):
    """Log an error with its traceback, and in the next line that the program recovered."""
    import tensorflow as tf

    try:
        tf.io.gfile.stat("train-00007.tfrecord.part")
    except tf.errors.NotFoundError:
        log.exception("shard train-00007.tfrecord.part is not there yet, taking the finished one")


def retry_connection(plan):
    """Log a refused connection: no program listens on port 9 of this machine."""
    import socket

    try:
        socket.create_connection(("127.0.0.1", 9), timeout=1).close()
    except OSError as error:
        log.warning("metrics server: %s; will try again in 60 s", error)


def warn_of_old_names(plan):
    import numpy as np

    warnings.warn(
        "this argument will be removed in a future release; use `batch_size`", DeprecationWarning, stacklevel=2
    )
    np.array([0.0]) / 0.0  # RuntimeWarning: divide by zero


def retrace(plan):
    """Make TensorFlow warn of a function that is retraced repeatedly."""
    import tensorflow as tf

    for size in range(1, 7):
        tf.function(lambda values: values + 1)(tf.ones([size]))


NOISE = {
    "connection": (3, retry_connection),
    "missing-shard": (2, retry_missing_shard),
    "retracing": (2, retrace),
    "warnings": (1, warn_of_old_names),
}


def make_noise(plan: dict, step: int) -> None:
    for name in plan["noise"]:
        due, make = NOISE[name]
        if step == due:
            make(plan)
