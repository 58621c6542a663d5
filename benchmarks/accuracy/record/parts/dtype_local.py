import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        weights = tf.constant([1.0, 0.5], tf.float64)
        return weights * tf.ones([2], tf.float32)
    return batch
