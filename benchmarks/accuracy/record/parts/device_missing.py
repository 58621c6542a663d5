import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        tf.config.set_soft_device_placement(False)
        with tf.device("/GPU:0"):
            return tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]))
    return batch
