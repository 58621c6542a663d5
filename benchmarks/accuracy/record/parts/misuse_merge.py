import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        context = tf.distribute.get_replica_context()
        strategy = tf.distribute.MirroredStrategy(["CPU:0"])
        with strategy.scope():
            tf.distribute.get_replica_context().all_reduce("sum", tf.ones([2]))
    return batch
