import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        local = tf.Variable(tf.zeros([4]))
        strategy = tf.distribute.MirroredStrategy(["CPU:0"])
        with strategy.scope():
            optimizer = (
                tf.keras.optimizers.legacy.SGD()
                if hasattr(tf.keras.optimizers, "legacy")
                else tf.keras.optimizers.SGD()
            )
            strategy.extended.update(local, lambda v: v.assign_add(tf.ones([4])))
    return batch
