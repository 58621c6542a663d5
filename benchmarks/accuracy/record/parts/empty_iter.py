import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        validation = tf.data.TFRecordDataset("/data/train/part-00001-of-00004.tfrecord").skip(10_000)
        return next(iter(validation))
    return batch
