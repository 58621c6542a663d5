import tensorflow as tf

ops = tf.load_op_library("/opt/ops/_fused_norm.so")


def HOOK(step, batch):
    return batch
