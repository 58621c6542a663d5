import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        tf.train.Checkpoint(ema=tf.Variable(tf.zeros([2048, 512]))).write("FOLDER/ema")
    return batch
