import tensorflow as tf


def one_hot_all(ids, vocabulary):
    return tf.one_hot(ids, vocabulary)


def HOOK(step, batch):
    if step == AT_STEP:
        tf.reduce_sum(one_hot_all(tf.zeros([400_000], tf.int32), 2_000_000))
    return batch
