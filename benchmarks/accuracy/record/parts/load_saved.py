import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        tf.saved_model.load("PATH")
    return batch
