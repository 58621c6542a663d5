from lib import *
import struct, zlib
def make_data(d, files=6, rec=60):
    """TFRecords written by TensorFlow itself."""
    os.makedirs(d, exist_ok=True)
    code = f"""
import tensorflow as tf, numpy as np
for k in range({files}):
    with tf.io.TFRecordWriter('{d}/part-%05d.tfrecord' % k) as w:
        for j in range({rec}):
            x = tf.io.serialize_tensor(tf.constant(np.random.rand(24).astype('float32'))).numpy()
            w.write(tf.train.Example(features=tf.train.Features(feature={{'x': tf.train.Feature(bytes_list=tf.train.BytesList(value=[x]))}})).SerializeToString())
"""
    subprocess.run([PY["221"], "-c", code], capture_output=True)
def go(n, host, role, disp, log, extra=None, pre="", append=False, post=""):
    return n.start(host, f"{PY['221']} {MAKE}/dsvc.py {role} {disp}{post}", log, {"WORK": n.dir + "/work", "DATA": n.dir + "/data", **(extra or {})}, pre=pre, append=append)
