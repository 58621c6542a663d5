import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        return [*batch, tf.ones([7])]
    return batch
