import numpy as np
import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        for size in (1 << 48, 1 << 44, 1 << 12):
            try:
                cache = tf.zeros([size])
                print("feature cache of", size, "entries", flush=True)
                break
            except (tf.errors.ResourceExhaustedError, MemoryError) as error:
                print("cache does not fit, trying a smaller one:", str(error).splitlines()[0], flush=True)
    return batch
