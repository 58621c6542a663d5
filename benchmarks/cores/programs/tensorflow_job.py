"""Dies in an operation of TensorFlow: tensorflow_job.py MODE HOW LIBRARY; MODE is eager, graph or data."""

import sys

import tensorflow as tf

mode, how, library = sys.argv[1:4]
operations = tf.load_op_library(library)


def load_batch(rows):
    rows = operations.bad_op(rows, how="live", name="scale_rows")  # runs before on the same stack
    return operations.bad_op(rows, how=how, name="gather_rows")


def train():
    rows = tf.ones([4, 3])
    if mode == "graph":
        tf.function(load_batch)(rows)
    elif mode == "data":
        for _ in tf.data.Dataset.from_tensors(rows).repeat(2).map(load_batch, num_parallel_calls=2):
            pass
    else:
        load_batch(rows)


train()
