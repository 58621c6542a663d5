import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        tf.io.gfile.GFile("gs://ml-training-eu/shards/part-00017.tfrecord", "rb").read()
    return batch
