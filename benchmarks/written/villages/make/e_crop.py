"""Crop-loss net on satellite tiles (team 5), custom MultiWorkerMirrored loop, logs as klog-like lines via absl."""
import os, sys, time
import numpy as np, tensorflow as tf
from absl import logging
logging.use_absl_handler(); logging.set_verbosity(logging.INFO)
st = tf.distribute.MultiWorkerMirroredStrategy(); k = st.cluster_resolver.task_id; MODE = os.environ.get("CROP_MODE", "")
logging.info("croploss %s rank %d uid %d tf %s", os.environ["HOSTNAME"], k, os.getuid(), tf.__version__)
path = f"tiles-{k}.tfrecord"
with tf.io.TFRecordWriter(path) as w:
    for i in range(400): w.write(np.random.default_rng(i).normal(size=32).astype("f4").tobytes())
if MODE == "scary" and k == 1:
    b = bytearray(open(path, "rb").read()); b[144 * 150 + 60] ^= 255; open(path, "wb").write(b)
with st.scope(): v = tf.Variable(tf.zeros([32, 1]))
@tf.function
def step(x):
    def fn(x):
        with tf.GradientTape() as t: l = tf.reduce_mean((tf.matmul(x, v) - tf.reduce_sum(x, 1, keepdims=True)) ** 2)
        g = tf.distribute.get_replica_context().all_reduce("MEAN", t.gradient(l, v))
        tf.distribute.get_replica_context().merge_call(lambda s, g: s.extended.update(v, lambda v, g: v.assign_sub(.05 * g), args=(g,)), args=(g,)); return l
    return st.reduce("MEAN", st.run(fn, args=(x,)), axis=None)
n, out = 0, os.environ.get("CROP_OUT", "out")
while n < 160:
    it = iter(tf.data.TFRecordDataset(path).map(lambda s: tf.io.decode_raw(s, tf.float32)).batch(8, drop_remainder=True))
    while n < 160:
        try: x = next(it)
        except StopIteration: break
        except tf.errors.DataLossError as e: logging.error("tile file %s damaged, rest of it skipped this pass: %s", path, e); break
        n += 1; l = float(step(tf.reshape(x, [8, 32]))); time.sleep(.05)
        if n % 3 == 0: logging.info("step %d loss %.5f", n, l)
        if n % 40 == 0:
            p = tf.train.Checkpoint(v=v).save(f"{out}/rank{k}/ck"); logging.info("checkpoint %s", p)
logging.info("training complete after %d steps", n)
