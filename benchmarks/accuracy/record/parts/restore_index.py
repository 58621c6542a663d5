import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        source = tf.train.Checkpoint(table=tf.Variable(tf.ones([4096])))
        path = source.write("/tmp/warmstart")
        with open(path + ".index", "r+b") as file:
            file.seek(40)
            file.write(b"\0" * 60)
        source.read(path).assert_consumed()
    return batch
