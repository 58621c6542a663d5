import glob

import tensorflow as tf


def HOOK(step, batch):
    if step == AT_STEP:
        for path in sorted(glob.glob("/data/images/*.png")):
            tf.io.decode_png(tf.io.read_file(path))
    return batch
