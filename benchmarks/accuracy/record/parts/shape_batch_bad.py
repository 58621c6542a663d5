import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        features = tf.data.Dataset.from_tensor_slices([9, 9, 5, 9]).map(lambda width: tf.zeros([width]))
        for rows in features.batch(4):
            tf.reduce_mean(rows)
    return batch
