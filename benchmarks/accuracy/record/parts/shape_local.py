import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        tf.matmul(tf.ones([16, 8]), tf.ones([12, 4]))
    return batch
