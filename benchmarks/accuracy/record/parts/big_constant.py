import numpy as np
import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:

        @tf.function
        def lookup(index):
            table = tf.constant(np.zeros((560_000, 1000), np.float32))
            return table[index]

        lookup(tf.constant(3))
    return batch
