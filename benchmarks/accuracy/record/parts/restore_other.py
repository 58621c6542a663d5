import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        path = tf.train.Checkpoint(embedding=tf.Variable(tf.ones([512, 16]))).write("/tmp/pretrained")
        tf.train.Checkpoint(embedding=tf.Variable(tf.ones([640, 16]))).read(path).assert_consumed()
    return batch
