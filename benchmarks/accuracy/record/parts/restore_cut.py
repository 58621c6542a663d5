import os

import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        source = tf.train.Checkpoint(table=tf.Variable(tf.ones([4096])))
        path = source.write("/tmp/warmstart")
        os.truncate(path + ".data-00000-of-00001", 1500)
        source.read(path).assert_consumed()
    return batch
