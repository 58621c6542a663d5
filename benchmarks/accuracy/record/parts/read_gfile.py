import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        with tf.io.gfile.GFile("PATH", "rb") as file:
            file.read()
    return batch
