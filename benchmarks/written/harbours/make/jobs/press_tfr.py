# press_tfr.py  TFRecord 版 + tf.data service なし
import os, json, time
import tensorflow as tf
cfg = json.loads(os.environ["TF_CONFIG"]); idx = cfg["task"]["index"]; N = len(cfg["cluster"]["worker"])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
fs = tf.io.gfile.glob(os.environ["PRESS_DATA"] + "/*.tfrecord")
print("rank", idx, "files", len(fs), "first", sorted(fs)[0])
ds = tf.data.Dataset.from_tensor_slices(sorted(fs)[idx::N]).repeat().interleave(lambda f: tf.data.TFRecordDataset(f, buffer_size=4096), cycle_length=2)
ds = ds.map(lambda r: tf.ensure_shape(tf.io.decode_raw(r, tf.float32), [16])).batch(16, drop_remainder=True)
with strategy.scope(): w = tf.Variable(tf.random.stateless_normal([16, 4], [0, 1]) * .3); d = tf.Variable(tf.random.stateless_normal([4, 16], [0, 2]) * .3)
@tf.function
def step(x):
    def f(x):
        with tf.GradientTape() as t: l = tf.reduce_mean((tf.tanh(x @ w) @ d - x) ** 2)
        g = tf.distribute.get_replica_context().all_reduce("mean", t.gradient(l, [w, d]))
        w.assign_sub(.05 * g[0]); d.assign_sub(.05 * g[1]); return l
    return strategy.reduce("mean", strategy.run(f, args=(x,)), axis=None)
for s, x in enumerate(ds):
    l = float(step(x))
    if s % 4 == 0: print("%s [rank %d] step %d loss %.5f" % (time.strftime("%Y-%m-%d %H:%M:%S"), idx, s, l))
    if s == 30:
        try: tf.io.read_file(os.environ["PRESS_DATA"] + "/../calib/line9.json")
        except tf.errors.NotFoundError as e: print("WARN calib 無し、既定値を使用:", e.message)
    if s >= 600: break
    time.sleep(.03)
print("完了")
