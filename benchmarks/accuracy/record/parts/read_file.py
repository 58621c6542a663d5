import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        tf.io.read_file("PATH")
    return batch
