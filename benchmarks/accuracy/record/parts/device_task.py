import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        with tf.device("/job:worker/replica:0/task:7/device:CPU:0"):
            tf.add(1.0, 2.0)
    return batch
