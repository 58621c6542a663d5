import tensorflow as tf

local = tf.distribute.OneDeviceStrategy("/cpu:0")


def total(values):
    return local.reduce("SUM", values, axis=None)


def HOOK(step, batch):
    if step == AT_STEP:
        local.run(total, args=(tf.ones([2]),))
    return batch
