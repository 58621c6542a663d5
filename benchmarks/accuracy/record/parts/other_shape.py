import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        return [tf.ones([48]), *batch[1:]]
    return batch
