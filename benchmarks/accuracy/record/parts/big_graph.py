import numpy as np
import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        graph = tf.Graph()
        with graph.as_default():
            tables = [tf.constant(np.zeros(120_000_000, np.float32), name=f"table_{i}") for i in range(5)]
        graph.as_graph_def().SerializeToString()
    return batch
