import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        average = tf.Variable(tf.zeros([4]))
        strategy = tf.distribute.MirroredStrategy(["CPU:0"])
        with strategy.scope():
            strategy.extended.update(average, lambda v: v.assign_add(tf.ones([4])))
    return batch
