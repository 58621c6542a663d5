import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        for _ in tf.data.TFRecordDataset("/data/train/part-00001-of-00004.tfrecord"):
            pass
    return batch
