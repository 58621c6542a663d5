import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        path = tf.train.Checkpoint(encoder=tf.Variable(tf.ones([8]))).write("/tmp/pretrained")
        tf.train.Checkpoint(backbone=tf.Variable(tf.ones([8]))).read(path).assert_consumed()
    return batch
