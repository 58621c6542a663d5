import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        tf.strings.to_number(["0.25", "1,75"])
    return batch
